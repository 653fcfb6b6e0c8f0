"""Pages as tables of their words and sentences: what the compiled core compares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.read.decode import utf8

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

BETWEEN = "\n"
WORD = re.compile(r"\w")
# words, vocabulary, sentences, bytes of the vocabulary, identifying numbers, bytes of these
_HEAD = Struct("<6I")
_LENGTHS = Struct("<2I")
_COUNT = Struct("<I")


@dataclass(frozen=True)
class PageTable:
    """The words and sentences of a page, packed, and what Python needs of them."""

    packed: bytes
    words: int
    """How many words the page has."""
    language: str
    """The declared language of the page, unless its stop words show another."""

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


def read_table(outline: Outline) -> PageTable:
    """Make the table of a page."""
    declared = utf8(outline.language)
    data = core.call_parts("page", (outline.boilerplate, outline.lines, declared))
    length, count = _LENGTHS.unpack_from(data)
    end = _COUNT.size + length
    return PageTable(data[_COUNT.size : end], count, data[end:].decode())
