"""The log of recent pages, as a process follows it."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .postings import KEY, Buckets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Found


class Known(NamedTuple):
    """What a look has shown: what is in buckets, and the pages by key of the log that goes on."""

    buckets: Buckets
    pages: defaultdict[int, list[int]]

    def search(self, keys: Keys) -> Found:
        """Find postings of keys that are not in buckets yet."""
        wanted = keys.tolist()
        if self.pages.keys().isdisjoint(wanted):
            return np.empty((0, 2), np.uint32)
        found = [
            (place, page) for place, key in enumerate(wanted) for page in self.pages.get(key, ())
        ]
        return np.array(found, np.uint32).reshape(-1, 2)


class Log:
    """The part of the log that is not in buckets; threads may share it.

    >>> log = Log()
    >>> known = log.follow(Buckets(), [np.array([5, 6], KEY).tobytes(), b""], 1)
    >>> known.search(np.array([7, 6], np.uint64)).tolist(), log.last
    ([[1, 1]], 2)
    """

    def __init__(self) -> None:
        self.known = Known(Buckets(), defaultdict(list))
        self.last = 0
        """The last page that is known here."""
        self._keys: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    def follow(self, buckets: Buckets, entries: Sequence[bytes], first: int) -> Known:
        """Take over the log from a page on, and what was compacted meanwhile."""
        with self._lock:
            if buckets.folded > self.known.buckets.folded:
                self._drop(buckets)
            for page, keys in enumerate(entries, first):
                if page > self.last:
                    self._add(page, keys)
            return self.known

    def _add(self, page: int, packed: bytes) -> None:
        self._keys[page] = keys = np.frombuffer(packed, KEY).tolist()
        self.last = page
        pages = self.known.pages
        for key in keys:
            pages[key].append(page)

    def _drop(self, buckets: Buckets) -> None:
        """Forget what is in buckets now; whoever looks at it has the old one."""
        left = {page: keys for page, keys in self._keys.items() if page > buckets.folded}
        pages: defaultdict[int, list[int]] = defaultdict(list)
        for page, keys in left.items():
            for key in keys:
                pages[key].append(page)
        self._keys, self.known = left, Known(buckets, pages)
        self.last = max(self.last, buckets.folded)
