"""Streams of pages through a method: which pairs it scores, and what a threshold makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.methods import make_method

from .counts import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .material import Labelled

THRESHOLDS = tuple(step / 50 for step in range(1, 51))


class Score(NamedTuple):
    """A pair of documents that the method gave any score."""

    value: float
    """The share that it finds of one of them in the other, whichever is more."""
    alike: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """What came of a stream; pairs that the labels leave open are not in it."""

    pairs: tuple[Score, ...]
    alike: int
    """Pairs that are alike, scored or not."""
    documents: int

    def __add__(self, other: Scored) -> Scored:
        return Scored(
            self.pairs + other.pairs, self.alike + other.alike, self.documents + other.documents
        )

    def at(self, threshold: float) -> Counts:
        """Count what is right when pairs from the threshold on are called alike.

        >>> scored = Scored((Score(0.9, True), Score(0.8, False), Score(0.3, True)), 3, 4)
        >>> scored.at(0.5)
        Counts(found=1, alarms=1, missed=2, passed=0)
        """
        called = [pair.alike for pair in self.pairs if pair.value >= threshold]
        found = sum(called)
        return Counts(found, len(called) - found, self.alike - found)

    def best(self, thresholds: Sequence[float] = THRESHOLDS) -> float:
        """Give the threshold with the highest F1, the strictest where several have it."""
        return max(thresholds, key=lambda one: (round(self.at(one).f1, 9), one))


def score(
    labelled: Labelled, name: str, options: Mapping[str, object], limit: int | None = None
) -> Scored:
    """Send the first pages of a set through a method, each compared with those before it."""
    pairs: list[Score] = []
    alike = documents = 0
    for batch in labelled.batches:
        method = make_method(name, **options)
        known: set[str] = set()
        for document in batch[:limit]:
            label = labelled.labels.get(document.name)
            if label:
                documents += 1
                alike += len(known & label.positives.keys())
                pairs += [
                    Score(max(match.forward, match.backward), match.name in label.positives)
                    for match in method.candidates(document)
                    if match.name not in label.neutral
                ]
            method.add(document)
            known.add(document.name)
    return Scored(tuple(pairs), alike, documents)
