"""Counts of hosts that were written last, so that each page need not unpack them again."""

from __future__ import annotations

from collections import OrderedDict

from dedup_middleware.fingerprint.site import SiteCounts

MOST_HOSTS = 64


class SiteCache:
    """The counts of some hosts; to be used inside a write transaction only."""

    def __init__(self) -> None:
        self._counts: OrderedDict[bytes, SiteCounts] = OrderedDict()

    def get(self, key: bytes, packed: bytes | None) -> SiteCounts:
        """Return the counts of a host, unpacked anew if they are not those that were kept."""
        counts = self._counts.pop(key, None)
        stored = SiteCounts.packed_pages(packed) if packed else 0
        if counts is None or counts.pages != stored:
            counts = SiteCounts.unpack(packed) if packed else SiteCounts()
        self._counts[key] = counts
        if len(self._counts) > MOST_HOSTS:
            self._counts.popitem(last=False)
        return counts
