"""What is counted of hosts: packed with each generation, and what arrived since as it came."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import Arrival, SiteCounts

from .layout import NUMBER_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    Entry = Callable[[str, bytes], bytes | None]

MOST_HOSTS = 64


class SiteCache:
    """The counts of the hosts that were learned of last; used by one writer at a time."""

    def __init__(self) -> None:
        self._counts: OrderedDict[bytes, SiteCounts] = OrderedDict()

    def counts(self, host: bytes, entry: Entry) -> SiteCounts:
        """Return the counts of a host as they are in the store."""
        stored = stored_pages(host, entry)
        counts = self._counts.pop(host, None)
        if counts is None or counts.pages > stored:  # what was learned last was never written
            packed = entry("site_counts", host)
            counts = SiteCounts.unpack(packed) if packed else SiteCounts()
        for number in range(counts.pages + 1, stored + 1):  # what others have learned
            arrival = entry("arrivals", arrival_key(host, number))
            if arrival is None:
                break  # damaged
            counts.learn(Arrival.unpack(arrival))
        self._counts[host] = counts
        if len(self._counts) > MOST_HOSTS:
            self._counts.popitem(last=False)
        return counts

    def clear(self) -> None:
        """Forget what may not have been written."""
        self._counts.clear()


def stored_pages(host: bytes, entry: Entry) -> int:
    """Return how many pages of a host were counted."""
    data = entry("site_pages", host)
    return NUMBER_KEY.unpack(data)[0] if data else 0


def arrival_key(host: bytes, number: int) -> bytes:
    return host + NUMBER_KEY.pack(number)
