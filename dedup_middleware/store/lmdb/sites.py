"""Counts of hosts that were learned last, so that not each page must unpack and pack them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.site import SiteCounts

MOST_HOSTS = 64


class SiteCache:
    """The counts of some hosts; to be used inside a write transaction only."""

    def __init__(self) -> None:
        self.is_sole = False
        """Whether nobody else writes: then counts need not be written with each page."""
        self._counts: OrderedDict[bytes, SiteCounts] = OrderedDict()
        self._unwritten: set[bytes] = set()

    def __getitem__(self, key: bytes) -> SiteCounts | None:
        """Return the counts of a host if they are kept."""
        return self._counts.get(key)

    def keep(self, key: bytes, counts: SiteCounts, *, written: bool) -> dict[bytes, SiteCounts]:
        """Keep the counts of a host; return those that make room for them and must be written."""
        self._counts[key] = counts
        self._counts.move_to_end(key)
        (self._unwritten.discard if written else self._unwritten.add)(key)
        if len(self._counts) <= MOST_HOSTS:
            return {}
        oldest, dropped = self._counts.popitem(last=False)
        if oldest not in self._unwritten:
            return {}
        self._unwritten.discard(oldest)
        return {oldest: dropped}

    def unwritten(self) -> dict[bytes, SiteCounts]:
        """Return what must still be written; it counts as written from now on."""
        keys, self._unwritten = self._unwritten, set()
        return {key: self._counts[key] for key in keys}
