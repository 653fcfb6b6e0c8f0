"""The longest chain of pairs that keeps the order on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def longest_chain(
    pairs: Sequence[tuple[int, int]], weights: Sequence[float], *, strictly: bool = True
) -> list[int]:
    """Choose the pairs of greatest weight whose both numbers ascend; give their indices in order.

    Unless `strictly`, one of the two numbers may stay the same from a pair to the next.

    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [1, 1, 1, 1])
    [1, 2, 3]
    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [3, 1, 1, 1])
    [0, 3]
    """
    # equal first numbers: the larger second one first, so that they never follow one another
    ranked = sorted(range(len(pairs)), key=lambda i: (pairs[i][0], pairs[i][1] * _sign(strictly)))
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


def _sign(strictly: bool) -> int:
    return -1 if strictly else 1


class _PrefixMaximum:
    """Which index has the greatest total among heights up to a given one (a Fenwick tree)."""

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
