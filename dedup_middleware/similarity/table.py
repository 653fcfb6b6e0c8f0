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

BETWEEN = "\n"
WORD = re.compile(r"\w")
# words, vocabulary, sentences, bytes of the vocabulary, identifying numbers, bytes of these
_HEAD = Struct("<6I")
_HITS = Struct(f"<{1 + 2 * len(STOP_WORDS)}I")
_COUNT = Struct("<I")


@dataclass(frozen=True)
class PageTable:
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    stop_words: StopWords

    @property
    def vocabulary(self) -> list[str]:
        """Its distinct words, in order of first occurrence."""
        *_, length, _, numbers = _HEAD.unpack_from(self.packed)
        end = len(self.packed) - numbers
        return self.packed[end - length : end].decode().split(BETWEEN)

    @property
    def numbers(self) -> list[str]:
        """The amounts of money, telephone and account numbers of the page, sorted."""
        *_, count, length = _HEAD.unpack_from(self.packed)
        numbers = self.packed[len(self.packed) - length :].decode()
        return numbers.split(BETWEEN) if count else []


def packed_texts(outline: Outline) -> bytes:
    """Return the marks and the texts of a page as the core takes them."""
    marks, lines = outline.boilerplate, outline.lines
    return b"".join((_COUNT.pack(len(marks)), marks, _COUNT.pack(len(lines)), lines))


def read_table(outline: Outline) -> PageTable:
    """Make the table of a page."""
    data = core.call("page", packed_texts(outline))
    end = len(data) - _HITS.size
    count, *_ = _HEAD.unpack_from(data)
    wide, *hits = _HITS.unpack_from(data, end)
    return PageTable(
        data[:end],
        count,
        StopWords(min(count, SAMPLE), hits[: len(STOP_WORDS)], hits[len(STOP_WORDS) :], not wide),
    )
