"""A series of documents made from a pool of sources, each with the truth about all before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError

from .make import URL, Generated, HeldOut, synthesize, vocabulary_of
from .plan import Plan, Range
from .truth import Index, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .make import Made, OwnText
    from .sources import Source
    from .truth import Label, Overlap

_WORTH_NAMING = 0.05  # of either document: an overlap that the manifest tells
_FEW_SOURCES = Range(1, 3)
_ANY = Plan()


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted: so many documents, made so."""

    count: int = 100
    sources: Range = _FEW_SOURCES
    """How many each document is made of."""
    plan: Plan = _ANY
    seed: int = 1
    min_terms: int = 0
    """The label of a document with fewer terms is left open."""


class Labelled(NamedTuple):
    """A made document with its label."""

    made: Made
    label: Label


def label_sources(sources: Sequence[Source], min_terms: int = 0) -> list[Label]:
    """Label the sources: each beside those before it, by the paragraphs that they share."""
    index = Index()
    labels: list[Label] = []
    for source in sources:
        overlaps = index.overlaps(source.terms, source.parts)
        labels.append(label(source.url, source.terms, overlaps, min_terms))
        index.add(source.url, source.terms, source.parts)
    return labels


def make_series(
    sources: Sequence[Source], order: Order, held_out: Sequence[Source] = ()
) -> Iterator[Labelled]:
    """Make documents that arrive one after the other, behind all sources.

    Own text comes from the pages held out, if there are any. A longer series begins with the same
    documents as a shorter one.
    """
    needed = int(order.sources.high)
    if len(sources) < max(needed, 1):
        raise DedupError(
            f"Documents of {needed:,} sources can't be made from {len(sources):,} pages; "
            "name more pages, or ask for fewer sources"
        )
    return _series(sources, order, held_out)


def _series(
    sources: Sequence[Source], order: Order, held_out: Sequence[Source]
) -> Iterator[Labelled]:
    index = Index()
    for source in sources:
        index.add(source.url, source.terms, source.parts)
    prefix = _free_prefix(sources)
    vocabulary = vocabulary_of(sources)
    own: OwnText = HeldOut(held_out) if held_out else Generated(vocabulary)
    deck = _Deck(len(sources), order.seed)
    for number in range(1, order.count + 1):
        rng = Random(f"{order.seed} {number}")  # noqa: S311 - to be repeated, not to be secret
        chosen = [sources[place] for place in deck.deal(order.sources.draw_whole(rng))]
        url = f"{prefix}{order.seed}/{number}"
        made = synthesize(chosen, order.plan, rng, url=url, own=own, vocabulary=vocabulary)
        overlaps = index.overlaps(made.truth.terms, made.parts)
        truth = replace(made.truth, others=_others(made, overlaps))
        index.add(url, truth.terms, made.parts)
        yield Labelled(
            replace(made, truth=truth), label(url, truth.terms, overlaps, order.min_terms)
        )


class _Deck:
    """Sources in random order; none comes again before all others have come."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._rng = Random(f"{seed} sources")  # noqa: S311 - to be repeated, not to be secret
        self._left: list[int] = []

    def deal(self, count: int) -> list[int]:
        hand: list[int] = []
        while len(hand) < count:
            if not self._left:
                self._left = [place for place in range(self._size) if place not in hand]
                self._rng.shuffle(self._left)
            hand.append(self._left.pop())
        return hand


def _others(made: Made, overlaps: Sequence[Overlap]) -> tuple[Overlap, ...]:
    named = {source.url for source in made.truth.sources}
    return tuple(
        overlap
        for overlap in overlaps
        if overlap.url not in named and max(overlap.of_source, overlap.of_document) >= _WORTH_NAMING
    )


def _free_prefix(sources: Sequence[Source]) -> str:
    """Find where no source stands: it may have been made like this itself."""
    prefix, more = URL, 2
    while any(source.url.startswith(prefix) for source in sources):
        prefix, more = URL.replace(".", f"-{more}.", 1), more + 1
    return prefix
