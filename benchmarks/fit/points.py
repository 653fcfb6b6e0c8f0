"""Points to try: a weight for each measure and for what speaks against it, and two thresholds."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.judge import relation as judge
from dedup_middleware.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .measures import Values

WORDS_WEIGHTS = (0.25, 0.3, 0.35, 0.4, 0.5)
"""Of `covered` and of `aligned`; `sentence_share` and `tree` share the rest."""
SWAPPED_WEIGHTS = (0.08, 0.12, 0.16, 0.2)
SUBJECT_WEIGHTS = (0.05, 0.1, 0.15, 0.2)
NEARS = tuple(round(0.69 + 0.02 * step, 2) for step in range(7))
CONTAINEDS = tuple(round(0.76 + 0.02 * step, 2) for step in range(6))
SHAPE = tuple(map(len, (WORDS_WEIGHTS, SWAPPED_WEIGHTS, SUBJECT_WEIGHTS, NEARS, CONTAINEDS)))

FIXED = judge.REPLACED_WEIGHT, judge.DOUBT


class Point(NamedTuple):
    """All that can be chosen."""

    covered: float
    aligned: float
    sentence_share: float
    tree: float
    swapped: float
    subject: float
    replaced: float
    doubt: float
    near: float
    contained: float

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.3g}" for name, value in self._asdict().items())


def shipped() -> Point:
    """Return the point that the project ships."""
    settings = Settings()
    return Point(
        **judge.WEIGHTS,
        swapped=judge.SWAPPED_WEIGHT,
        subject=judge.SUBJECT_WEIGHT,
        replaced=judge.REPLACED_WEIGHT,
        doubt=judge.DOUBT,
        near=settings.near,
        contained=settings.contained,
    )


def grid() -> list[Point]:
    """List all points that are tried, in the order of `SHAPE`."""
    return [
        Point(weight, weight, rest, rest, swapped, subject, *FIXED, near, contained)
        for weight, swapped, subject, near, contained in product(
            WORDS_WEIGHTS, SWAPPED_WEIGHTS, SUBJECT_WEIGHTS, NEARS, CONTAINEDS
        )
        for rest in (round(0.5 - weight, 3),)
    ]


def moved(point: Point, nears: Iterable[float]) -> list[Point]:
    """Move both thresholds of a point by the same amount."""
    return [point._replace(near=near, contained=min(1.0, near + gap(point))) for near in nears]


def gap(point: Point) -> float:
    """Return how far `contained` lies above `near`."""
    return round(point.contained - point.near, 4)


def steps(start: float, end: float, step: float) -> list[float]:
    """List thresholds, the end included.

    >>> steps(0.5, 0.6, 0.05)
    [0.5, 0.55, 0.6]
    """
    return [round(start + step * at, 4) for at in range(round((end - start) / step) + 1)]


def ablations(point: Point) -> dict[str, Point]:
    """Return a point without some of its parts; the remaining weights add up as before."""
    names = [name for name in judge.WEIGHTS if getattr(point, name)]
    whole = sum(getattr(point, name) for name in names)
    without = dict.fromkeys(names, 0.0)
    changed = {"all": point}
    for name in names:
        changed[f"only {name}"] = point._replace(**{**without, name: whole})
    for name in names:
        rest = whole - getattr(point, name)
        scaled = {other: getattr(point, other) * whole / (rest or 1.0) for other in names}
        changed[f"without {name}"] = point._replace(**{**scaled, name: 0.0})
    changed["without swapped facts"] = point._replace(swapped=0.0)
    changed["without subject"] = point._replace(subject=0.0)
    changed["without facts"] = point._replace(swapped=0.0, subject=0.0)
    changed["without replaced passages"] = point._replace(replaced=0.0)
    changed["without doubt"] = point._replace(doubt=0.0)
    return changed


def smoothed(values: Values) -> Values:
    """Average each point of the grid with its neighbours in near and contained."""
    shaped = values.reshape(-1, *SHAPE[-2:])
    padded = np.pad(shaped, ((0, 0), (1, 1), (1, 1)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    means: Values = np.nanmean(windows, axis=(-2, -1)).reshape(-1)
    return means
