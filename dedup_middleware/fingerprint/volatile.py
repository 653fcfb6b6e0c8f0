"""Volatile text: what changes by itself on the pages of a host, such as clocks and counters.

A revisit shows which short texts with numbers have changed since the URL was last seen, each by its
shape: its words without numbers and dates (`native/src/volatile.rs`). A shape is volatile on a host
if it changed at nearly all revisits, of many different pages, and if its numbers tell the time and
not the page: they rise from one revisit to the next, whatever page it is of. The words of a date of
edit or of a counter say as much. A number that changes at each visit and does neither may be what
the page is about, such as a temperature or a price after a sale, and makes an update.

Revisits that show nothing new count as well, so that a few pages that change all the time can't
make the same words of others volatile. Every table is bounded; what has no room is never volatile.
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import core

from .rarity import LAST_PAGE
from .site import unpack_numbers

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

FEWEST_PAGES, RISES = 6, 5
"""Different pages that must show a shape when they are revisited, and times that it must rise."""
ONE_IN = 4
"""One in so many of all pages that were revisited must show it: it belongs to the template."""
MOST_SHAPES, MOST_COUNTED = 256, 4096
"""Shapes whose counts a generation leaves to the next, and that are counted until then."""
_CHANGED, _LISTED = 1, 2
_UNIT = struct.Struct("<QB24s")
_REVISIT = struct.Struct("<Q")
_HEAD = struct.Struct("<3I")
_SHAPE = struct.Struct("<Q6H24s")


@dataclass(frozen=True, slots=True)
class Revisit:
    """What a page tells about its host that was seen before."""

    url: int
    """The beginning of the key of its URL."""
    units: bytes
    """The shapes that both visits show, each with what became of it and with its numbers."""

    def pack(self) -> bytes:
        return _REVISIT.pack(self.url) + self.units

    @classmethod
    def unpack(cls, data: bytes) -> Revisit:
        (url,), units = _REVISIT.unpack_from(data), data[_REVISIT.size :]
        if len(units) % _UNIT.size:
            raise ValueError(f"{len(data):,} bytes are no revisit")
        return cls(url, units)


def revisit_of(key: bytes, before: Outline | None, now: Outline) -> Revisit:
    """Return what a page tells about its host, given what its URL showed before, if it is kept."""
    units = b""
    if before:
        parts = [part for one in (before, now) for part in (one.kinds, one.boilerplate, one.lines)]
        units = core.call_parts("revisit", parts)
    return Revisit(int.from_bytes(key[:8], "little"), units)


@dataclass(slots=True)
class Shape:
    """What became of the texts of one shape."""

    pages: int = 0
    """Different pages that showed it when they were revisited first."""
    seen: int = 0
    changed: int = 0
    listed: int = 0
    """How often it had nothing but the words of a date of edit or a counter."""
    rises: int = 0
    falls: int = 0
    """How often its numbers were higher, or lower, than those of the revisit before."""
    numbers: bytes = b""
    """Those of the last revisit."""

    def is_volatile(self, pages: int) -> bool:
        """Return True if it changes by itself, on a host of which so many were revisited."""
        tells_time = self.rises >= RISES and self.rises >= 4 * self.falls
        return (
            self.pages >= max(FEWEST_PAGES, pages / ONE_IN)
            and 5 * self.changed >= 4 * self.seen
            and (tells_time or self.listed == self.seen)
        )


@dataclass(slots=True)
class RevisitCounts:
    """What is counted of the revisits of a host."""

    pages: int = 0
    """Revisits that were counted."""
    urls: set[int] = field(default_factory=set)
    shapes: dict[int, Shape] = field(default_factory=dict)

    def learn(self, revisit: Revisit) -> bool:
        """Count a revisit; return False if enough of them have been seen."""
        if self.pages >= LAST_PAGE:
            return False
        self.pages += 1
        is_first = revisit.url not in self.urls
        self.urls.add(revisit.url)
        for key, flags, numbers in _UNIT.iter_unpack(revisit.units):
            shape = self.shapes.get(key)
            if shape is None:
                if len(self.shapes) >= MOST_COUNTED:
                    continue
                shape = self.shapes[key] = Shape(numbers=numbers)
            shape.pages += is_first
            shape.seen += 1
            shape.changed += bool(flags & _CHANGED)
            shape.listed += bool(flags & _LISTED)
            shape.rises += numbers > shape.numbers
            shape.falls += numbers < shape.numbers
            shape.numbers = numbers
        return True

    def volatile(self) -> bytes:
        """Return the keys of the shapes that are volatile, ascending, eight bytes each."""
        pages = len(self.urls)
        keys = [key for key, shape in self.shapes.items() if shape.is_volatile(pages)]
        return np.array(sorted(keys), "<u8").tobytes()

    def publish(self, generation: int) -> bytes:  # noqa: ARG002  # the number of revisits tells it
        """Return what is known as of a generation; what is too much to keep is dropped."""
        kept = sorted(self.shapes.items(), key=lambda item: (-item[1].seen, item[0]))
        self.shapes = dict(kept[:MOST_SHAPES])
        return self.volatile()

    def pack(self) -> bytes:
        head = _HEAD.pack(self.pages, len(self.urls), len(self.shapes))
        shapes = [_SHAPE.pack(key, *astuple(one)) for key, one in sorted(self.shapes.items())]
        return head + np.array(sorted(self.urls), "<u8").tobytes() + b"".join(shapes)

    @classmethod
    def unpack(cls, data: bytes) -> RevisitCounts:
        pages, urls, shapes = _HEAD.unpack_from(data)
        (known,), at = unpack_numbers(data, "<u8", (urls,), _HEAD.size)
        if len(data) != at + shapes * _SHAPE.size:
            raise ValueError(f"{len(data):,} bytes in place of {at + shapes * _SHAPE.size:,}")
        units = {key: Shape(*counts) for key, *counts in _SHAPE.iter_unpack(data[at:])}
        return cls(pages, set(known.tolist()), units)

    @staticmethod
    def packed_pages(data: bytes) -> int:
        """Return the number of revisits without unpacking the rest."""
        pages: int = _HEAD.unpack_from(data)[0]
        return pages
