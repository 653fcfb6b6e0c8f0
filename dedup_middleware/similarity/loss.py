"""Loss: what another page does not keep of a page, unit by unit, each in its place.

A unit is a sentence, an item, a cell, a heading or a line. It weighs as many words as it has, less
if it is a link, if structure marks it as boilerplate, or if many pages of its host show it.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dedup_middleware.read import Outline

# weights: all, lost, moved, reworded; words: all, lost; whole; plain: all, lost; new; then units,
# facts, others, code, cut, told
_SIDE = Struct("<10d6I")
_TOLD = Struct("<5I")


class Units(NamedTuple):
    """The units of a page, as the core compares them."""

    packed: bytes
    lines: bytes
    names: bytes = bytes(4)
    """How many different pages its host has shown."""
    rarity: bytes = b""
    """On how many of them a unit stands."""


class Side(NamedTuple):
    """What the other page does not keep of a page."""

    weight: float
    """The weight of all its units."""
    lost: float
    """The part of the weight that the other page does not say, or says in another place."""
    moved: float
    """The part of what is lost that the other page has in another place."""
    reworded: float
    """The part of the weight that is not lost, but said in other words."""
    words: float
    """The words of all units that structure does not mark as boilerplate."""
    lost_words: float
    whole: float
    """Weight of all text that is not kept unit by unit, but for links and what heads the page."""
    plain: float
    plain_lost: float
    """Words by rarity alone, links and boilerplate included: all of them, and those lost."""
    new: float
    """Weight of text that has no partner on the other page, or another place there."""
    units: int
    """How many units are lost."""
    facts: int
    """Units whose partners state another fact."""
    others: int
    """How many of these state another number or address, or deny the fact."""
    code: int
    """Units of code that differ at all."""
    cut: bool
    """Whether there was too much to compare."""
    told: tuple[tuple[int, int, int, int, int], ...]
    """What became of the heaviest units: why, and where they and their partners stand."""

    @property
    def share(self) -> float:
        """The share of the page that is lost."""
        return self.lost / self.weight if self.weight else 0.0

    @property
    def changed(self) -> float:
        """The share of the page that is lost or said in other words."""
        return (self.lost + self.reworded) / self.weight if self.weight else 0.0


class Loss(NamedTuple):
    """What two pages do not keep of one another."""

    mine: Side
    theirs: Side


class Told(NamedTuple):
    """What became of one unit: its text, and that of its partner on the other page."""

    why: str
    text: str
    partner: str


WHY = ("lost", "fact", "moved", "reworded", "fact")


def units_of(outline: Outline) -> Units:
    """Return the units of a page of an unknown host."""
    lines = outline.lines
    columns = outline.kinds, outline.packed_parents, outline.boilerplate
    parts = (*columns, outline.links, outline.grid, lines)
    return Units(core.call_parts("units", parts), lines)


def compare_units(page: Units, others: Sequence[Units]) -> list[Loss]:
    """Compare a page with others, unit by unit."""
    parts: list[bytes] = [*page]
    for other in others:
        parts += other
    data = core.call_parts("compare_units", parts)
    found, at = [], 0
    for _ in others:
        one = _SIDE.unpack_from(data, at)
        other_side = _SIDE.unpack_from(data, at := at + _SIDE.size)
        at += _SIDE.size
        middle = at + _TOLD.size * one[-1]
        end = middle + _TOLD.size * other_side[-1]
        told = data[at:middle], data[middle:end]
        at = end
        found.append(Loss(_side(one, told[0]), _side(other_side, told[1])))
    return found


def _side(numbers: tuple[float, ...], told: bytes) -> Side:
    *weights, units, facts, others, code, cut, _ = numbers
    counts = map(int, (units, facts, others, code))
    return Side._make((*weights, *counts, bool(cut), tuple(_TOLD.iter_unpack(told))))


def told(side: Side, page: Units, other: Units) -> Iterator[Told]:
    """Yield what became of the heaviest units of a page, in its order of weight."""
    for why, start, end, begin, stop in side.told:
        yield Told(WHY[why], page.lines[start:end].decode(), other.lines[begin:stop].decode())
