"""Verdicts against labels: finds, misses, false alarms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

KEPT = frozenset({"unique", "updated"})
"""Kinds that claim no likeness; all others are an alarm."""
PASSED = KEPT | {"contains"}
"""Kinds by which no page is lost; all others drop the page."""


@dataclass(frozen=True, slots=True)
class Label:
    """What is known about a page: which earlier pages make it redundant."""

    url: str
    gold: str
    positives: Mapping[str, Collection[str]]
    """Earlier pages that are like it, and the kinds that are right for each."""
    neutral: Collection[str] = ()
    """Earlier pages about which the labels say nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the deduplicator said about a page."""

    kind: str
    original: str | None = None
    scores: Mapping[str, Any] = field(default_factory=dict)
    closest: str | None = None

    @property
    def alarm(self) -> bool:
        return self.kind not in KEPT


NOTHING = Said("unique")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A verdict that the labels contradict."""

    what: str
    label: Label
    said: Said


@dataclass(slots=True)
class Score:
    """Counts over a set, and the figures that follow from them."""

    positives: int = 0
    negatives: int = 0
    finds: int = 0
    wrong_originals: int = 0
    alarms: int = 0
    """Negatives that were called like another page."""
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


def score(labels: Iterable[Label], said: Mapping[str, Said]) -> Score:
    """Compare what was said with the labels; a page of which nothing was said was let through.

    A find must name a right original, or one that the labels leave open; with a wrong one it is
    both a miss and a false alarm. Pages that the labels leave open do not count.
    """
    total = Score()
    for label in labels:
        verdict = said.get(label.url, NOTHING)
        if label.gold == "positive":
            _positive(total, label, verdict)
        elif label.gold == "negative":
            _negative(total, label, verdict)
    return total


def _positive(total: Score, label: Label, said: Said) -> None:
    total.positives += 1
    if not said.alarm:
        total.mistakes.append(Mistake("missed", label, said))
    elif said.original is not None and said.original in label.positives:
        total.finds += 1
        total.kinds += 1
        total.right_kinds += said.kind in label.positives[said.original]
    elif said.original in label.neutral:
        total.finds += 1
    else:
        total.wrong_originals += 1
        total.mistakes.append(Mistake("wrong original", label, said))


def _negative(total: Score, label: Label, said: Said) -> None:
    total.negatives += 1
    if not said.alarm:
        return
    total.alarms += 1
    dropped = said.kind not in PASSED
    total.drops += dropped
    total.mistakes.append(Mistake("false drop" if dropped else "false alarm", label, said))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
