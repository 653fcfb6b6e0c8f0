"""Right and wrong decisions about pairs, and the measures that were made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Counts:
    """How many pairs were called alike or different, rightly and wrongly.

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
        """Share of the like pairs that are called different."""
        return share(self.missed, self.found + self.missed)

    @property
    def precision(self) -> float:
        return share(self.found, self.found + self.alarms)

    @property
    def recall(self) -> float:
        return share(self.found, self.found + self.missed)

    @property
    def f1(self) -> float:
        """The standard measure: only what was found counts as right."""
        return harmonic(self.precision, self.recall)

    @property
    def printed(self) -> float:
        """Yerra's formulas as printed: different pairs that are let pass count as right, too."""
        right = self.found + self.passed
        return harmonic(share(right, right + self.alarms), share(right, right + self.missed))

    @property
    def published(self) -> float:
        """The measure that Yerra's figures come from: of 1 - FP and 1 - FN."""
        return harmonic(1 - self.false_positives, 1 - self.false_negatives)


def harmonic(one: float, other: float) -> float:
    """Take the harmonic mean; 0 where one is 0."""
    return share(2 * one * other, one + other)


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
