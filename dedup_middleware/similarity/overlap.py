"""Overlap of two texts, counted in shingles: runs of words."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Mask = NDArray[np.bool_]


class Overlap(NamedTuple):
    """What two shingle sets share, in proportion to both, to the first and to the second."""

    resemblance: float
    containment: float
    contained_by: float


class Numbered(NamedTuple):
    """A text as numbers, one for each distinct word."""

    numbers: dict[str, int]
    """The number of each word, in order of first occurrence."""
    ids: Numbers


def numbered(words: Sequence[str]) -> Numbered:
    """Number the words of a text.

    Numbers, not hashes: with forged hashes one page could pass for another.
    """
    index: dict[str, int] = defaultdict(count().__next__)
    ids = np.fromiter(map(index.__getitem__, words), np.int64, len(words))
    return Numbered(dict(index), ids)


def word_numbers(first: Numbered, second: Numbered) -> tuple[Numbers, Numbers]:
    """Number the words of two texts so that equal words have equal numbers."""
    table = np.array([first.numbers.get(word, -1) for word in second.numbers], np.int64)
    missing = table < 0
    table[missing] = len(first.numbers) + np.arange(missing.sum())
    return first.ids, table[second.ids]


def shingle_numbers(
    first: Numbers, second: Numbers, width: int, reached: int = 1
) -> tuple[Numbers, Numbers]:
    """Number the shingles of two texts, in order, so that equal shingles have equal numbers.

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


def shared_shingles(mine: Numbers, theirs: Numbers) -> tuple[int, int, int]:
    """Count the distinct shingles of two texts and of both, given as shingle numbers in order.

    >>> one = numbered("uma rosa é uma rosa é uma rosa".split())
    >>> two = numbered("uma rosa é uma rosa vermelha ou branca".split())
    >>> shared_shingles(*shingle_numbers(*word_numbers(one, two), 4))
    (3, 5, 2)
    """
    size = _size(mine, theirs)
    here, there = _present(mine, size), _present(theirs, size)
    return int(here.sum()), int(there.sum()), int((here & there).sum())


def of_sets(mine: NDArray[Any], theirs: NDArray[Any]) -> Overlap:
    """Compare two sets, each given as distinct values.

    >>> of_sets(np.array([3, 4, 5, 6]), np.array([5, 6, 7, 8])).resemblance == 2 / 6
    True
    """
    shared = len(np.intersect1d(mine, theirs, assume_unique=True))
    return of_counts(len(mine), len(theirs), shared)


def covered(mine: Numbers, theirs: Numbers, width: int) -> int:
    """Count the words of a text that lie in a shingle which the other text has too.

    >>> covered(np.array([1, 2, 3]), np.array([7, 2]), 2)
    2
    """
    starts = _present(theirs, _size(mine, theirs))[mine]
    # how many shared shingles have begun by a word, less those that have ended before it
    begun = np.cumsum(np.r_[starts, np.zeros(width - 1, bool)])
    begun[width:] -= np.cumsum(starts)[: len(begun) - width]
    return int((begun > 0).sum())


def once_in_both(mine: Numbers, theirs: Numbers) -> Mask:
    """Mark, by number, what occurs exactly once in each text."""
    size = _size(mine, theirs)
    here, there = np.bincount(mine, minlength=size), np.bincount(theirs, minlength=size)
    once: Mask = (here == 1) & (there == 1)
    return once


def of_counts(mine: int, theirs: int, shared: int) -> Overlap:
    """Compare two sets, given how many members they have and share."""
    if not mine or not theirs:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(shared / (mine + theirs - shared), shared / mine, shared / theirs)


def _size(mine: Numbers, theirs: Numbers) -> int:
    return 1 + max(int(mine.max(initial=-1)), int(theirs.max(initial=-1)))


def _present(numbers: Numbers, size: int) -> Mask:
    """Mark which numbers below `size` occur: quicker than sorting."""
    flags = np.zeros(size, bool)
    flags[numbers] = True
    return flags


def common_words(first: Numbers, second: Numbers) -> int:
    """Count the words that two texts have in common, each as often as both have it."""
    size = int(max(first.max(initial=0), second.max(initial=0))) + 1
    shared = np.minimum(np.bincount(first, minlength=size), np.bincount(second, minlength=size))
    return int(shared.sum())
