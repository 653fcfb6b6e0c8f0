"""The tables of a published method, inside one transaction of an LMDB store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.store.tables import Postings

if TYPE_CHECKING:
    from collections.abc import Mapping

    import lmdb

    from dedup_middleware.fingerprint.hashing import Hashes

NUMBER = np.dtype(">u4")
POSTING = np.dtype([("key", ">u8"), ("page", NUMBER)])
KEY_BYTES = 8


class LmdbTables:
    """Values by key, and documents by 64-bit key."""

    def __init__(self, databases: Mapping[str, Any], txn: lmdb.Transaction) -> None:
        self._txn = txn
        self._index = databases["index"]
        self._postings = databases["index_postings"]

    def get(self, key: bytes) -> bytes | None:
        value = self._txn.get(key, db=self._index)
        return None if value is None else bytes(value)

    def put(self, key: bytes, value: bytes) -> None:
        self._txn.put(key, value, db=self._index)

    def delete(self, key: bytes) -> None:
        self._txn.delete(key, db=self._index)

    def postings(self, keys: Hashes) -> Postings:
        with self._txn.cursor(self._postings) as cursor:
            found = cursor.getmulti(
                split(np.unique(keys)), dupdata=True, dupfixed_bytes=NUMBER.itemsize, keyfixed=True
            )
        postings = np.frombuffer(found, POSTING)
        return Postings(postings["key"].astype(np.uint64), postings["page"].astype(np.int64))

    def post(self, keys: Hashes, number: int) -> None:
        packed = number.to_bytes(NUMBER.itemsize, "big")
        with self._txn.cursor(self._postings) as cursor:
            cursor.putmulti([(key, packed) for key in split(np.unique(keys))])


def split(keys: Hashes) -> list[bytes]:
    """Return each key in the form in which LMDB sorts it."""
    packed = keys.astype(">u8").tobytes()
    return [packed[at : at + KEY_BYTES] for at in range(0, len(packed), KEY_BYTES)]
