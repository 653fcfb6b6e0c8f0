"""What an index is kept in: values by key, and for 64-bit keys the numbers of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.errors import SchemeMismatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .engine import Batch, Snapshot

    Numbers = NDArray[np.int64]


_NUMBER = np.dtype(">u4")


class Postings(NamedTuple):
    """Keys that were found and the documents they lead to, side by side, by ascending key."""

    keys: Hashes
    numbers: Numbers


class Tables:
    """The tables of a method: those of a snapshot, if there is one, and what is written on top.

    What is written goes into the batch that enters a page; without a store it is gone with the
    process.

    >>> tables = Tables()
    >>> tables.post(np.array([5, 7], np.uint64), 1)
    >>> tables.post(np.array([7], np.uint64), 2)
    >>> [column.tolist() for column in tables.postings(np.array([7, 9], np.uint64))]
    [[7, 7], [1, 2]]
    """

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self._snapshot = snapshot
        self._values: dict[bytes, bytes | None] = {}
        self._posted: dict[bytes, list[int]] = {}

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key."""
        if key in self._values or self._snapshot is None:
            return self._values.get(key)
        return self._snapshot.get("index", (key,))[0]

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value of a key."""
        self._values[key] = value

    def delete(self, key: bytes) -> None:
        """Remove a key, if it is there."""
        self._values[key] = None

    def postings(self, keys: Hashes) -> Postings:
        """Return the documents posted under each of some distinct keys."""
        wanted = np.unique(keys)
        fields = _split(wanted)
        snapshot = self._snapshot
        known = snapshot.get("index_postings", fields) if snapshot else [None] * len(fields)
        found = [
            [*np.frombuffer(data or b"", _NUMBER).tolist(), *self._posted.get(field, ())]
            for field, data in zip(fields, known, strict=True)
        ]
        return Postings(
            np.repeat(wanted, [len(numbers) for numbers in found]),
            np.array([number for numbers in found for number in numbers], np.int64),
        )

    def post(self, keys: Hashes, number: int) -> None:
        """Post a document under each of some keys."""
        for key in _split(np.unique(keys)):
            numbers = self._posted.setdefault(key, [])
            if number not in numbers[-1:]:
                numbers.append(number)

    def write(self, batch: Batch) -> None:
        """Add what was written to a batch."""
        for key, value in self._values.items():
            if value is None:
                batch.deletes.append(("index", key))
            else:
                batch.puts.append(("index", key, value))
        for key, numbers in self._posted.items():
            packed = np.array(numbers, _NUMBER).tobytes()
            batch.appends.append(("index_postings", key, packed))


def _split(keys: Hashes) -> list[bytes]:
    packed = keys.astype(">u8").tobytes()
    return [packed[at : at + 8] for at in range(0, len(packed), 8)]


def check_method(known: str, label: str) -> None:
    """Raise SchemeMismatch if the pages of a store were indexed by another method."""
    if known != label:
        raise SchemeMismatch(
            f"The pages of this store were indexed by the method {known}, not by {label}. "
            "Start a new store, or set DEDUP_METHOD and its options as they were then"
        )
