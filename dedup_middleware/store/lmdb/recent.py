"""The newest postings, in memory: those of pages that no sorted run holds yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import NUMBER_KEY, unsealed

if TYPE_CHECKING:
    from collections.abc import Iterable

    import lmdb
    from numpy.typing import NDArray

    from dedup_middleware.store.keys import Keys

_ENTRY = np.dtype([("key", "<u8"), ("page", "<u4")])


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


class Recent:
    """The postings of all pages above a number; what is added stays, also for older views."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.last = after
        """The last page that it knows of."""
        self._pages: dict[int, int | tuple[int, ...]] = {}

    def add(self, keys: Iterable[int], page: int) -> None:
        """Enter a page under some keys; pages come in ascending order."""
        pages = self._pages
        for key in keys:
            known = pages.get(key)
            if known is None:
                pages[key] = page
            else:
                pages[key] = (known, page) if isinstance(known, int) else (*known, page)
        self.last = max(self.last, page)

    def catch_up(self, txn: lmdb.Transaction, table: Any, upto: int) -> None:
        """Add the pages that were registered since, also by others."""
        if upto <= self.last:
            return
        with txn.cursor(table) as cursor:
            if cursor.set_range(NUMBER_KEY.pack(self.last + 1)):
                for key, data in cursor:
                    self._add_entry(unsealed(bytes(key), data) or b"")
        self.last = max(self.last, upto)  # some have no postings

    def _add_entry(self, data: bytes) -> None:
        keys, pages = unpacked(data)
        for page in np.unique(pages).tolist():
            self.add(keys[pages == page].tolist(), page)

    def search(self, keys: list[int], upto: int) -> tuple[list[int], list[int]]:
        """Return the places of keys that were found and the pages they lead to, side by side."""
        places: list[int] = []
        numbers: list[int] = []
        for place, key in enumerate(keys):
            known = self._pages.get(key)
            if known is None:
                continue
            for page in (known,) if isinstance(known, int) else known:
                if page <= upto:
                    places.append(place)
                    numbers.append(page)
        return places, numbers
