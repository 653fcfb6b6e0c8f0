"""What is known in memory, and how it is looked at."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.fingerprint.keys import lookup_keys
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteCounts
from dedup_middleware.page import Page
from dedup_middleware.read import read

from .candidates import choose
from .protocol import TableSize, text_of
from .runs import Standing, standing
from .tables import MemoryTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Outline

    from .candidates import Candidates
    from .protocol import Run
    from .records import PageRecord, UrlRecord


@dataclass(slots=True)
class Memory:
    """What runs in one process share."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    method: str = ""
    last_page: int = 0
    pages: dict[int, PageRecord] = field(default_factory=dict)
    outlines: dict[int, Outline] = field(default_factory=dict)
    urls: dict[bytes, UrlRecord] = field(default_factory=dict)
    kept: dict[bytes, Outline] = field(default_factory=dict)
    postings: dict[int, list[int]] = field(default_factory=dict)
    posted: dict[int, list[int]] = field(default_factory=dict)
    """The keys of each page."""
    tables: MemoryTables = field(default_factory=MemoryTables)
    runs: list[Run] = field(default_factory=list)
    alive: set[str] = field(default_factory=set)
    """The processes that are still at it."""
    decisions: list[bytes] = field(default_factory=list)
    sites: dict[bytes, SiteMemory] = field(default_factory=dict)
    site_counts: dict[bytes, SiteCounts] = field(default_factory=dict)

    def is_alive(self, run: Run) -> bool:
        return run["process"] in self.alive

    def waiting(self, name: str | None = None) -> list[Run]:
        """List the processes whose pages do not count for other runs yet."""
        return [
            run
            for run in self.runs
            if run["commit"] == "finish"
            and not {"committed", "discarded"} & run.keys()
            and name in (None, run["run"])
        ]


class MemoryView:
    """What is known now; pages that come later are not seen, other changes are."""

    def __init__(self, memory: Memory, own_run: int) -> None:
        self._memory = memory
        self._own_run = own_run
        self.last_page = memory.last_page
        self.version = None
        self.scheme = f"{SCHEME} memory"
        self.method = memory.method or "cascade"

    def candidates(
        self, fingerprint: Fingerprint, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        keys = lookup_keys(fingerprint, alike=alike)
        found = [
            (place, page) for place, key in enumerate(keys.tolist()) for page in self._listed(key)
        ]
        return choose(keys, np.array(found, np.uint32).reshape(-1, 2), cap=cap, most=most)

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        return [
            record
            for record in self.records(numbers)
            if self._run_standing(record.run) > (not record.delivered)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        pages = self._memory.pages
        return [record for number in numbers if (record := pages.get(number))]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        known = self._memory.outlines  # one that was withdrawn meanwhile has no text any more
        return [known.get(number) or read(Page(url="", text="")) for number in numbers]

    def url(self, key: bytes) -> UrlRecord | None:
        return self._memory.urls.get(key)

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        with self._memory.lock:
            return iter([*self._memory.urls.items()])

    def host(self, key: bytes) -> SiteMemory:
        return self._memory.sites.get(key, UNKNOWN_SITE)

    def numbers(self, after: int = 0) -> Iterator[int]:
        with self._memory.lock:
            known = list(self._memory.pages)
        return (number for number in known if after < number <= self.last_page)

    def tables(self) -> MemoryTables:
        return self._memory.tables

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        return self._memory.kept.get(key) or text_of(self, key, own=own)

    def runs(self) -> list[Run]:
        with self._memory.lock:
            return [run.copy() for run in self._memory.runs]

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        return iter(self._memory.decisions[after:])

    def first_sequence(self) -> int:
        return 1

    def last_sequence(self) -> int:
        return len(self._memory.decisions)

    def sizes(self) -> dict[str, TableSize]:
        return {}

    def copies(self) -> int:
        with self._memory.lock:
            return sum(record.alias for record in self._memory.urls.values())

    def _listed(self, key: int) -> list[int]:
        with self._memory.lock:
            return [one for one in self._memory.postings.get(key, ()) if one <= self.last_page]

    def _run_standing(self, number: int) -> Standing:
        if number == self._own_run:
            return Standing.ALL
        run, own = (self._memory.runs[one - 1] for one in (number, self._own_run))
        return standing(run, own["run"], self._memory.is_alive)
