"""Word pairs: keys of a page that survive when its sentences are reworded.

Rewording breaks shingles, but some words of a sentence stay, if not side by side. Two words near
each other are a pair, in whatever order; words that are frequent on the page (most are stop words)
take no part. The pairs with the smallest hashes are a sample: pages of which a quarter of the pairs
is the same share some of it nearly always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .hashing import mixed

if TYPE_CHECKING:
    from .hashing import Hashes

KEPT = 32
_MANY = 8 * KEPT
REACH = 6  # words; without the frequent ones, that is about a sentence
FREQUENT, FREQUENT_SHARE = 3, 0.01
"""A word is frequent if it stands on the page more often than this, and this share of its words."""


def pair_sample(hashes: Hashes) -> Hashes:
    """Return the smallest hashes of the pairs of words that stand near each other, ascending."""
    content = hashes[~_frequent(hashes)]
    found = [
        mixed(np.minimum(one, other), np.maximum(one, other))
        for distance in range(1, min(REACH, len(content) - 1) + 1)
        for one, other in [(content[:-distance], content[distance:])]
    ]
    return _smallest(np.concatenate(found)) if found else np.empty(0, np.uint64)


def _smallest(hashes: Hashes) -> Hashes:
    """Return the smallest distinct hashes, ascending; most are never sorted."""
    if len(hashes) > _MANY:
        few = np.unique(np.partition(hashes, _MANY)[:_MANY])
        if len(few) > KEPT:  # the largest of them may be cut off from its equals
            return few[:KEPT]
    return np.unique(hashes)[:KEPT]


def _frequent(hashes: Hashes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    _, places, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        counts > max(FREQUENT, FREQUENT_SHARE * len(hashes))
    )[places]
    return flags
