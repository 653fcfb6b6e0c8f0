"""Alignment of two texts: what they have in common in the same order, and the gaps between."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from .overlap import once_in_both

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .overlap import Mask, Numbers

ANCHOR_WORDS = 8
MOVED_WORDS = 20  # a passage that moved counts if it has so many
SHORTEST_PASSAGE = 6
SHORTEST_RUN = 3
MOST_CELLS = 100_000_000  # of a table for the longest common subsequence


class Run(NamedTuple):
    """Consecutive words that both texts have."""

    first: int
    second: int
    length: int


class Gap(NamedTuple):
    """What lies between two runs: start and end in either text."""

    first: tuple[int, int]
    second: tuple[int, int]


class Alignment(NamedTuple):
    """Two texts side by side."""

    runs: list[Run]
    """What both have, in the same order."""
    passages: list[Run]
    """Runs of eight words or more that occur once in either text, in any order."""


def align(first: Numbers, second: Numbers, eights: tuple[Numbers, Numbers]) -> Alignment:
    """Align two texts, given as numbers of their words and of their eight-word shingles.

    Passages that keep their order are the anchors; between them the longest common subsequence is
    taken. A gap too long for that is aligned at its start and end only, and so are all once the
    tables of those before have too many cells.
    """
    passages = _passages(*eights)
    anchors = _in_order(passages)
    runs = list(anchors)
    left = MOST_CELLS
    for gap in gaps(anchors, len(first), len(second)):
        left -= _align_gap(first, second, gap, left, runs)
    return Alignment(_joined(sorted(runs)), passages)


def gaps(runs: list[Run], first: int, second: int) -> Iterator[Gap]:
    """Yield what lies before, between and after the runs, of texts of so many words."""
    x = y = 0
    for run in (*runs, Run(first, second, 0)):
        if run.first > x or run.second > y:
            yield Gap((x, run.first), (y, run.second))
        x, y = run.first + run.length, run.second + run.length


def aligned_words(alignment: Alignment, first: int, second: int) -> tuple[int, int]:
    """Count the words of either text in runs of three or more, and in long passages that moved.

    >>> aligned_words(Alignment([Run(0, 0, 5), Run(6, 6, 2)], [Run(8, 50, 20)]), 80, 80)
    (25, 25)
    """
    shortest = min(SHORTEST_RUN, first, second)
    kept = [run for run in alignment.runs if run.length >= shortest]
    kept += [run for run in alignment.passages if run.length >= MOVED_WORDS]
    mine, theirs = masks(kept, first, second)
    return int(mine.sum()), int(theirs.sum())


def replaced_words(
    alignment: Alignment,
    first: Sequence[str],
    second: Sequence[str],
    common: Collection[str],
    moved: tuple[Mask, Mask],
) -> int:
    """Count the words of passages that the other text replaces with a passage on something else."""
    count = 0
    # shorter runs are figures of speech: "you will have to" occurs in passages on anything
    runs = [run for run in alignment.runs if run.length >= ANCHOR_WORDS]
    for (a, b), (c, d) in gaps(runs, len(first), len(second)):
        if min(b - a, d - c) < SHORTEST_PASSAGE:
            continue
        here = list(compress(first[a:b], ~moved[0][a:b]))
        there = list(compress(second[c:d], ~moved[1][c:d]))
        length = min(len(here), len(there))
        mine, theirs = set(here).difference(common), set(there).difference(common)
        if length >= SHORTEST_PASSAGE and 3 * len(mine & theirs) < min(len(mine), len(theirs)):
            count += length
    return count


def masks(runs: list[Run], first: int, second: int) -> tuple[Mask, Mask]:
    """Mark the words of the runs in either text, of so many words."""
    mine, theirs = np.zeros(first, bool), np.zeros(second, bool)
    for x, y, length in runs:
        mine[x : x + length] = theirs[y : y + length] = True
    return mine, theirs


def longest_chain(
    pairs: Sequence[tuple[int, int]], weights: Sequence[float], *, strictly: bool = True
) -> list[int]:
    """Return the indices of the heaviest chain of pairs in which both numbers ascend.

    Unless `strictly`, either number may stay the same from one pair to the next.

    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [1, 1, 1, 1])
    [1, 2, 3]
    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [3, 1, 1, 1])
    [0, 3]
    """
    # equal first numbers: the larger second one first, so that they never follow one another
    sign = -1 if strictly else 1
    ranked = sorted(range(len(pairs)), key=lambda i: (pairs[i][0], sign * pairs[i][1]))
    heights = {value: rank for rank, value in enumerate(sorted({y for _, y in pairs}), start=1)}
    best = _PrefixMaximum(len(heights))
    before: list[int] = [-1] * len(pairs)
    total: list[float] = [0.0] * len(pairs)
    for index in ranked:
        height = heights[pairs[index][1]]
        before[index] = best.up_to(height - strictly)
        total[index] = weights[index] + (total[before[index]] if before[index] >= 0 else 0.0)
        best.put(height, index, total[index])
    chain: list[int] = []
    at = best.up_to(len(heights))
    while at >= 0:
        chain.append(at)
        at = before[at]
    return chain[::-1]


def _passages(mine: Numbers, theirs: Numbers) -> list[Run]:
    """Find the longest passages whose eight-word shingles all occur once in either text."""
    once = once_in_both(mine, theirs)
    there = np.zeros(len(once), np.int64)
    there[theirs] = np.arange(len(theirs))
    x = np.flatnonzero(once[mine])
    y = there[mine[x]]
    starts = np.flatnonzero(np.r_[True, (np.diff(x) != 1) | (np.diff(y) != 1)][: len(x)])
    lengths = np.diff(np.r_[starts, len(x)]) + ANCHOR_WORDS - 1
    return list(map(Run, x[starts].tolist(), y[starts].tolist(), lengths.tolist()))


def _in_order(passages: list[Run]) -> list[Run]:
    """Choose the passages that keep the order of both texts, and cut off overlaps."""
    runs: list[Run] = []
    for index in longest_chain([run[:2] for run in passages], [run.length for run in passages]):
        x, y, length = passages[index]
        end = runs[-1] if runs else Run(0, 0, 0)
        over = max(end.first + end.length - x, end.second + end.length - y, 0)
        if length > over:
            runs.append(Run(x + over, y + over, length - over))
    return runs


def _align_gap(first: Numbers, second: Numbers, gap: Gap, most: int, runs: list[Run]) -> int:
    """Add what both texts have in a gap; return the cells that it took, at most so many."""
    (a, b), (c, d) = gap
    if (b - a) * (d - c) > most:  # repetitive pages may still begin and end alike
        before = _common_start(first[a:b], second[c:d])
        runs.append(Run(a, c, before))
        a, c = a + before, c + before
        after = _common_start(first[a:b][::-1], second[c:d][::-1])
        b, d = b - after, d - after
        runs.append(Run(b, d, after))
    cells = (b - a) * (d - c)
    if not 0 < cells <= most:
        return 0
    for code in LCSseq.opcodes(first[a:b].tolist(), second[c:d].tolist()):
        if code.tag == "equal":
            length = code.src_end - code.src_start
            runs.append(Run(a + code.src_start, c + code.dest_start, length))
    return cells


def _common_start(first: Numbers, second: Numbers) -> int:
    """Count the words that both texts begin with."""
    length = min(len(first), len(second))
    differ = np.flatnonzero(first[:length] != second[:length])
    return int(differ[0]) if len(differ) else length


def _joined(runs: list[Run]) -> list[Run]:
    joined: list[Run] = []
    for run in runs:
        if not run.length:
            continue
        if joined:
            x, y, length = joined[-1]
            if (x + length, y + length) == run[:2]:
                joined[-1] = Run(x, y, length + run.length)
                continue
        joined.append(run)
    return joined


class _PrefixMaximum:
    """The index with the greatest total among heights up to a given one, in a Fenwick tree."""

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def up_to(self, height: int) -> int:
        found = (0.0, -1)
        while height > 0:
            if self._best[height][0] > found[0]:
                found = self._best[height]
            height &= height - 1
        return found[1]

    def put(self, height: int, index: int, total: float) -> None:
        while height < len(self._best):
            if total > self._best[height][0]:
                self._best[height] = (total, index)
            height += height & -height
