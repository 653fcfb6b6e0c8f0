"""The thresholds that are tried, and the verdicts of a store at each of them, simulated.

A page that is judged redundant is not registered and never an original, unless it is a small part
of a long page; the best original wins by (score, earliest page), pages of which this one is a small
part only if there are no others; equal pages come before all else. So does `Deduplicator`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.methods import Match, Method
from dedup_middleware.methods.cascade import Cascade
from dedup_middleware.settings import Settings

from .scoring import UNIQUE, Figures, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.verdict import Kind

    from .scoring import Label, Numbers, Values

    Kinds = NDArray[np.int8]
    Flags = NDArray[np.bool_]

NONE, EXACT, NEAR, CONTAINED, CONTAINS = range(5)
KINDS = ("unique", "exact", "near", "contained", "contains")
LEAST = 0.05
"""Lower scores are not kept, so no lower threshold is tried."""
_STEP = 0.005
LEAST_CASCADE = 0.5
"""The cascade compares deeply what may match at its thresholds: no lower one is tried."""


@dataclass(frozen=True)
class Thresholds:
    """Thresholds for a method, its own among them."""

    method: Method
    values: tuple[float, ...]
    """Ascending."""
    default: int
    """The place of the method's own threshold."""

    def kinds(self, forward: Values, backward: Values) -> Kinds:
        """Return the kind for each score (a row) at each threshold (a column)."""
        if type(self.method).kind not in {Method.kind, Cascade.kind}:
            return _kinds_by_method(self._methods, forward, backward)
        near = np.array(self.values)
        inside = np.minimum(1.0, near + self._contained_above)
        first, second = forward[:, None], backward[:, None]
        found = np.where(second >= inside, np.int8(CONTAINS), np.int8(NONE))
        found[first >= inside] = CONTAINED
        found[np.minimum(first, second) >= near] = NEAR
        return found

    @cached_property
    def _methods(self) -> list[Method]:
        """The method at each threshold."""
        return [replace(self.method, threshold=threshold) for threshold in self.values]

    @property
    def _contained_above(self) -> float:
        """How far the threshold of contained pages lies above that of near ones."""
        made = self.method
        return made.contained - made.threshold if isinstance(made, Cascade) else 0.0


def thresholds_of(made: Method) -> Thresholds:
    """Choose the thresholds that are tried for a method.

    >>> from dedup_middleware.methods import make_method
    >>> thresholds = thresholds_of(make_method("shingles"))
    >>> len(thresholds.values), thresholds.values[thresholds.default]
    (191, 0.5)
    """
    least = LEAST_CASCADE if isinstance(made, Cascade) else LEAST
    steps = {round(least + _STEP * step, 4) for step in range(round((1 - least) / _STEP) + 1)}
    values = tuple(sorted(steps | {made.threshold}))
    return Thresholds(made, values, values.index(made.threshold))


def _kinds_by_method(methods: Sequence[Method], forward: Values, backward: Values) -> Kinds:
    """Let a method with rules of its own decide.

    As the threshold grows, a near page becomes contained or less, never more: a kind that holds at
    two thresholds holds between them.
    """
    found = np.zeros((len(forward), len(methods)), np.int8)
    for row, scores in zip(
        found, zip(forward.tolist(), backward.tolist(), strict=True), strict=True
    ):
        match = Match("", *scores)
        row[0], row[-1] = (_number(methods[place].kind(match)) for place in (0, -1))
        open_ = [(0, len(methods) - 1)]
        while open_:
            low, high = open_.pop()
            if row[low] == row[high]:
                row[low:high] = row[low]
            elif high - low > 1:
                middle = (low + high) // 2
                row[middle] = _number(methods[middle].kind(match))
                open_ += (low, middle), (middle, high)
    return found


def _number(kind: Kind | None) -> int:
    return KINDS.index(str(kind)) if kind else NONE


class Found(NamedTuple):
    """The earlier pages that a page is similar to."""

    earlier: Sequence[int]
    """Earlier pages by number, ascending."""
    score: Values
    """A row for each of them; a column a threshold, or one for all."""
    kinds: Kinds
    """A row for each of them; a column a threshold."""


class Simulation:
    """A store at each of some thresholds."""

    def __init__(self, points: int) -> None:
        self._points = points
        self._urls: list[str] = []
        self._words: list[int] = []
        self._ratio = Settings().contained_ratio
        self._originals = np.zeros((64, points), bool)
        self._verdicts: dict[str, tuple[Kinds, Numbers]] = {}

    def judge(self, url: str, words: int, equal: Sequence[int], found: Found | None) -> None:
        """Judge the next page, which equals some earlier ones and is similar to others."""
        number = len(self._urls)
        self._urls.append(url)
        self._words.append(words)
        if number == len(self._originals):
            self._originals = np.concatenate([self._originals, np.zeros_like(self._originals)])
        kind = np.zeros(self._points, np.int8)
        original = np.zeros(self._points, np.int64)
        passes = np.zeros(self._points, bool)
        if found and len(found.earlier):
            kind, original, passes = self._chosen(found)
        for earlier in reversed(equal):  # so that the earliest wins
            there = self._originals[earlier]
            kind[there], original[there], passes[there] = EXACT, earlier, False
        self._originals[number] = (kind == NONE) | (kind == CONTAINS) | passes
        self._verdicts[url] = kind, original

    def verdicts(self, point: int) -> dict[str, Judgement]:
        """Return the verdicts at a threshold, by URL."""
        return {
            url: Judgement(KINDS[kind[point]], self._urls[original[point]])
            if kind[point]
            else UNIQUE
            for url, (kind, original) in self._verdicts.items()
        }

    def figures(self, labels: Iterable[Label]) -> Figures:
        """Score the verdicts at all thresholds, as `score` does at one."""
        positives = negatives = 0
        finds, wrong, alarms, drops, kinds, right = np.zeros((6, self._points), np.int64)
        nothing = np.zeros(self._points, np.int8), np.zeros(self._points, np.int64)
        for label in labels:
            kind, original = self._verdicts.get(label.url, nothing)
            alarm = kind != NONE
            if label.gold == "positive":
                positives += 1
                listed, neutral, fitting = self._checked(label, kind, original)
                finds += alarm & (listed | neutral)
                wrong += alarm & ~(listed | neutral)
                kinds += alarm & listed
                right += alarm & fitting
            elif label.gold == "negative":
                negatives += 1
                alarms += alarm
                drops += alarm & (kind != CONTAINS)
        return Figures(positives, negatives, finds, wrong, alarms, drops, kinds, right)

    def _chosen(self, found: Found) -> tuple[Kinds, Numbers, Flags]:
        """Choose the best original for each threshold, or the best page that this one contains.

        Return also where the page passes although another contains it.
        """
        kinds = np.where(self._originals[found.earlier], found.kinds, np.int8(NONE))
        around = np.array([self._words[earlier] for earlier in found.earlier])
        longer = around[:, None] / max(self._words[-1], 1) > self._ratio
        small = (kinds == CONTAINED) & longer
        redundant, contains = (kinds == NEAR) | (kinds == CONTAINED), kinds == CONTAINS
        redundant &= ~small | ~(redundant & ~small).any(axis=0)
        best = np.where(redundant, found.score, -1.0).argmax(axis=0)
        swallowed = np.where(contains, found.score, -1.0).argmax(axis=0)
        row, columns = np.where(redundant.any(axis=0), best, swallowed), np.arange(self._points)
        original = np.array(found.earlier, np.int64)[row]
        return kinds[row, columns], original, small[row, columns]

    def _checked(self, label: Label, kind: Kinds, original: Numbers) -> tuple[Flags, Flags, Flags]:
        """Return where the original is listed, left open, and listed with this kind."""
        listed, neutral, fitting = np.zeros((3, self._points), bool)
        for number in np.unique(original).tolist():
            url, here = self._urls[number], original == number
            if url in label.positives:
                listed |= here
                right = [KINDS.index(name) for name in label.positives[url] if name in KINDS]
                fitting |= here & np.isin(kind, right)
            elif url in label.neutral:
                neutral |= here
        return listed, neutral, fitting
