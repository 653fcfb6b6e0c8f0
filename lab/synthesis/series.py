"""Series of documents made from a collection of sources, with labels."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError

from .document import URL, Generated, HeldOut, synthesize, vocabulary_of
from .truth import OverlapIndex, label_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.labels import Label

    from .document import MadeDocument, OwnText
    from .plan import SeriesPlan
    from .sources import Source
    from .truth import Overlap

_WORTH_NAMING = 0.05  # share of either document: smaller overlaps are not in the manifest


class Labelled(NamedTuple):
    """A made document with its label."""

    made: MadeDocument
    label: Label


def label_sources(sources: Sequence[Source], min_terms: int = 0) -> list[Label]:
    """Label each source by the paragraphs that it shares with those before it."""
    index = OverlapIndex()
    labels: list[Label] = []
    for source in sources:
        overlaps = index.overlaps(source.terms, source.parts)
        labels.append(label_document(source.url, source.terms, overlaps, min_terms))
        index.add(source.url, source.terms, source.parts)
    return labels


def make_series(
    sources: Sequence[Source], plan: SeriesPlan, held_out: Sequence[Source] = ()
) -> Iterator[Labelled]:
    """Yield documents that come after all sources.

    Own text comes from the pages held out, if there are any. A longer series begins with the same
    documents as a shorter one.
    """
    needed = int(plan.sources.high)
    if len(sources) < max(needed, 1):
        raise DedupError(
            f"Documents of {needed:,} sources can't be made from {len(sources):,} pages; "
            "name more pages, or ask for fewer sources"
        )
    return _series(sources, plan, held_out)


def _series(
    sources: Sequence[Source], plan: SeriesPlan, held_out: Sequence[Source]
) -> Iterator[Labelled]:
    index = OverlapIndex()
    for source in sources:
        index.add(source.url, source.terms, source.parts)
    prefix = free_prefix(sources)
    vocabulary = vocabulary_of(sources)
    own: OwnText = HeldOut(held_out) if held_out else Generated(vocabulary)
    deck = _Deck(len(sources), plan.seed)
    for number in range(1, plan.count + 1):
        rng = Random(f"{plan.seed} {number}")
        chosen = [sources[place] for place in deck.deal(plan.sources.draw_whole(rng))]
        url = f"{prefix}{plan.seed}/{number}"
        made = synthesize(chosen, plan.plan, rng, url=url, own=own, vocabulary=vocabulary)
        overlaps = index.overlaps(made.truth.terms, made.parts)
        truth = replace(made.truth, others=_others(made, overlaps))
        index.add(url, truth.terms, made.parts)
        yield Labelled(
            replace(made, truth=truth), label_document(url, truth.terms, overlaps, plan.min_terms)
        )


class _Deck:
    """The places of sources in random order; all are dealt before one is dealt again."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._rng = Random(f"{seed} sources")
        self._left: list[int] = []

    def deal(self, count: int) -> list[int]:
        hand: list[int] = []
        while len(hand) < count:
            if not self._left:
                self._left = [place for place in range(self._size) if place not in hand]
                self._rng.shuffle(self._left)
            hand.append(self._left.pop())
        return hand


def _others(made: MadeDocument, overlaps: Sequence[Overlap]) -> tuple[Overlap, ...]:
    named = {source.url for source in made.truth.sources}
    return tuple(
        overlap
        for overlap in overlaps
        if overlap.url not in named and max(overlap.of_source, overlap.of_document) >= _WORTH_NAMING
    )


def free_prefix(sources: Sequence[Source]) -> str:
    """Return a URL prefix that no source has: sources may be made documents themselves."""
    prefix, number = URL, 2
    while any(source.url.startswith(prefix) for source in sources):
        prefix, number = URL.replace(".", f"-{number}.", 1), number + 1
    return prefix
