"""Decisions about pairs of documents: counts, the measures made of them, and streams of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.methods import make_method
from dedup_middleware.methods._index import WeightedMethod

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dedup_middleware.methods import Document

    from .material import Labelled

THRESHOLDS = tuple(step / 50 for step in range(1, 51))


@dataclass(frozen=True, slots=True)
class Counts:
    """How many pairs were called alike or different, correctly and wrongly.

    Group 1 of Yerra's Tables 4.7 and 4.8, 100 similar and 940 dissimilar pairs:

    >>> group = Counts(found=87, alarms=28, missed=13, passed=912)
    >>> round(group.false_positives, 2), round(group.false_negatives, 2)
    (0.03, 0.13)
    >>> round(group.printed, 2), round(group.published, 2), round(group.f1, 2)
    (0.98, 0.92, 0.81)
    """

    found: int = 0
    alarms: int = 0
    missed: int = 0
    passed: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Counts:
        """Count pairs, each given as whether it is called alike and whether it is."""
        tally = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
        for called, alike in pairs:
            tally[bool(called), bool(alike)] += 1
        return cls(*tally.values())

    @property
    def total(self) -> int:
        return self.found + self.alarms + self.missed + self.passed

    @property
    def false_positives(self) -> float:
        """Share of the different pairs that are called alike."""
        return share(self.alarms, self.alarms + self.passed)

    @property
    def false_negatives(self) -> float:
        """Share of the alike pairs that are called different."""
        return share(self.missed, self.found + self.missed)

    @property
    def precision(self) -> float:
        return share(self.found, self.found + self.alarms)

    @property
    def recall(self) -> float:
        return share(self.found, self.found + self.missed)

    @property
    def f1(self) -> float:
        """The standard measure: only what was found counts as correct."""
        return harmonic(self.precision, self.recall)

    @property
    def printed(self) -> float:
        """Yerra's formulas as printed: different pairs that pass count as correct, too."""
        right = self.found + self.passed
        return harmonic(share(right, right + self.alarms), share(right, right + self.missed))

    @property
    def published(self) -> float:
        """The measure that Yerra's figures come from: the harmonic mean of 1 - FP and 1 - FN."""
        return harmonic(1 - self.false_positives, 1 - self.false_negatives)


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean; 0 if one is 0."""
    return share(2 * one * other, one + other)


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class ScoredPair(NamedTuple):
    """A pair of documents that the method gave any score."""

    value: float
    """The share that it finds of one of them in the other, whichever is more."""
    alike: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """The scored pairs of a stream, without those that the labels leave open."""

    pairs: tuple[ScoredPair, ...]
    alike: int
    """Pairs that are alike, scored or not."""
    documents: int

    def __add__(self, other: Scored) -> Scored:
        return Scored(
            self.pairs + other.pairs, self.alike + other.alike, self.documents + other.documents
        )

    def at(self, threshold: float) -> Counts:
        """Count right and wrong decisions if pairs from the threshold on are called alike.

        >>> pairs = ScoredPair(0.9, True), ScoredPair(0.8, False), ScoredPair(0.3, True)
        >>> scored = Scored(pairs, alike=3, documents=4)
        >>> scored.at(0.5)
        Counts(found=1, alarms=1, missed=2, passed=0)
        """
        called = [pair.alike for pair in self.pairs if pair.value >= threshold]
        found = sum(called)
        return Counts(found, len(called) - found, self.alike - found)

    def best(self, thresholds: Sequence[float] = THRESHOLDS) -> float:
        """Return the threshold with the highest F1, the strictest if several have it."""
        return max(thresholds, key=lambda one: (round(self.at(one).f1, 9), one))


def score(
    labelled: Labelled,
    name: str,
    options: Mapping[str, object],
    limit: int | None = None,
    reference: Sequence[Document] = (),
) -> Scored:
    """Score the first pages of a set with a method, each against those before it.

    A method that weighs words takes idf from the reference collection, if there is one.
    """
    pairs: list[ScoredPair] = []
    alike = documents = 0
    for batch in labelled.batches:
        method = make_method(name, **options)
        if reference and isinstance(method, WeightedMethod):
            method.refer_to(reference)
        known: set[str] = set()
        for document in batch[:limit]:
            label = labelled.labels.get(document.name)
            if label:
                documents += 1
                alike += len(known & label.positives.keys())
                pairs += [
                    ScoredPair(max(match.forward, match.backward), match.name in label.positives)
                    for match in method.candidates(document)
                    if match.name not in label.neutral
                ]
            method.add(document)
            known.add(document.name)
    return Scored(tuple(pairs), alike, documents)
