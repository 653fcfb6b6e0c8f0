"""Verdicts scored against labels: finds, misses, false alarms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Values = NDArray[np.float64]

KEPT = frozenset({"unique", "updated"})
"""Kinds that claim no similarity; all others are an alarm."""
PASSED = KEPT | {"contains"}
"""Kinds that pass; all others drop the page."""
COUNTS = ("finds", "wrong_originals", "alarms", "drops", "kinds", "right_kinds")
"""What a `Score` counts besides positives and negatives."""


@dataclass(frozen=True, slots=True)
class Label:
    """What people say about a page: which earlier pages make it redundant."""

    url: str
    gold: str
    positives: Mapping[str, Collection[str]]
    """Earlier pages that it duplicates, and the kinds that are right for each."""
    neutral: Collection[str] = ()
    """Earlier pages about which the label says nothing."""
    group: str = ""
    """What kind of page it is, for figures by group."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of a method on a page."""

    kind: str
    original: str | None = None
    scores: Mapping[str, Any] = field(default_factory=dict)
    closest: str | None = None
    action: str = ""
    """What is done with the page; a method that has no actions drops what is redundant."""
    reason: str = ""

    @property
    def alarm(self) -> bool:
        return self.kind not in KEPT

    @property
    def dropped(self) -> bool:
        return self.action == "drop" if self.action else self.kind not in PASSED


UNIQUE = Judgement("unique")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A verdict that the labels contradict."""

    what: str
    label: Label
    judgement: Judgement


@dataclass(slots=True)
class Score:
    """Counts over a set, and the figures that follow from them."""

    positives: int = 0
    negatives: int = 0
    finds: int = 0
    wrong_originals: int = 0
    alarms: int = 0
    """Negatives that were called similar to another page."""
    drops: int = 0
    """Negatives that would be lost."""
    kinds: int = 0
    """Finds whose right kinds are known."""
    right_kinds: int = 0
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return _share(self.finds, self.finds + self.alarms + self.wrong_originals)

    @property
    def recall(self) -> float:
        return _share(self.finds, self.positives)

    @property
    def f1(self) -> float:
        return _share(2 * self.precision * self.recall, self.precision + self.recall)

    @property
    def right_kind_share(self) -> float:
        return _share(self.right_kinds, self.kinds)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of a set at each of many thresholds, and the figures that follow from them."""

    positives: int
    negatives: int
    finds: Numbers
    wrong_originals: Numbers
    alarms: Numbers
    drops: Numbers
    kinds: Numbers
    right_kinds: Numbers

    @property
    def precision(self) -> Values:
        return _shares(self.finds, self.finds + self.alarms + self.wrong_originals)

    @property
    def recall(self) -> Values:
        return _shares(self.finds, np.full_like(self.finds, self.positives))

    @property
    def f1(self) -> Values:
        wrong = self.alarms + self.wrong_originals
        return _shares(2 * self.finds, self.finds + wrong + self.positives)

    @classmethod
    def of(cls, score: Score) -> Figures:
        """Return the figures of one threshold."""
        counts = {name: np.array([getattr(score, name)], np.int64) for name in COUNTS}
        return cls(score.positives, score.negatives, **counts)

    def at(self, place: int) -> Score:
        """Return the counts at one threshold."""
        counts: dict[str, Any] = {name: int(getattr(self, name)[place]) for name in COUNTS}
        return Score(self.positives, self.negatives, **counts)


def score(labels: Iterable[Label], verdicts: Mapping[str, Judgement]) -> Score:
    """Compare verdicts by URL with the labels; a page without a verdict has passed.

    A find must name a right original, or one that the labels leave open; with a wrong one it is
    both a miss and a false alarm. Pages that the labels leave open do not count.
    """
    total = Score()
    for label in labels:
        judgement = verdicts.get(label.url, UNIQUE)
        if label.gold == "positive":
            _positive(total, label, judgement)
        elif label.gold == "negative":
            _negative(total, label, judgement)
    return total


def _positive(total: Score, label: Label, judgement: Judgement) -> None:
    total.positives += 1
    if not judgement.alarm:
        total.mistakes.append(Mistake("missed", label, judgement))
    elif judgement.original is not None and judgement.original in label.positives:
        total.finds += 1
        total.kinds += 1
        total.right_kinds += judgement.kind in label.positives[judgement.original]
    elif judgement.original in label.neutral:
        total.finds += 1
    else:
        total.wrong_originals += 1
        total.mistakes.append(Mistake("wrong original", label, judgement))


def _negative(total: Score, label: Label, judgement: Judgement) -> None:
    total.negatives += 1
    if not judgement.alarm:
        return
    total.alarms += 1
    total.drops += judgement.dropped
    what = "false drop" if judgement.dropped else "false alarm"
    total.mistakes.append(Mistake(what, label, judgement))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shares(part: Numbers, whole: Numbers) -> Values:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
