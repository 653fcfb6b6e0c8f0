"""How often a method is right where it calls pages alike, from a sample that people judged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_Z = 1.959964  # of the standard normal distribution, 95 % in the middle


class Sampled(NamedTuple):
    """Pairs of one stratum that a method calls alike."""

    all: int
    judged: int
    right: int


class Precision(NamedTuple):
    """A share, and the interval that holds the true one with 95 % confidence."""

    share: float
    low: float
    high: float


def precision(strata: Iterable[Sampled]) -> Precision | None:
    """Estimate the precision over all pairs that a method calls alike; None if that can't be.

    Strata are sampled unequally, so each counts by its size. The interval is Wilson's, for as many
    pairs as would say as much if they were drawn from all alike (Kish).

    >>> found = precision([Sampled(200, 20, 20), Sampled(50, 40, 30)])
    >>> [round(figure, 3) for figure in found]
    [0.95, 0.81, 0.988]
    """
    given = [one for one in strata if one.all]
    total = sum(one.all for one in given)
    if not given or not all(one.judged for one in given):
        return None
    weights = [one.all / total for one in given]
    share = sum(weight * one.right / one.judged for weight, one in zip(weights, given, strict=True))
    spread = sum(weight**2 / one.judged for weight, one in zip(weights, given, strict=True))
    return Precision(share, *wilson(share, 1 / spread))


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
