"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core

from .languages import SAMPLE, STOP_WORDS, StopWords

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

_SEPARATOR = "\x1e"  # white space, so that no text of an outline has it
BETWEEN = "\n"
WORD = re.compile(r"\w")
_HEAD = Struct("<4I")  # words, words of the vocabulary, sentences, bytes of the vocabulary
_HITS = Struct(f"<{1 + 2 * len(STOP_WORDS)}I")
_COUNT = Struct("<I")


@dataclass(frozen=True)
class PageTable:
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    stop_words: StopWords
    pieces: list[str]
    """What may have identifying numbers."""

    @property
    def vocabulary(self) -> list[str]:
        """Its distinct words, in order of first occurrence."""
        length = _HEAD.unpack_from(self.packed)[-1]
        words = self.packed[len(self.packed) - length :]
        return words.decode().split(BETWEEN)


def packed_texts(outline: Outline) -> bytes:
    """Return the marks and the texts of a page as the core takes them."""
    marks, lines = outline.boilerplate, outline.lines
    return b"".join((_COUNT.pack(len(marks)), marks, _COUNT.pack(len(lines)), lines))


def read_table(outline: Outline) -> PageTable:
    """Make the table of a page."""
    data = core.call("page", packed_texts(outline))
    count, size, sentences, length = _HEAD.unpack_from(data)
    end = _HEAD.size + 4 * count + 8 * sentences + 3 * size + length
    wide, *hits = _HITS.unpack_from(data, end)
    pieces = data[end + _HITS.size :].decode()
    return PageTable(
        data[:end],
        count,
        StopWords(min(count, SAMPLE), hits[: len(STOP_WORDS)], hits[len(STOP_WORDS) :], not wide),
        pieces.split(_SEPARATOR) if pieces else [],
    )
