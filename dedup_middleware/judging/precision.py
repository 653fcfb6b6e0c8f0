"""How often a method is right where it calls pages alike, from a sample that people judged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_Z = 1.959964  # of the standard normal distribution, 95 % in the middle


class Sampled(NamedTuple):
    """Pairs that a method calls alike, as as many others do."""

    all: int
    answered: int
    """Of those that were drawn, which is left to chance."""
    settled: int
    """Of those that were answered: neither left open nor in conflict."""
    right: int


class Precision(NamedTuple):
    """A share, and the interval that holds the true one with 95 % confidence."""

    share: float
    low: float
    high: float


def precision(strata: Sequence[Sampled]) -> Precision | None:
    """Estimate the precision over all pairs that a method calls alike; None if nothing is settled.

    Strata are sampled unequally, so each counts by its size, less what would be left open there
    too. One without answers is taken to be as its neighbour. The interval is Wilson's, for as many
    pairs as would say as much if they were drawn from all alike (Kish).

    >>> found = precision([Sampled(200, 20, 20, 20), Sampled(50, 40, 40, 30)])
    >>> [round(figure, 3) for figure in found]
    [0.95, 0.81, 0.988]
    """
    sized = [(one.all * one.settled / one.answered, one) for one in _merged(strata)]
    total = sum(size for size, _ in sized)
    if not total:
        return None
    parts = [(size / total, one) for size, one in sized if size]
    share = sum(weight * one.right / one.settled for weight, one in parts)
    spread = sum(weight**2 / one.settled for weight, one in parts)
    return Precision(share, *wilson(share, 1 / spread))


def _merged(strata: Sequence[Sampled]) -> list[Sampled]:
    """Add strata without answers to the next that has some, or else to the last."""
    merged: list[Sampled] = []
    waiting = 0
    for one in strata:
        if one.answered:
            merged.append(one._replace(all=one.all + waiting))
            waiting = 0
        else:
            waiting += one.all
    if merged:
        merged[-1] = merged[-1]._replace(all=merged[-1].all + waiting)
    return merged


def wilson(share: float, count: float) -> tuple[float, float]:
    """Give Wilson's 95 % interval of a share that was found among so many.

    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = _Z**2 / count
    middle = share + square / 2
    spread = math.sqrt(share * (1 - share) * square + square**2 / 4)
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # rounding may go beyond
