"""The memtable: the newest postings, of pages that no segment holds yet."""

from __future__ import annotations

import secrets
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware import core
from dedup_middleware.store.engine import NUMBER

from .layout import unsealed

if TYPE_CHECKING:
    from collections.abc import Iterable

    import lmdb
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Pages

    Postings = NDArray[np.uint64]
    """A key and a page in each row."""

_ENTRY = np.dtype([("key", "<u8"), ("page", "<u4")])
_HEAD = 2  # numbers of a hash table before its slots
_FEW_SLOTS = 1 << 12
_GROWTH = 2


def packed(postings: Iterable[tuple[Keys, int]]) -> bytes:
    """Pack the keys of some pages for the table of recent postings."""
    entries = []
    for keys, page in postings:
        entry = np.empty(len(keys), _ENTRY)
        entry["key"], entry["page"] = keys, page
        entries.append(entry.tobytes())
    return b"".join(entries)


def unpacked(data: bytes) -> tuple[Keys, NDArray[np.int64]]:
    """Return the keys and the pages of recent postings, side by side."""
    entries = np.frombuffer(data, _ENTRY)
    return entries["key"].astype(np.uint64), entries["page"].astype(np.int64)


class Memtable:
    """The postings of all pages above a number; what is added stays, also for older views.

    They stand in a hash table where the core finds them; `native/src/recent.rs` says how.
    """

    def __init__(self, after: int, before: Memtable | None = None) -> None:
        """Begin after a page; `before` says how many postings may come."""
        self.after = after
        self.last = after
        """The last page that it knows of."""
        self.slots: NDArray[np.uint64] = _hash_table(
            _slot_count(before.slots) if before else _FEW_SLOTS
        )
        self.lock = threading.Lock()
        """Held while the table is searched or changed."""

    def add(self, keys: Keys, pages: Pages | int) -> None:
        """Enter pages, each under a key, or one under all; they come in ascending order."""
        postings = np.empty((len(keys), 2), np.uint64)
        postings[:, 0], postings[:, 1] = keys, pages
        with self.lock:
            while not _added(self.slots, postings):
                slots = self.slots[_HEAD:].reshape(-1, 2)
                taken = slots[slots[:, 1] > 0]
                self.slots = _hash_table(_GROWTH * len(slots))
                # pages of one key stay in the order in which they came
                _added(self.slots, taken[np.argsort(taken[:, 1], kind="stable")])
        if len(keys):
            self.last = max(self.last, int(postings[-1, 1]))

    def catch_up(self, txn: lmdb.Transaction, table: Any, upto: int) -> None:
        """Add the pages that were registered since, also by others."""
        if upto <= self.last:
            return
        with txn.cursor(table) as cursor:
            if cursor.set_range(NUMBER.pack(self.last + 1)):
                for key, data in cursor:
                    keys, pages = unpacked(unsealed("recent", bytes(key), data) or b"")
                    new = pages > self.last
                    self.add(keys[new], pages[new])
        self.last = max(self.last, upto)  # some have no postings


def _hash_table(slots: int) -> NDArray[np.uint64]:
    numbers = np.zeros(_HEAD + 2 * slots, np.uint64)
    numbers[0] = secrets.randbits(64) | 1
    return numbers


def _slot_count(table: NDArray[np.uint64]) -> int:
    return (len(table) - _HEAD) // 2


def _added(table: NDArray[np.uint64], postings: Postings) -> bytes:
    """Add postings to a hash table; return nothing if they have no room."""
    data = postings.astype("<u8").tobytes()
    return core.call("add_newest", data, table.ctypes.data, len(table))
