"""How much two texts share, counted in runs of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class Overlap(NamedTuple):
    """Shingle sets compared: in proportion to both, to the first and to the second."""

    resemblance: float
    containment: float
    contained_by: float


def overlap(first: Sequence[str], second: Sequence[str], width: int) -> Overlap:
    """Compare the sets of `width`-word shingles of two lists of words.

    >>> one = "uma rosa é uma rosa é uma rosa".split()
    >>> two = "uma rosa é uma rosa vermelha ou branca".split()
    >>> round(overlap(one, two, 4).containment, 2)
    0.67
    """
    if not first or not second:
        return Overlap(0.0, 0.0, 0.0)
    width = min(width, len(first), len(second))
    mine, theirs = shingle_numbers(*word_numbers(first, second), width)
    return of_sets(np.unique(mine), np.unique(theirs))


def of_sets(mine: NDArray[Any], theirs: NDArray[Any]) -> Overlap:
    """Compare two sets, each given as distinct values.

    >>> of_sets(np.array([3, 4, 5, 6]), np.array([5, 6, 7, 8])).resemblance == 2 / 6
    True
    """
    if not len(mine) or not len(theirs):
        return Overlap(0.0, 0.0, 0.0)
    shared = len(np.intersect1d(mine, theirs, assume_unique=True))
    return Overlap(
        shared / (len(mine) + len(theirs) - shared), shared / len(mine), shared / len(theirs)
    )


def word_numbers(first: Sequence[str], second: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Number the words of both lists so that equal ones have equal numbers.

    Numbers, not hashes: with a forged hash a page could be made to vanish.
    """
    vocabulary: dict[str, int] = {}
    numbers = [vocabulary.setdefault(word, len(vocabulary)) for word in (*first, *second)]
    return np.array(numbers[: len(first)], np.int64), np.array(numbers[len(first) :], np.int64)


def shingle_numbers(first: Numbers, second: Numbers, width: int) -> tuple[Numbers, Numbers]:
    """Number the shingles of both texts, place by place, so that equal ones have equal numbers."""
    numbers = np.concatenate([first, second])
    reached = 1
    while reached < width:
        step = min(reached, width - reached)
        # numbers stay below the count of words, so that a pair of them fits into 63 bits
        pairs = numbers[:-step] * (int(numbers.max()) + 1) + numbers[step:]
        numbers = np.unique(pairs, return_inverse=True)[1]
        reached += step
    end = len(first) + len(second) - width + 1
    return numbers[: len(first) - width + 1], numbers[len(first) : end]


def covered(mine: Numbers, theirs: Numbers, width: int) -> int:
    """Count the words of a text that lie in shingles which the other text has too.

    >>> covered(np.array([1, 2, 3]), np.array([7, 2]), 4)  # its second shingle: words 2 to 5
    4
    """
    starts = np.flatnonzero(np.isin(mine, theirs))
    if not len(starts):
        return 0
    # each shingle adds its width, or what lies between it and the one before
    return width + int(np.minimum(np.diff(starts), width).sum())
