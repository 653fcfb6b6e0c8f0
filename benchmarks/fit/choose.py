"""The best point on some sets, and its figures on a set that took no part in the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.accuracy.scoring import COUNTS

from .measures import LOWEST_NEAR
from .points import ablations, grid, moved, shipped, smoothed, steps
from .simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.accuracy.scoring import Figures

    from .measures import MeasuredSet, Values
    from .points import Point

DROP_COSTS = 0.005
ENOUGH_RIGHT_KINDS = 0.95
CURVE = steps(LOWEST_NEAR, 0.95, 0.01)
FINE = steps(LOWEST_NEAR, 1.0, 0.001)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A point, how good it is on the sets that chose it, and its figures on each set shown."""

    point: Point
    goodness: float
    figures: Mapping[str, Figures]


@dataclass(frozen=True, slots=True)
class Without:
    """A point without one of its parts."""

    fixed: Chosen
    """At the thresholds of the point."""
    refitted: Chosen
    """At the thresholds that are best for the rest."""


@dataclass(frozen=True, slots=True)
class Fit:
    """All results."""

    best: Chosen
    shipped: Chosen
    left_out: Mapping[str, Chosen]
    """By set: the point that the other sets choose, and its figures on this one."""
    curves: Mapping[str, Figures]
    """By set: the shipped weights, at each threshold of `CURVE`."""
    safe: Mapping[str, Chosen | None]
    """By set of pairs: the lowest thresholds at which no negative is dropped."""
    ablations: Mapping[str, Without]


def fit(sets: Sequence[MeasuredSet]) -> Fit:
    """Try all points on all sets."""
    ready, points = shipped(), grid()
    tried = {one.name: simulate(one, points) for one in sets}
    curve = moved(ready, CURVE)
    return Fit(
        best=_best(points, tried, tried),
        shipped=at(sets, ready),
        left_out={
            name: _best(
                points, {other: tried[other] for other in tried if other != name}, {name: found}
            )
            for name, found in tried.items()
            if len(tried) > 1
        },
        curves={one.name: simulate(one, curve) for one in sets},
        safe={one.name: _safe(one, ready) for one in sets if one.mode == "pairs"},
        ablations={
            name: Without(at(sets, point), _refitted(sets, point))
            for name, point in ablations(ready).items()
        },
    )


def at(sets: Sequence[MeasuredSet], point: Point) -> Chosen:
    """Return one point with its figures."""
    figures = {one.name: simulate(one, [point]) for one in sets}
    return Chosen(point, float(goodness(list(figures.values()))[0]), figures)


def goodness(sets: Sequence[Figures]) -> Values:
    """Return how good each point is on some sets together.

    It is the mean of F1 over the sets; for a set without positives, minus the share that is
    dropped. Each false drop costs extra, and so do kinds that are wrong too often.
    """
    values = [
        one.f1 if one.positives else -one.drops / np.maximum(1, one.negatives) for one in sets
    ]
    drops = np.sum([one.drops for one in sets], axis=0)
    kinds = np.sum([one.kinds for one in sets], axis=0)
    right = np.sum([one.right_kinds for one in sets], axis=0)
    share = np.where(kinds > 0, right / np.maximum(1, kinds), 1.0)
    result: Values = (
        np.mean(values, axis=0) - DROP_COSTS * drops - np.maximum(0.0, ENOUGH_RIGHT_KINDS - share)
    )
    return result


def figures_at(figures: Figures, place: int) -> Figures:
    """Return the figures of one point."""
    counts = {name: getattr(figures, name)[place : place + 1] for name in COUNTS}
    return type(figures)(figures.positives, figures.negatives, **counts)


def _best(
    points: Sequence[Point], tried: Mapping[str, Figures], shown: Mapping[str, Figures]
) -> Chosen:
    """Choose the point of the grid around which it is best: a plateau, not a lucky peak."""
    values = goodness(list(tried.values()))
    place = int(smoothed(values).argmax())
    figures = {name: figures_at(found, place) for name, found in shown.items()}
    return Chosen(points[place], float(values[place]), figures)


def _refitted(sets: Sequence[MeasuredSet], point: Point) -> Chosen:
    points = moved(point, CURVE)
    tried = {one.name: simulate(one, points) for one in sets}
    values = goodness(list(tried.values()))
    place = int(values.argmax())
    figures = {name: figures_at(found, place) for name, found in tried.items()}
    return Chosen(points[place], float(values[place]), figures)


def _safe(measured: MeasuredSet, point: Point) -> Chosen | None:
    points = moved(point, FINE)
    figures = simulate(measured, points)
    none_dropped = np.flatnonzero(figures.drops == 0)
    if not len(none_dropped):
        return None
    place = int(none_dropped[figures.recall[none_dropped].argmax()])
    found = figures_at(figures, place)
    return Chosen(points[place], float(goodness([found])[0]), {measured.name: found})
