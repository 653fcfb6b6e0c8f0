"""Sentence similarities against labels: ranking, and figures at the shipped threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.read.words import words
from dedup_middleware.similarity.matching import TESTS, SentenceTest, match, similarity
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.sentences import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

THRESHOLDS = {name: SentenceTest(name).lowest for name in TESTS} | {"fourgrams": 1.0}
"""From where on two sentences count as the same; 4-grams are equal or not."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How well a test does on the pairs of a set."""

    pairs: int
    positives: int
    auc: float
    precision: float
    recall: float
    accuracy: float

    @property
    def f1(self) -> float:
        return _share(2 * self.precision * self.recall, self.precision + self.recall)


def compare(first: str, second: str, test: SentenceTest) -> float:
    """Return how similar two sentences are, from 0 to 1.

    >>> compare("The tide came in.", "The tides are coming in.", SentenceTest())
    0.5
    """
    language = language_of("", [*words(first), *words(second)])
    one, other = (
        sentence_of(text, language, numbers=not test.is_published, joined=test.is_published)
        for text in (first, second)
    )
    if test.name == "fourgrams":
        comparable = one.words and other.words
        return float(bool(comparable and match([one], [other], test).first[0].place >= 0))
    return similarity(one, other, test)


def figures(similarities: Sequence[float], labels: Sequence[int], threshold: float) -> Figures:
    """Return the figures when pairs from the threshold on are called the same."""
    same = np.array(labels, bool)
    called = np.array(similarities) >= threshold
    right = int((called & same).sum())
    return Figures(
        pairs=len(same),
        positives=int(same.sum()),
        auc=area_under_curve(similarities, labels),
        precision=_share(right, int(called.sum())),
        recall=_share(right, int(same.sum())),
        accuracy=_share(int((called == same).sum()), len(same)),
    )


def area_under_curve(similarities: Sequence[float], labels: Sequence[int]) -> float:
    """Return the chance that a pair that is the same scores higher than one that is not.

    Ties count half. Ranks are counted from the bottom; equal values share their mean rank.

    >>> area_under_curve([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0])
    0.875
    """
    same = np.array(labels, bool)
    positives, negatives = int(same.sum()), int((~same).sum())
    if not positives or not negatives:
        return 0.5
    _, places, counts = np.unique(similarities, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    above = float(ranks[same].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
