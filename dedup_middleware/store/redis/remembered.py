"""What a process remembers of a store on a server, so that it is not sent each time."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory

from .layout import FEWEST_BUCKETS

if TYPE_CHECKING:
    from dedup_middleware.store.candidates import Found

MOST_HOSTS = 1024
_ROOM = 1 << 12


class Gone:
    """A copy of the server's list of withdrawn pages, to which postings may still lead.

    It has a bit for each page.

    >>> gone = Gone()
    >>> gone.add(0, np.array([2], ">u4").tobytes())
    >>> gone.without(np.array([[0, 1], [0, 2]], np.uint32)).tolist(), gone.end
    ([[0, 1]], 4)
    """

    def __init__(self) -> None:
        self.end = 0
        """Up to which byte the list is known."""
        self._bits = np.zeros(_ROOM, np.uint8)
        self._lock = threading.Lock()

    def add(self, start: int, data: bytes) -> None:
        """Take over a part of the list."""
        if not data:
            return
        pages = np.frombuffer(data, ">u4").astype(np.int64)
        with self._lock:
            size = int(pages.max()) // 8 + 1
            if size > len(self._bits):
                bits = np.zeros(max(size, 2 * len(self._bits)), np.uint8)
                bits[: len(self._bits)] = self._bits
                self._bits = bits
            np.bitwise_or.at(self._bits, pages // 8, (1 << pages % 8).astype(np.uint8))
            self.end = max(self.end, start + len(data))

    def without(self, found: Found) -> Found:
        """Leave out the postings of pages that are gone."""
        bits = self._bits
        if not self.end or not len(found):
            return found
        pages = found[:, 1].astype(np.int64)
        places = pages // 8
        here = places < len(bits)
        gone = np.zeros(len(found), bool)
        gone[here] = bits[places[here]] >> (pages[here] % 8) & 1 > 0
        return found[~gone]


class Memories:
    """What was last known of some hosts; it changes rarely, and is looked at for each page."""

    def __init__(self) -> None:
        self._known: dict[bytes, SiteMemory] = {}

    def get(self, host: bytes) -> SiteMemory | None:
        return self._known.get(host)

    def add(self, host: bytes, data: bytes) -> SiteMemory:
        memory = site_memory(data)
        if len(self._known) >= MOST_HOSTS:
            self._known.clear()
        self._known[host] = memory
        return memory


class Remembered:
    """All that is remembered of one store."""

    def __init__(self) -> None:
        self.buckets = FEWEST_BUCKETS
        """How many buckets of postings there were last."""
        self.gone = Gone()
        self.memories = Memories()


@lru_cache(maxsize=32)
def site_memory(data: bytes) -> SiteMemory:
    """Return what is known of a host, as it was packed; nothing if it was not."""
    return SiteMemory.unpack(data) if data else UNKNOWN_SITE
