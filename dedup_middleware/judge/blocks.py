"""What blocks of two pages tell that runs of words do not: lists, text beside the main text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dedup_middleware.read.outline import BY_STRUCTURE, KINDS
from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

PASSAGE_WORDS = 12
"""Blocks of so many words are prose, not entries of a menu."""
SENTENCE_WORDS = 4
"""So are blocks of so many words that end as a sentence does."""
FEWEST_WORDS, LEAST_PROSE = 20, 0.1
"""Words of prose, and their share of all words, that make a page more than a list."""
AGREES = 0.5
"""The share of the text beside its main text that the other page must show too."""
_ITEM = KINDS.index("item")


def is_list(outline: Outline) -> bool:
    """Return True if hardly any of the main text is prose: entries of a menu, an index, a table."""
    prose = total = 0
    for kind, mark, text in zip(outline.kinds, outline.boilerplate, outline.texts, strict=True):
        if text and not mark:
            count = _word_count(text)
            total += count
            prose += count if count >= _fewest(text, is_item=kind == _ITEM) else 0
    return prose < max(FEWEST_WORDS, LEAST_PROSE * total)


def new_blocks(page: Outline, known: Outline) -> set[str]:
    """Return the blocks of a page's main text that are not in that of a known one."""
    return _main_blocks(page) - _main_blocks(known)


def rest_differs(page: Outline, known: Outline, own_words: int) -> bool:
    """Return True if a page shows more text outside its main text than in it, and other text.

    Main text is a guess, and may have missed the point. Both outlines are marked by site memory
    already, so that footers of a site don't count; what structure alone excluded, such as an
    article in an aside, does.
    """
    shown = {*known.texts}
    total = new = 0
    for text, mark in zip(page.texts, page.boilerplate, strict=True):
        if mark == BY_STRUCTURE and text.count(" ") + 1 >= PASSAGE_WORDS:
            count = len(words(text))
            total += count
            new += count * (text not in shown)
    return total > own_words and new > (1 - AGREES) * total


def _main_blocks(outline: Outline) -> set[str]:
    columns = zip(outline.boilerplate, outline.texts, strict=True)
    return {text for mark, text in columns if text and not mark}


def _fewest(text: str, *, is_item: bool) -> float:
    """Return how many words make prose of a block; entries of lists must be whole sentences."""
    if text[-1] in ".!?…。！？":
        return PASSAGE_WORDS if is_item else SENTENCE_WORDS
    return math.inf if is_item else PASSAGE_WORDS


def _word_count(text: str) -> int:
    # most blocks are ASCII, and spaces are counted a hundred times as fast
    return text.count(" ") + 1 if text.isascii() else len(words(text))
