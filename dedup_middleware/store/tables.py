"""What an index is kept in: values and numbers of documents by key, and a bit for each page.

The bits say which pages were withdrawn: postings may lead to them until they are compacted.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware.errors import SchemeMismatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .engine import Batch, Snapshot

    Numbers = NDArray[np.int64]
    from collections.abc import Iterable, Sequence

_NUMBER = np.dtype(">u4")
CHUNK = 1 << 10
"""Bytes of the bits that LMDB keeps in one entry."""


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


class Withdrawn:
    """A bit for each page, set if it was withdrawn; threads may share it.

    >>> withdrawn = Withdrawn()
    >>> withdrawn.add([2, 70_000])
    >>> withdrawn.has(np.array([1, 2, 1_000_000])).tolist(), 70_000 in withdrawn
    ([False, True, False], True)
    >>> Withdrawn([(8, withdrawn.chunk(8)[1])]).has(np.array([2, 70_000])).tolist()
    [False, True]
    """

    def __init__(self, chunks: Iterable[tuple[int, bytes]] = ()) -> None:
        """Begin with what `chunk` has returned."""
        self.bits = np.zeros(4 * CHUNK, np.uint8)
        """Bits are added in place: the core may be reading them."""
        self._lock = threading.Lock()
        for number, data in chunks:
            self._make_room((number + 1) * CHUNK)
            self.bits[number * CHUNK : (number + 1) * CHUNK] = np.frombuffer(data, np.uint8)

    def add(self, pages: Sequence[int] | NDArray[np.integer[Any]]) -> None:
        numbers = np.asarray(pages, np.int64)
        with self._lock:
            self._make_room(int(numbers.max(initial=0)) // 8 + 1)
            np.bitwise_or.at(self.bits, numbers // 8, (1 << numbers % 8).astype(np.uint8))

    def chunk(self, number: int) -> tuple[int, bytes]:
        """Return a part of the bits, as an entry of a table, and its number."""
        self._make_room((number + 1) * CHUNK)
        return number, self.bits[number * CHUNK : (number + 1) * CHUNK].tobytes()

    def has(self, pages: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which pages were withdrawn."""
        bits, places = self.bits, pages >> 3
        here = places < len(bits)
        gone = np.zeros(len(pages), np.bool_)
        gone[here] = bits[places[here]] >> (pages[here] & 7).astype(np.uint8) & 1 > 0
        return gone

    def __contains__(self, page: int) -> bool:
        place = page // 8
        return place < len(self.bits) and bool(self.bits[place] >> page % 8 & 1)

    def _make_room(self, size: int) -> None:
        if size > len(self.bits):
            bits = np.zeros(max(-(-size // CHUNK) * CHUNK, 2 * len(self.bits)), np.uint8)
            bits[: len(self.bits)] = self.bits
            self.bits = bits
