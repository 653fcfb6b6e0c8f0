"""Keys of an index: made from hashes, posted up to a limit, and weighed by their rarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.store.tables import Postings, Tables


def packed_keys(prefix: bytes, hashes: Hashes) -> list[bytes]:
    """Return a key of a table for each hash.

    >>> packed_keys(b"word:", np.array([0x3132333435363738], np.uint64))
    [b'word:12345678']
    """
    packed = hashes.astype(">u8").tobytes()
    return [prefix + packed[at : at + 8] for at in range(0, len(packed), 8)]


def fold_columns(rows: Hashes) -> Hashes:
    """Hash each column of some rows into one key.

    >>> len(np.unique(fold_columns(np.array([[1, 2, 1], [3, 3, 4]], np.uint64))))
    3
    """
    keys: Hashes = shingle_hashes(rows, len(rows))[0]  # a column is one shingle of all its values
    return keys


def full_keys(keys: Hashes, found: Postings, most: int) -> NDArray[np.bool_]:
    """Return which keys already lead to as many documents as they may."""
    counts = np.searchsorted(found.keys, keys, "right") - np.searchsorted(found.keys, keys)
    return counts >= most


def post(tables: Tables, keys: Hashes, number: int, most: int) -> None:
    """Post a document under those keys that are not full."""
    tables.post(keys[~full_keys(keys, tables.postings(keys), most)], number)


def closest(keys: Hashes, places: NDArray[np.intp], most: int) -> list[int]:
    """Return the documents that share most keys, rare keys counting more; of equals the first.

    Documents are given, and returned in ascending order, by their place in a list.

    >>> closest(np.array([5, 5, 7], np.uint64), np.array([0, 1, 1]), 1)
    [1]
    """
    _, counts = np.unique(keys, return_counts=True)
    rarity = np.bincount(places, 1 / np.repeat(counts, counts))
    return sorted(np.argsort(-rarity, kind="stable")[:most].tolist())
