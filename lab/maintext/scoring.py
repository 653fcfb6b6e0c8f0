"""Word-bag scores of an extracted main text against the expected one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Score:
    """How well two texts agree in their words, order aside."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score(extracted: str, expected: str) -> Score:
    """Return the agreement of an extracted text with the expected one.

    >>> score("to be or not", "to be to be")
    Score(precision=0.5, recall=0.5)
    >>> score("", "").f1
    1.0
    """
    mine, theirs = Counter(words(extracted)), Counter(words(expected))
    shared = (mine & theirs).total()
    return Score(
        shared / mine.total() if mine else float(not theirs),
        shared / theirs.total() if theirs else float(not mine),
    )


def mean(values: Iterable[float]) -> float:
    """Return the mean, 0 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
