"""Sentence boundaries, and cuts in text that has none, as the compiled core finds them."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.read.decode import utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.read import Outline

_PLACE = Struct("<3I")  # line, start and end in bytes
_SPLIT, _CUT, _BOTH = range(3)  # what the core does with each line of a text


def split_sentences(*texts: str) -> list[str]:
    """Split blocks of text into sentences.

    >>> split_sentences("Dr. Who paid 3.50 for No. 5. “He left!” Why?", "Nobody knows")
    ['Dr. Who paid 3.50 for No. 5.', '“He left!”', 'Why?', 'Nobody knows']
    """
    lines = "\n".join([text.replace("\n", " ") for text in texts])
    return [sentence for _, sentence in _found(utf8(lines), _SPLIT)]


def cut(sentence: str) -> list[str]:
    """Cut a sentence that is too long after certain words, which are the same in every text.

    >>> cut("Short enough.")
    ['Short enough.']
    """
    return [piece for _, piece in _found(utf8(sentence.replace("\n", " ")), _CUT)]


def sentences_of(outline: Outline) -> list[tuple[int, str]]:
    """Return the sentences of the main text in reading order, each with its node."""
    marks = outline.boilerplate
    return [(node, piece) for node, piece in _found(outline.lines, _BOTH) if not marks[node]]


def _found(text: bytes, mode: int) -> Iterator[tuple[int, str]]:
    """Yield the sentences that the core finds, each with its line."""
    for line, start, end in _PLACE.iter_unpack(core.call("sentences", text, mode)):
        yield line, text[start:end].decode()
