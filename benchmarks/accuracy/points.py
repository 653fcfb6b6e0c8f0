"""The thresholds that are tried, and what a score is called at each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.methods import Match, Method
from dedup_middleware.methods.cascade import Cascade

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dedup_middleware.verdict import Kind

    Values = NDArray[np.float64]
    Kinds = NDArray[np.int8]

NONE, EXACT, NEAR, CONTAINED, CONTAINS = range(5)
KINDS = ("unique", "exact", "near", "contained", "contains")
LEAST = 0.05
"""Scores below it are forgotten, so no lower threshold is tried."""
_STEP = 0.005
LEAST_CASCADE = 0.5
"""The cascade compares deeply what may match at its thresholds: none below it is tried."""


@dataclass(frozen=True)
class Points:
    """Thresholds for a method, ascending, its own among them."""

    method: Method
    thresholds: tuple[float, ...]
    default: int
    """The place of its own threshold."""

    def kinds(self, forward: Values, backward: Values) -> Kinds:
        """Name the relation for each score (a row) at each threshold (a column)."""
        if type(self.method).kind not in {Method.kind, Cascade.kind}:
            return _asked(self._strict, forward, backward)
        near = np.array(self.thresholds)
        inside = np.minimum(1.0, near + self._apart)
        first, second = forward[:, None], backward[:, None]
        found = np.where(second >= inside, np.int8(CONTAINS), np.int8(NONE))
        found[first >= inside] = CONTAINED
        found[np.minimum(first, second) >= near] = NEAR
        return found

    @cached_property
    def _strict(self) -> list[Method]:
        """The method at each threshold."""
        return [replace(self.method, threshold=threshold) for threshold in self.thresholds]

    @property
    def _apart(self) -> float:
        """How much more of a contained page must be known than of a near one."""
        made = self.method
        return made.contained - made.threshold if isinstance(made, Cascade) else 0.0


def points_of(made: Method) -> Points:
    """Choose the thresholds that are tried for a method.

    >>> from dedup_middleware.methods import make_method
    >>> points = points_of(make_method("shingles"))
    >>> len(points.thresholds), points.thresholds[points.default]
    (191, 0.5)
    """
    least = LEAST_CASCADE if isinstance(made, Cascade) else LEAST
    steps = {round(least + _STEP * step, 4) for step in range(round((1 - least) / _STEP) + 1)}
    thresholds = tuple(sorted(steps | {made.threshold}))
    return Points(made, thresholds, thresholds.index(made.threshold))


def _asked(strict: Sequence[Method], forward: Values, backward: Values) -> Kinds:
    """Ask the method itself, which has rules of its own.

    As the threshold grows, what is near becomes less than that and then nothing, never more: where
    it is called the same at two thresholds, so it is between them.
    """
    found = np.zeros((len(forward), len(strict)), np.int8)
    for row, scores in zip(
        found, zip(forward.tolist(), backward.tolist(), strict=True), strict=True
    ):
        match = Match("", *scores)
        row[0], row[-1] = (_number(strict[place].kind(match)) for place in (0, -1))
        open_ = [(0, len(strict) - 1)]
        while open_:
            low, high = open_.pop()
            if row[low] == row[high]:
                row[low:high] = row[low]
            elif high - low > 1:
                middle = (low + high) // 2
                row[middle] = _number(strict[middle].kind(match))
                open_ += (low, middle), (middle, high)
    return found


def _number(kind: Kind | None) -> int:
    return KINDS.index(str(kind)) if kind else NONE
