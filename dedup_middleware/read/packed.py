"""A page in one answer of the core: what was read of it, its fingerprint, its hashes.

Most pages are like nothing that is known, so that little of it is ever looked at: what is not
needed for each page is unpacked when somebody asks for it.
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import TYPE_CHECKING

from .hiding.hidden import Hidden
from .identity import Declared
from .reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

# nodes, flags; hidden characters, work to find them, characters of text, begin of columns; digest
_HEAD = Struct("<2I4Q32s")
_LENGTHS = Struct("<9I")
_LENGTH = Struct("<I")
_HASH, _PARENT = 8, 4  # bytes
_CUT, _WHOLE, _WAITS = 1, 2, 4


class Packed:
    """What the core answers for a page; the same as a `Reading` of it, and more."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        count, flags, hidden, work, self.size, self._blocks, self.digest = _HEAD.unpack_from(data)
        self._count: int = count
        self._parents = self._blocks + _HASH * count
        kinds = self._parents + _PARENT * count
        marks = kinds + count
        self._lengths = marks + count
        self.kinds, self.marks = data[kinds:marks], data[marks : self._lengths]
        self.cut = bool(flags & _CUT)
        self.hidden = Hidden(hidden, bool(flags & _WHOLE), work)
        self.waits_for_scripts = bool(flags & _WAITS)
        at = self._lengths + _LENGTHS.size
        length, *lengths = _LENGTHS.unpack_from(data, self._lengths)
        self._lines = slice(at, at := at + length)
        names = []
        for length in lengths:
            names.append(data[at : at + length].decode() if length else "")
            at += length
        self.heading, self.first_heading, title, language, canonical, base, url, og_title = names
        headlines = tuple(_headlines(data, at)) if at < len(data) else ()
        self.declared = Declared(title, language, canonical, base, url, og_title, headlines)

    fingerprint = _HEAD.size
    """Where the fingerprint of the main text begins."""

    @property
    def lines(self) -> bytes:
        """The texts of all nodes, a line each."""
        return self.data[self._lines]

    @property
    def packed_parents(self) -> bytes:
        return self.data[self._parents : self._parents + _PARENT * self._count]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.lines.decode().split("\n")) if self._count else ()

    @property
    def parents(self) -> tuple[int, ...]:
        return unpack_from(f"<{self._count}i", self.data, self._parents)

    @property
    def blocks(self) -> bytes:
        """The hash of the text of each node, eight bytes each."""
        return self.data[self._blocks : self._parents]

    def unpacked(self) -> Reading:
        """Return what the twin in Python gives."""
        return Reading(*(getattr(self, name) for name in Reading._fields))


def _headlines(data: bytes, at: int) -> Iterator[str]:
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        yield data[at : at + length].decode()
        at += length
