"""Volatile text: what changes by itself on the pages of a host, such as clocks and counters.

A revisit shows which short texts with numbers have changed since the URL was last seen, each by its
shape: its words without numbers and dates (`native/src/volatile.rs`). A shape is volatile on a host
if it changed at nearly all revisits, of many different pages, and if its numbers tell the time and
not the page: they are higher than all that pages showed before, whatever page it is, and none of
them stays with its page. Where its words are those of a date of edit or of a counter, that it
changes is enough. Any other number that changes at each visit may be what the page is about, such
as a temperature or a price after a sale, and makes an update.

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

FEWEST_PAGES, FEWEST_STEPS = 6, 4
"""Different pages that must show a shape when they are revisited, and how often its numbers must
have been the highest of all: a fee that is raised on all pages at once rises once."""
OF_REVISITED, OF_KNOWN = 4, 8
"""One in so many of all pages that were revisited must show it, and one in so many of all different
pages of the host: it belongs to the template, and who owns a few pages of a host can't feign it."""
MOST_SHAPES, MOST_COUNTED = 256, 4096
"""Shapes whose counts a generation leaves to the next, and that are counted until then."""
_CHANGED, _LISTED = 1, 2
_UNIT = struct.Struct("<QB32s32s")
_REVISIT = struct.Struct("<QI")
_HEAD = struct.Struct("<4I")
_SHAPE = struct.Struct("<Q7H32s32s32s")
_EACH_NUMBER = [slice(at, at + 4) for at in range(0, 32, 4)]


@dataclass(frozen=True, slots=True)
class Revisit:
    """What a page tells about its host that was seen before."""

    page: int
    """A hash of its name, which many URLs of one page share; of its URL if it has none."""
    names: int
    """How many different pages of its host were known."""
    units: bytes
    """The shapes that both visits show, each with what became of it and of its numbers."""

    def pack(self) -> bytes:
        return _REVISIT.pack(self.page, self.names) + self.units

    @classmethod
    def unpack(cls, data: bytes) -> Revisit:
        page, names = _REVISIT.unpack_from(data)
        units = data[_REVISIT.size :]
        if len(units) % _UNIT.size:
            raise ValueError(f"{len(data):,} bytes are no revisit")
        return cls(page, names, units)


def revisit_of(page: int, names: int, before: Outline | None, now: Outline) -> Revisit:
    """Return what a page tells about its host, given what its URL showed before, if it is kept."""
    units = b""
    if before:
        parts = [part for one in (before, now) for part in (one.kinds, one.boilerplate, one.lines)]
        units = core.call_parts("revisit", parts)
    return Revisit(page, names, units)


@dataclass(slots=True)
class Shape:
    """What became of the texts of one shape."""

    pages: int = 0
    """Different pages that showed it when they were revisited first."""
    seen: int = 0
    changed: int = 0
    listed: int = 0
    """How often it had nothing but the words of a date of edit or a counter."""
    risen: int = 0
    """How often its numbers were higher than all that were shown before a revisit."""
    steps: int = 0
    """How often they were higher than those of all other revisits as well."""
    bound: int = 0
    """How often one of them was what the page had shown before, but not what others show."""
    highest_before: bytes = b""
    highest: bytes = b""
    last: bytes = b""
    """The numbers of the last revisit."""

    def is_volatile(self, revisited: int, names: int) -> bool:
        """Return True if it changes by itself, given how many pages were revisited and known."""
        tells_time = self.steps >= FEWEST_STEPS and 5 * self.risen >= 4 * self.seen
        is_clock = tells_time and 5 * self.bound <= self.seen
        is_listed = self.listed == self.seen and 5 * self.changed >= 4 * self.seen
        enough = max(FEWEST_PAGES, revisited / OF_REVISITED, names / OF_KNOWN)
        return self.pages >= enough and (is_clock or is_listed)

    def count(self, before: bytes, now: bytes) -> None:
        """Count what became of its numbers, which compare as bytes."""
        if self.last:
            self.bound += any(before[at] == now[at] != self.last[at] for at in _EACH_NUMBER)
        self.last = now
        self.highest_before = max(self.highest_before, before)
        self.risen += now > self.highest_before
        self.steps += now > max(self.highest_before, self.highest)
        self.highest = max(self.highest, now)


@dataclass(slots=True)
class RevisitCounts:
    """What is counted of the revisits of a host."""

    pages: int = 0
    """Revisits that were counted."""
    names: int = 0
    """How many different pages of the host were known at the last one."""
    names_seen: set[int] = field(default_factory=set)
    """Which different pages were revisited."""
    shapes: dict[int, Shape] = field(default_factory=dict)

    def learn(self, revisit: Revisit) -> bool:
        """Count a revisit; return False if enough of them have been seen."""
        if self.pages >= LAST_PAGE:
            return False
        self.pages += 1
        self.names = revisit.names
        is_first = revisit.page not in self.names_seen
        self.names_seen.add(revisit.page)
        for key, flags, before, now in _UNIT.iter_unpack(revisit.units):
            shape = self.shapes.get(key)
            if shape is None:
                if len(self.shapes) >= MOST_COUNTED:
                    continue
                shape = self.shapes[key] = Shape()
            shape.pages += is_first
            shape.seen += 1
            shape.changed += bool(flags & _CHANGED)
            shape.listed += bool(flags & _LISTED)
            shape.count(before, now)
        return True

    def volatile(self) -> bytes:
        """Return the keys of the shapes that are volatile, ascending, eight bytes each."""
        known = len(self.names_seen), self.names
        keys = [key for key, shape in self.shapes.items() if shape.is_volatile(*known)]
        return np.array(sorted(keys), "<u8").tobytes()

    def publish(self, generation: int) -> bytes:  # noqa: ARG002  # the number of revisits tells it
        """Return what is known as of a generation; what is too much to keep is dropped."""
        kept = sorted(self.shapes.items(), key=lambda item: (-item[1].seen, item[0]))
        self.shapes = dict(kept[:MOST_SHAPES])
        return self.volatile()

    def pack(self) -> bytes:
        head = _HEAD.pack(self.pages, self.names, len(self.names_seen), len(self.shapes))
        shapes = [_SHAPE.pack(key, *astuple(one)) for key, one in sorted(self.shapes.items())]
        return head + np.array(sorted(self.names_seen), "<u8").tobytes() + b"".join(shapes)

    @classmethod
    def unpack(cls, data: bytes) -> RevisitCounts:
        pages, names, urls, shapes = _HEAD.unpack_from(data)
        (known,), at = unpack_numbers(data, "<u8", (urls,), _HEAD.size)
        if len(data) != at + shapes * _SHAPE.size:
            raise ValueError(f"{len(data):,} bytes in place of {at + shapes * _SHAPE.size:,}")
        units = {key: Shape(*counts) for key, *counts in _SHAPE.iter_unpack(data[at:])}
        return cls(pages, names, set(known.tolist()), units)
