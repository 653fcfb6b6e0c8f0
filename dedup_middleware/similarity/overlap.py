"""How much two texts share, counted in runs of words."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
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


class Numbered(NamedTuple):
    """A text as numbers, one for each distinct word."""

    numbers: dict[str, int]
    """The number of each word, in the order in which they first stand there."""
    ids: Numbers


def numbered(words: Sequence[str]) -> Numbered:
    """Number the words of a text.

    Numbers, not hashes: with a forged hash a page could be made to vanish.
    """
    index: dict[str, int] = defaultdict(count().__next__)
    ids = np.fromiter(map(index.__getitem__, words), np.int64, len(words))
    return Numbered(dict(index), ids)


def word_numbers(first: Numbered, second: Numbered) -> tuple[Numbers, Numbers]:
    """Number the words of two texts so that equal ones have equal numbers."""
    table = np.array([first.numbers.get(word, -1) for word in second.numbers], np.int64)
    missing = table < 0
    table[missing] = len(first.numbers) + np.arange(missing.sum())
    return first.ids, table[second.ids]


def shingle_numbers(
    first: Numbers, second: Numbers, width: int, reached: int = 1
) -> tuple[Numbers, Numbers]:
    """Number the shingles of both texts, place by place, so that equal ones have equal numbers.

    The texts are given as numbers of words, or of shingles of `reached` words.
    """
    while reached < width:
        step = min(reached, width - reached)
        # numbers stay below the count of words, so that a pair of them fits into 63 bits
        size = 1 + max(int(first.max(initial=0)), int(second.max(initial=0)))
        one, other = (text[:-step] * size + text[step:] for text in (first, second))
        numbers = np.unique(np.concatenate([one, other]), return_inverse=True)[1]
        first, second = numbers[: len(one)], numbers[len(one) :]
        reached += step
    return first, second


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
    numbers = word_numbers(numbered(first), numbered(second))
    return of_shingles(*shingle_numbers(*numbers, width))


def of_shingles(mine: Numbers, theirs: Numbers) -> Overlap:
    """Compare the sets of shingles of two texts, each given place by place."""
    size = 1 + max(int(mine.max(initial=-1)), int(theirs.max(initial=-1)))
    here, there = present(mine, size), present(theirs, size)
    return _of_counts(int(here.sum()), int(there.sum()), int((here & there).sum()))


def present(numbers: Numbers, size: int) -> NDArray[np.bool_]:
    """Tell for each number below `size` whether it is there: quicker than sorting."""
    flags = np.zeros(size, bool)
    flags[numbers] = True
    return flags


def of_sets(mine: NDArray[Any], theirs: NDArray[Any]) -> Overlap:
    """Compare two sets, each given as distinct values.

    >>> of_sets(np.array([3, 4, 5, 6]), np.array([5, 6, 7, 8])).resemblance == 2 / 6
    True
    """
    shared = len(np.intersect1d(mine, theirs, assume_unique=True))
    return _of_counts(len(mine), len(theirs), shared)


def _of_counts(mine: int, theirs: int, shared: int) -> Overlap:
    if not mine or not theirs:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(shared / (mine + theirs - shared), shared / mine, shared / theirs)


def covered(mine: Numbers, theirs: Numbers, width: int) -> NDArray[np.bool_]:
    """Tell for each word of a text whether it lies in a shingle which the other text has too.

    >>> covered(np.array([1, 2, 3]), np.array([7, 2]), 2).tolist()
    [False, True, True, False]
    """
    size = 1 + max(int(mine.max(initial=-1)), int(theirs.max(initial=-1)))
    starts = present(theirs, size)[mine]
    # how many shared shingles have begun by a word, less those that have ended before it
    begun = np.cumsum(np.r_[starts, np.zeros(width - 1, bool)])
    begun[width:] -= np.cumsum(starts)[: len(begun) - width]
    return begun > 0


def once_in_both(mine: Numbers, theirs: Numbers) -> NDArray[np.bool_]:
    """Tell for each number whether it stands once among the first and once among the second."""
    size = 1 + max(int(mine.max(initial=-1)), int(theirs.max(initial=-1)))
    here, there = np.bincount(mine, minlength=size), np.bincount(theirs, minlength=size)
    once: NDArray[np.bool_] = (here == 1) & (there == 1)
    return once
