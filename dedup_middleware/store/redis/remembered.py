"""What a process remembers of a store on a server, so that it is not sent each time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory

from .recent import Known, Recent
from .runs import Runs

if TYPE_CHECKING:
    from dedup_middleware.store.candidates import Found
    from dedup_middleware.store.records import PageRecord

    from .connection import Server

MOST_HOSTS = 1024
MOST_RECORDS, MOST_OUTLINES = 4096, 1024
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

    def __contains__(self, page: int) -> bool:
        place = page // 8
        return place < len(self._bits) and bool(self._bits[place] >> page % 8 & 1)


class Memories:
    """What was last known of some hosts; it changes rarely, and is looked at for each page."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[bytes, SiteMemory]] = {}

    def generation(self, host: bytes) -> int:
        known = self._known.get(host)
        return known[1].generation if known else 0

    def get(self, host: bytes, version: bytes) -> SiteMemory | None:
        """Return what is known of a host, if nothing has changed at any of them since."""
        known = self._known.get(host)
        return known[1] if known and known[0] == version else None

    def add(self, host: bytes, version: bytes, data: bytes | None) -> SiteMemory:
        """Remember what is known of a host; None: what was remembered still holds."""
        known = self._known.get(host)
        if data is None:
            memory = known[1] if known else UNKNOWN_SITE
        else:
            memory = SiteMemory.unpack(data) if data else UNKNOWN_SITE
        if len(self._known) >= MOST_HOSTS:
            self._known.clear()
        self._known[host] = version, memory
        return memory


class Pages:
    """Records and texts of some pages that are delivered: of those only the state can change."""

    def __init__(self) -> None:
        self.records: dict[int, PageRecord] = {}
        self.outlines: dict[int, bytes] = {}
        self._lock = threading.Lock()

    def add(self, records: dict[int, PageRecord], outlines: dict[int, bytes]) -> None:
        with self._lock:
            self.records |= records
            self.outlines |= outlines
            _shorten(self.records, MOST_RECORDS)
            _shorten(self.outlines, MOST_OUTLINES)


class Remembered:
    """All that is remembered of one store."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.runs = Runs()
        self.recent = Recent()
        self.gone = Gone()
        self.memories = Memories()
        self.pages = Pages()

    def fetch_runs(self, version: bytes = b"") -> Runs:
        """Fetch what is known of runs, unless a version is known already."""
        if not version or version != self.runs.version:
            self.runs = Runs.fetch(self._server)
        return self.runs

    def question(self, *, log: bool = True) -> tuple[int, int, int]:
        """Return what is known, so that only the rest is sent; without the log nothing of that."""
        recent = self.recent
        return self.gone.end, recent.known.buckets.folded, recent.last if log else -1

    def take(
        self, start: int, withdrawn: bytes, packed: bytes, first: int, log: list[bytes | None]
    ) -> Known:
        """Remember what was sent since."""
        self.gone.add(start, withdrawn)
        return self.recent.follow(packed, log, first)


def _shorten(known: dict[int, Any], most: int) -> None:
    """Forget what has been known longest, if there is more than so much."""
    if len(known) > most:
        for number in list(known)[: most // 4]:
            del known[number]
