"""How much two texts share, counted in runs of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


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
    return of_sets(*_shingle_ids(first, second, width))


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


def _shingle_ids(
    first: Sequence[str], second: Sequence[str], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct shingles of both lists so that equal ones have equal numbers.

    Numbers, not hashes: with a forged hash a page could be made to vanish.
    """
    vocabulary: dict[str, int] = {}
    numbers = [vocabulary.setdefault(word, len(vocabulary)) for word in (*first, *second)]
    ids = np.array(numbers, np.int64)
    shingles = ids
    for offset in range(1, width):
        # numbers stay below the count of words, so that a pair fits into 63 bits
        pairs = shingles[: len(ids) - offset] * len(vocabulary) + ids[offset:]
        shingles = np.unique(pairs, return_inverse=True)[1]
    return (
        np.unique(shingles[: len(first) - width + 1]),
        np.unique(shingles[len(first) : len(first) + len(second) - width + 1]),
    )
