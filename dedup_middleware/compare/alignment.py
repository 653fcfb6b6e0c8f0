"""Two texts laid side by side, word by word, in order: what stays, and what stands in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from .chain import longest_chain
from .overlap import once_in_both, shingle_numbers, spanned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Marks = NDArray[np.bool_]

ANCHOR_WORDS = 8
MOVED_WORDS = 20
SHORTEST_RUN = 3
MOST_CELLS = 100_000_000


class Run(NamedTuple):
    """Words that stand in both texts one after the other."""

    first: int
    second: int
    length: int


class Gap(NamedTuple):
    """What stands between two runs: from where to where, in either text."""

    first: tuple[int, int]
    second: tuple[int, int]


def align(first: Numbers, second: Numbers) -> list[Run]:
    """Find the runs of words that two texts, given as numbers of words, share in the same order.

    Runs of eight words that stand once in both hold the texts together; between them the longest
    common subsequence is taken. A stretch without such a run that is too long for that stays apart.
    """
    runs: list[Run] = []
    anchors = _anchors(first, second)
    for gap in gaps(anchors, len(first), len(second)):
        runs += _common(first, second, gap)
    return _joined(sorted([*anchors, *runs]))


def gaps(runs: list[Run], first: int, second: int) -> Iterator[Gap]:
    """Give what lies before, between and after the runs, of texts of so many words."""
    x = y = 0
    for run in (*runs, Run(first, second, 0)):
        if run.first > x or run.second > y:
            yield Gap((x, run.first), (y, run.second))
        x, y = run.first + run.length, run.second + run.length


def aligned_words(first: Numbers, second: Numbers, runs: list[Run]) -> tuple[int, int]:
    """Count the words of either text in runs of three or more, and in long blocks that moved.

    >>> moved = np.arange(40)
    >>> swapped = np.r_[moved[20:], moved[:20]]
    >>> aligned_words(moved, swapped, align(moved, swapped))
    (40, 40)
    """
    mine, theirs = np.zeros(len(first), bool), np.zeros(len(second), bool)
    shortest = min(SHORTEST_RUN, len(first), len(second))
    for x, y, length in runs:
        if length >= shortest:
            mine[x : x + length] = theirs[y : y + length] = True
    if not (mine.all() and theirs.all()):
        moved = passages(first, second, MOVED_WORDS)
        mine |= moved[0]
        theirs |= moved[1]
    return int(mine.sum()), int(theirs.sum())


def passages(first: Numbers, second: Numbers, width: int) -> tuple[Marks, Marks]:
    """Mark the words of either text in runs of `width` words that stand once in both, anywhere."""
    if min(len(first), len(second)) < width:
        return np.zeros(len(first), bool), np.zeros(len(second), bool)
    mine, theirs = shingle_numbers(first, second, width)
    once = once_in_both(mine, theirs)
    return spanned(once[mine], width), spanned(once[theirs], width)


def _anchors(first: Numbers, second: Numbers) -> list[Run]:
    """Choose among the eight-word runs that stand once in both texts a chain that keeps order."""
    if min(len(first), len(second)) < ANCHOR_WORDS:
        return []
    mine, theirs = shingle_numbers(first, second, ANCHOR_WORDS)
    once = once_in_both(mine, theirs)
    there = np.zeros(len(once), np.int64)
    there[theirs] = np.arange(len(theirs))
    x = np.flatnonzero(once[mine])
    y = there[mine[x]]
    if not len(x):
        return []
    starts = np.flatnonzero(np.r_[True, (np.diff(x) != 1) | (np.diff(y) != 1)])
    lengths = np.diff(np.r_[starts, len(x)])
    pairs = list(zip(x[starts].tolist(), y[starts].tolist(), strict=True))
    kept = longest_chain(pairs, lengths.tolist())
    runs: list[Run] = []
    for (a, b), length in ((pairs[k], int(lengths[k])) for k in kept):
        if runs:  # chosen by where they start: what overlaps the run before is cut off
            overlap = max(
                runs[-1].first + runs[-1].length - a, runs[-1].second + runs[-1].length - b, 0
            )
        else:
            overlap = 0
        rest = length + ANCHOR_WORDS - 1 - overlap
        if rest > 0:
            runs.append(Run(a + overlap, b + overlap, rest))
    return runs


def _common(first: Numbers, second: Numbers, gap: Gap) -> Iterator[Run]:
    (a, b), (c, d) = gap
    if 0 < (b - a) * (d - c) <= MOST_CELLS:
        for code in LCSseq.opcodes(first[a:b].tolist(), second[c:d].tolist()):
            if code.tag == "equal":
                yield Run(a + code.src_start, c + code.dest_start, code.src_end - code.src_start)


def _joined(runs: list[Run]) -> list[Run]:
    joined: list[Run] = []
    for run in runs:
        if joined:
            x, y, length = joined[-1]
            if (x + length, y + length) == run[:2]:
                joined[-1] = Run(x, y, length + run.length)
                continue
        joined.append(run)
    return joined
