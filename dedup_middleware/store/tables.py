"""The tables of a detector, inside one transaction of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.detectors.tables import Postings

from .keys import NUMBER, POSTING, split

if TYPE_CHECKING:
    import lmdb

    from dedup_middleware.fingerprint.hashing import Hashes

    from .environment import Environment


class StoreTables:
    """What `detectors.tables.Tables` asks for, kept in LMDB."""

    def __init__(self, environment: Environment, txn: lmdb.Transaction) -> None:
        self._txn = txn
        self._index = environment.db["index"]
        self._postings = environment.db["index_postings"]

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

    def unpost(self, keys: Hashes, number: int) -> None:
        packed = number.to_bytes(NUMBER.itemsize, "big")
        for key in split(keys):
            self._txn.delete(key, packed, db=self._postings)
