"""What a page shows outside its main text: main text is a guess, and may have missed the point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.read.outline import BY_STRUCTURE
from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

PASSAGE_WORDS = 12
"""Blocks of so many words are text, not menus."""
AGREES = 0.5
"""The share of such text that the other page must show too."""


def rest_differs(page: Outline, known: Outline, own_words: int) -> bool:
    """Return True if a page shows more text outside its main text than in it, and other text.

    Both outlines are marked by site memory already, so that footers of a site don't count; what
    structure alone excluded, such as an article in an aside, does.
    """
    shown = {*known.texts}
    total = new = 0
    for text, mark in zip(page.texts, page.boilerplate, strict=True):
        if mark == BY_STRUCTURE and text.count(" ") + 1 >= PASSAGE_WORDS:
            count = len(words(text))
            total += count
            new += count * (text not in shown)
    return total > own_words and new > (1 - AGREES) * total
