"""Loss: what another page does not keep of a page, unit by unit, each in its place.

A unit is a sentence, an item, a cell, a heading or a line. It weighs as many words as it has, less
if it is a link, if structure marks it as boilerplate, or if many pages of its host show it.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.read import Outline

_SIDE = Struct("<6d4I")
_TOLD = Struct("<5I")


class Units(NamedTuple):
    """The units of a page, as the core compares them."""

    packed: bytes
    lines: bytes
    names: bytes = bytes(4)
    """How many different pages its host has."""
    rarity: bytes = b""
    """On how many of them a unit stands."""


class Told(NamedTuple):
    """What became of one unit: its text, and that of its partner on the other page."""

    why: str
    text: str
    partner: str


class Side(NamedTuple):
    """What the other page does not keep of a page."""

    weight: float
    lost: float
    """Of the weight."""
    moved: float
    """Of what is lost: units that the other page has in another place."""
    reworded: float
    """Weight of what the other page says in other words, beside what is lost."""
    words: float
    lost_words: float
    units: int
    facts: int
    """Units whose partners state another fact."""
    cut: bool
    """Whether there was too much to compare."""
    told: tuple[tuple[int, int, int, int, int], ...]

    @property
    def share(self) -> float:
        return self.lost / self.weight if self.weight else 0.0


class Loss(NamedTuple):
    """What two pages do not keep of one another."""

    mine: Side
    theirs: Side


WHY = ("lost", "fact", "moved", "reworded")


def units_of(outline: Outline) -> Units:
    """Return the units of a page of an unknown host."""
    lines = outline.lines
    parts = (
        outline.kinds,
        outline.packed_parents,
        outline.boilerplate,
        outline.links,
        outline.grid,
        lines,
    )
    return Units(core.call_parts("units", parts), lines)


def compare_units(page: Units, others: Sequence[Units]) -> list[Loss]:
    """Compare a page with others, unit by unit."""
    parts = [*page]
    for other in others:
        parts += other
    data = core.call_parts("compare_units", parts)
    found, at = [], 0
    for _ in others:
        sides = []
        for _side in range(2):
            sides.append(_SIDE.unpack_from(data, at))
            at += _SIDE.size
        told = []
        for side in sides:
            end = at + _TOLD.size * side[-1]
            told.append(tuple(_TOLD.iter_unpack(data[at:end])))
            at = end
        mine, theirs = (
            Side(*side[:8], bool(side[8]), one) for side, one in zip(sides, told, strict=True)
        )
        found.append(Loss(mine, theirs))
    return found


def told(side: Side, page: Units, other: Units) -> Iterable[Told]:
    """Yield what became of single units."""
    for why, start, end, begin, stop in side.told:
        yield Told(WHY[why], page.lines[start:end].decode(), other.lines[begin:stop].decode())
