"""Values of a comparison: sentences, what is matched of them, matched nodes, and the two sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dedup_middleware.read import Outline

_PARTNER = Struct("<id")


class Sentence(NamedTuple):
    """A sentence of a page; headings, list items and table cells are sentences too."""

    text: str
    """As on the page."""
    node: int
    """The node of the outline that it belongs to."""
    words: tuple[str, ...]
    """Its content words, refined."""
    numbers: frozenset[str] = frozenset()
    negated: bool = False
    """Whether it has a negation, which refined words don't show."""


class Partner(NamedTuple):
    """The most similar sentence of the other page; none if `place` is -1."""

    place: int
    similarity: float


NO_PARTNER = Partner(-1, 0.0)


class Match(NamedTuple):
    """A sentence of the first page and one of the second that say the same."""

    first: int
    second: int
    similarity: float
    """1 if only stop words and endings differ, less if it was reworded."""


@dataclass(frozen=True)
class Matching:
    """For each sentence of either page, its partner in the other."""

    packed: tuple[bytes, bytes]
    """Place and similarity of the partners: few matchings are looked at in detail."""
    cut: tuple[int, int] = (0, 0)
    """How many sentences of either page were too many to be tested."""

    @classmethod
    def of(
        cls, first: Sequence[Partner], second: Sequence[Partner], cut: tuple[int, int]
    ) -> Matching:
        """Pack the partners of two pages."""
        one, other = (
            b"".join(_PARTNER.pack(*partner) for partner in side) for side in (first, second)
        )
        return cls((one, other), cut)

    @cached_property
    def first(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[0])]

    @cached_property
    def second(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[1])]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """All pairs of partners, in the order of the first page."""
        found = {(i, p.place): p.similarity for i, p in enumerate(self.first) if p.place >= 0}
        for j, partner in enumerate(self.second):
            if partner.place >= 0:
                found.setdefault((partner.place, j), partner.similarity)
        return tuple(Match(i, j, found[i, j]) for i, j in sorted(found))


class Edge(NamedTuple):
    """A node of the first page and one of the second that share sentences."""

    first: int
    second: int
    matches: int
    """How many pairs of sentences they share."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two compared pages."""

    outline: Outline
    sentences: tuple[Sentence, ...]
    """Those of the main text, in reading order."""
    shading: Mapping[int, float]
    """For each node with sentences, the share of them that the other page has too."""
    cut: int = 0
    """How many sentences were left out because there were too many."""
