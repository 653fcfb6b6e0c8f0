"""Keys that lead to documents, and how many documents each may lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .tables import Tables


def folded(rows: Hashes) -> Hashes:
    """Fold each column of some rows into one key.

    >>> len(np.unique(folded(np.array([[1, 2, 1], [3, 3, 4]], np.uint64))))
    3
    """
    keys: Hashes = shingle_hashes(rows, len(rows))[0]  # a column is one shingle of all its values
    return keys


def full(tables: Tables, keys: Hashes, most: int) -> NDArray[np.bool_]:
    """Tell which keys lead to so many documents that no more are posted."""
    known = tables.postings(keys).keys
    counts = np.searchsorted(known, keys, "right") - np.searchsorted(known, keys)
    return counts >= most


def post(tables: Tables, keys: Hashes, number: int, most: int) -> None:
    """Post a document under those keys that are not full."""
    tables.post(keys[~full(tables, keys, most)], number)
