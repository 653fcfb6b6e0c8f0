"""The best threshold under a limit of false drops: for a set, and one for all sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .measured import Measured
    from .scoring import Score

LIMIT = 0.01


@dataclass(frozen=True, slots=True)
class Choice:
    """A threshold, and what it gives."""

    threshold: float
    score: Score


def allowed(negatives: int, limit: float) -> int:
    """Tell how many negatives of a set may be dropped.

    >>> allowed(384, 0.01), allowed(46, 0.01), allowed(100, 0.29)
    (3, 0, 29)
    """
    return int(negatives * limit + 1e-9)


def within(score: Score, limit: float) -> bool:
    """Tell whether no more is dropped than may be."""
    return score.drops <= allowed(score.negatives, limit)


def best(measured: Measured, limit: float) -> Choice | None:
    """Choose the threshold of highest F1, of equal ones that which drops least, then the strictest.

    None if all thresholds drop too much.
    """
    figures = measured.figures
    open_ = np.flatnonzero(figures.drops <= allowed(figures.negatives, limit))
    if not len(open_):
        return None
    order = np.lexsort((open_, -figures.drops[open_], figures.f1[open_]))
    return _choice(measured, int(open_[order[-1]]))


def best_for_all(measured: Sequence[Measured], limit: float) -> Mapping[str, Choice] | None:
    """Choose one threshold for several sets: that of the highest mean of F1, each within its limit.

    Sets without positives have a say by their limit only.
    """
    fits = [one.figures.drops <= allowed(one.figures.negatives, limit) for one in measured]
    open_ = np.flatnonzero(np.all(fits, axis=0))
    if not len(open_):
        return None
    means = mean_f1(measured)[open_]
    drops = np.sum([one.figures.drops for one in measured], axis=0)[open_]
    place = int(open_[np.lexsort((open_, -drops, means))[-1]])
    return {one.set: _choice(one, place) for one in measured}


def mean_f1(measured: Sequence[Measured]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Average F1 over the sets that have positives, at each threshold."""
    figures = [one.figures.f1 for one in measured if one.figures.positives]
    count = len(measured[0].thresholds)
    return np.mean(figures, axis=0) if figures else np.zeros(count)


def _choice(measured: Measured, place: int) -> Choice:
    return Choice(measured.thresholds[place], measured.at(place))
