"""A store at one moment: pages, URLs, hosts, runs and decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from dedup_middleware.fingerprint.scheme import lookup_keys

from . import packing
from .engine import NUMBER, choose, number_of
from .hosts import entries_left, revisits_of
from .packing import PageRecord, UrlRecord
from .runs import may_be_original
from .tables import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Outline

    from .engine import Candidates, Snapshot, TableSize
    from .hosts import Hosts
    from .runs import Run, Runs


class View:
    """What was known at one moment.

    Pages that come later are not seen. Whether other changes are, is left to the engine: `commit`
    finds those that matter.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        hosts: Hosts,
        runs: Runs,
        own_run: int,
        is_alive: Callable[[int, Run], bool],
    ) -> None:
        self.snapshot = snapshot
        self.last_page = snapshot.last_page
        self.version = snapshot.version
        self._hosts = hosts
        self._runs = runs
        self._own_run = own_run
        self.is_alive = is_alive
        self.asked: set[bytes] = set()
        """The keys of URLs and hosts that were looked up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.snapshot.__exit__(*error)

    @property
    def scheme(self) -> str:
        """The scheme of the fingerprints and the format of the store."""
        return self._meta(b"header")

    @property
    def method(self) -> str:
        """The method that indexed the pages."""
        return self._meta(b"method") or "cascade"

    def candidates(
        self, fingerprint: Fingerprint, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        """Return the pages that share keys with a page, at most `most` of each kind of key.

        Those that share rare keys come first. A key with `cap` pages takes no more.
        """
        keys = lookup_keys(fingerprint, alike=alike)
        return choose(keys, self.snapshot.search(keys), cap=cap, most=most)

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        """Return those pages that may be originals, as `runs.may_be_original` says."""
        if not numbers:
            return []
        own = self._own_run
        return [
            record
            for record in self.records(numbers)
            if record.run == own or self.may_be_original(record)
        ]

    def may_be_original(self, record: PageRecord, asked: list[Run] | None = None) -> bool:
        """Return True if a page of another process may be an original.

        `asked` gets its run if that depends on whether the process is alive.
        """

        def is_alive(run: Run) -> bool:
            if asked is not None:
                asked.append(run)
            return self.is_alive(record.run, run)

        runs = self._runs.of(self.snapshot)
        own = runs.get(self._own_run)
        name = own["run"] if own else ""
        return may_be_original(runs.get(record.run), name, is_alive, delivered=record.delivered)

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        """Return pages whatever their state; those that were removed are left out."""
        wanted = list(numbers)
        if not wanted:
            return []
        keys = list(map(NUMBER.pack, wanted))
        # pending first: what is withdrawn between the two must not seem to be delivered
        pending, found = (self.snapshot.get(table, keys) for table in ("pending", "pages"))
        unpack = PageRecord.unpack
        return [
            unpack(number, data, delivered=mark is None)
            for number, data, mark in zip(wanted, found, pending, strict=True)
            if data
        ]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        """Return the texts of pages; that of a page which was removed since may be empty."""
        found = self.snapshot.get("outlines", list(map(NUMBER.pack, numbers)))
        # one that is damaged is like no other
        return [packing.unpack(data) if data else packing.EMPTY for data in found]

    def url(self, key: bytes) -> UrlRecord | None:
        self.asked.add(key)
        data = self.snapshot.get("urls", (key,))[0]
        return None if data is None else UrlRecord.unpack(data)

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        """Yield what was seen at all URLs, by their keys."""
        for key, data in self.snapshot.scan("urls"):
            if data is not None:
                yield key, UrlRecord.unpack(data)

    def host(self, key: bytes) -> SiteMemory:
        """Return what is known of a host."""
        self.asked |= {key, revisits_of(key)}
        return self._hosts.memory(self.snapshot, key)

    def arrivals_left(self, host: bytes) -> int:
        """Return how many pages of a host it takes to publish its next generation."""
        return entries_left(self.snapshot, host)

    def numbers(self, after: int = 0) -> Iterator[int]:
        """Yield the numbers of all pages above one, ascending, whatever their state."""
        for key, data in self.snapshot.scan("pages", NUMBER.pack(after + 1)):
            (number,) = NUMBER.unpack(key)
            if number > self.last_page:
                return
            if data is not None:
                yield number

    def tables(self) -> Tables:
        """Return the tables of the method that indexed the pages."""
        return Tables(self.snapshot)

    def last_text(self, key: bytes, *, own: bool = False) -> Outline | None:
        """Return what a URL showed last; of an exact copy the original's text, unless `own`."""
        known = self.url(key)
        has_page = known is not None and not known.alias  # of such a URL no other text is kept
        data = None if has_page else self.snapshot.get("redundant", (key,))[0]
        if data is not None:
            return packing.unpack(data)
        if known is None or (own and known.alias) or not self.records([known.number]):
            return None
        return self.outlines([known.number])[0]

    def runs(self) -> list[Run]:
        """Return all runs, oldest first; of several processes each one."""
        return list(self.numbered_runs().values())

    def numbered_runs(self) -> dict[int, Run]:
        """Return all runs whose records can be read, by number."""
        return {number: run.copy() for number, run in self._runs.of(self.snapshot).items()}

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        """Yield the decisions above a sequence number, each as JSON."""
        first = max(after + 1, self.first_sequence())
        for key, data in self.snapshot.scan("decisions", NUMBER.pack(first)):
            if data is not None:
                yield packing.numbered(packing.unpack_line(data), NUMBER.unpack(key)[0])

    def first_sequence(self) -> int:
        """Return the number of the first decision that was not forgotten."""
        return self.counter(b"forgotten") + 1

    def last_sequence(self) -> int:
        return self.snapshot.last_sequence

    def sizes(self) -> dict[str, TableSize]:
        """Return how much each table holds."""
        return self.snapshot.sizes()

    def copies(self) -> int:
        """Count the URLs that show what another page shows."""
        return sum(record.alias for _, record in self.url_records())

    def counter(self, name: bytes) -> int:
        """Return a number that is kept in `meta`: the last run, the last forgotten decision."""
        return number_of(self.snapshot.get("meta", (name,))[0])

    def _meta(self, name: bytes) -> str:
        return (self.snapshot.get("meta", (name,))[0] or b"").decode("utf-8", "replace")
