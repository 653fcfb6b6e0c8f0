"""The verdicts of the judge at many points at once, simulated from pairs that were compared once.

As in a store, a page that is judged redundant never becomes an original, unless it is a small part
of a long page; a page that a later one contains still may be one. Not simulated is what keeps a
look-up fast: the cap on candidates, and the estimate by which some of them are not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.accuracy.scoring import Figures
from dedup_middleware.judge import relation as judge

from .measures import KINDS, MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .measures import Flags, MeasuredSet, Numbers, Values
    from .points import Point

NONE, EXACT, NEAR, CONTAINED, CONTAINS = range(len(KINDS))
LEAST_GATE = 0.1  # as in the judge


class Judged(NamedTuple):
    """A page, and for each point its verdict and the row of the pair that led to it."""

    page: int
    kind: Numbers
    row: Numbers


def simulate(measured: MeasuredSet, points: Sequence[Point]) -> Figures:
    """Judge a set at all points and score the verdicts."""
    golds = [label.gold if label else "" for label in measured.labels]
    size = len(points)
    finds, wrong, alarms, drops, kinds, right = (np.zeros(size, np.int64) for _ in range(6))
    for page, kind, row in judged(measured, points):
        alarm = kind != NONE
        if golds[page] == "positive":
            listed = alarm & measured.listed[row]
            found = listed | (alarm & measured.neutral[row])
            finds += found
            wrong += alarm & ~found
            kinds += listed
            right += listed & measured.right[row, kind]
        elif golds[page] == "negative":
            alarms += alarm
            drops += alarm & (kind != CONTAINS)
    return Figures(
        golds.count("positive"), golds.count("negative"), finds, wrong, alarms, drops, kinds, right
    )


def judged(measured: MeasuredSet, points: Sequence[Point]) -> Iterator[Judged]:
    """Judge the pages that have pairs, in the order of arrival; all others are unique."""
    values = np.array(points)
    near, contained = values[:, -2], values[:, -1]
    gate = np.maximum(LEAST_GATE, np.minimum(near, contained) - judge.MARGIN)
    original = np.ones((len(measured.urls), len(points)), bool)
    pages, starts = np.unique(measured.page, return_index=True)
    ends = [*starts[1:].tolist(), len(measured.page)]
    for page, start, end in zip(pages.tolist(), starts.tolist(), ends, strict=True):
        rows = slice(start, end)
        there = original[measured.earlier[rows]]
        open_ = there & (measured.reach[rows, None] >= gate)
        less = _weighted(measured.against[rows, :-1], values[:, len(MEASURES) : -3])
        doubt = measured.against[rows, -1:] * values[:, -3]
        mine = _known(_weighted(measured.first[rows], values), less, doubt)
        theirs = _known(_weighted(measured.second[rows], values), less, doubt)
        is_near = open_ & (np.minimum(mine, theirs) >= near)
        is_contained = open_ & ~is_near & (mine >= contained)
        contains = open_ & ~is_near & ~is_contained & (theirs >= contained)
        exact = there & measured.exact[rows, None]
        small = is_contained & measured.small[rows, None]
        kind, row = _chosen(exact, is_near, is_contained, small, contains, mine)
        passed = (kind == CONTAINED) & measured.small[start + row]
        original[page] = (kind == NONE) | (kind == CONTAINS) | passed
        yield Judged(page, kind, start + row)


def _known(shares: Values, less: Values, doubt: Values) -> Values:
    """Subtract what speaks against a pair, as the judge does."""
    known: Values = np.maximum(0.0, shares - less - np.minimum(doubt, 1 - shares))
    return known


def _chosen(
    exact: Flags, near: Flags, contained: Flags, small: Flags, contains: Flags, known: Values
) -> tuple[Numbers, Numbers]:
    """Choose for each point: an equal page first, then the best original, then a contained page.

    Pages of which this one is a small part are originals only if there are no others.
    """
    redundant = near | contained
    redundant &= ~small | ~(redundant & ~small).any(axis=0)
    best = np.where(redundant, known, -1.0).argmax(axis=0)
    swallowed = np.where(contains, known, -1.0).argmax(axis=0)
    is_exact, is_redundant = exact.any(axis=0), redundant.any(axis=0)
    best_is_near = near[best, np.arange(near.shape[1])]
    kind = np.select(
        [is_exact, is_redundant & best_is_near, is_redundant, contains.any(axis=0)],
        [EXACT, NEAR, CONTAINED, CONTAINS],
        NONE,
    )
    row = np.select([is_exact, is_redundant], [exact.argmax(axis=0), best], swallowed)
    return kind, row


def _weighted(measures: Values, weights: Values) -> Values:
    """Sum weighted measures, a row for each pair, a column for each point, in the judge's order."""
    total: Values = np.zeros((len(measures), len(weights)))
    for place in range(measures.shape[1]):
        total += measures[:, place, None] * weights[:, place]
    return total
