"""The thresholds that are tried, and what a score is called at each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.detectors import Detector, Match
from dedup_middleware.detectors.cascade import Cascade

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


@dataclass(frozen=True, slots=True)
class Points:
    """Thresholds for a method, ascending, its own among them."""

    detector: Detector
    thresholds: tuple[float, ...]
    default: int
    """The place of its own threshold."""

    def kinds(self, forward: Values, backward: Values) -> Kinds:
        """Name the relation for each score (a row) at each threshold (a column)."""
        near = np.array(self.thresholds)
        inside = np.minimum(1.0, near + self._apart)
        if type(self.detector).kind not in {Detector.kind, Cascade.kind}:
            return _asked(self.detector, self.thresholds, forward, backward)
        first, second = forward[:, None], backward[:, None]
        found = np.where(second >= inside, np.int8(CONTAINS), np.int8(NONE))
        found[first >= inside] = CONTAINED
        found[np.minimum(first, second) >= near] = NEAR
        return found

    @property
    def _apart(self) -> float:
        """How much more of a contained page must be known than of a near one."""
        made = self.detector
        return made.contained - made.threshold if isinstance(made, Cascade) else 0.0


def points_of(made: Detector) -> Points:
    """Choose the thresholds that are tried for a method.

    >>> from dedup_middleware.detectors import detector
    >>> points = points_of(detector("shingles"))
    >>> len(points.thresholds), points.thresholds[points.default]
    (191, 0.5)
    """
    least = LEAST_CASCADE if isinstance(made, Cascade) else LEAST
    steps = {round(least + _STEP * step, 4) for step in range(round((1 - least) / _STEP) + 1)}
    thresholds = tuple(sorted(steps | {made.threshold}))
    return Points(made, thresholds, thresholds.index(made.threshold))


def _asked(made: Detector, thresholds: Sequence[float], forward: Values, backward: Values) -> Kinds:
    """Ask the method itself, which has rules of its own; a higher threshold never finds more."""
    strict = [replace(made, threshold=threshold) for threshold in thresholds]
    found = np.zeros((len(forward), len(strict)), np.int8)
    for row, scores in enumerate(zip(forward.tolist(), backward.tolist(), strict=True)):
        match = Match("", *scores)
        for place, one in enumerate(strict):
            kind = one.kind(match)
            if kind is None:
                break
            found[row, place] = _number(kind)
    return found


def _number(kind: Kind) -> int:
    return KINDS.index(str(kind))
