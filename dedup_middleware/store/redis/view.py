"""A store on a server, as it was a moment ago."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.keys import lookup_keys
from dedup_middleware.store import packing
from dedup_middleware.store.candidates import choose
from dedup_middleware.store.protocol import TableSize, text_of
from dedup_middleware.store.records import UrlRecord

from .layout import AT_ONCE, NUMBER, parts, unpacked_numbers, unpacked_page
from .method_tables import RedisTables
from .postings import Buckets, mixed, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Outline
    from dedup_middleware.store.candidates import Candidates, Found
    from dedup_middleware.store.protocol import Run, Wanted
    from dedup_middleware.store.records import PageRecord

    from .connection import Server
    from .recent import Known
    from .remembered import Remembered

FEW_RECORDS, FEW_OUTLINES = 16, 4
"""Of pages that share most keys with a page: they are fetched before anybody asks for them."""
MANY_KEYS = 4  # texts of pages that share fewer are rarely asked for
MANY_NUMBERS = 20_000
SAMPLES = 1000  # entries of a table of which the server tells the size
_SEQUENCE = b'"seq":null'
_FACTS = 7  # the first parts of what the server answers
_NOTHING = np.empty((0, 2), np.uint32)


class _Facts(NamedTuple):
    """What a look has shown besides postings."""

    page: int
    sequence: int
    url: bytes
    memory: bytes | None
    """None if its generation is known."""
    live: bytes
    runs_version: bytes
    sites_version: bytes


class ArrivedSince(NamedTuple):
    """What a commit that was not made tells, so that nobody has to look again."""

    start: int
    """Where the part of the list of pages that are gone begins."""
    answer: list[Any]
    """As that to a look."""
    pages: tuple[list[int], list[bytes | None], list[bytes | None]]
    """Numbers, records, and the runs of those that are pending."""


class RedisView:
    """What one look has shown; what it has not is fetched when somebody asks."""

    version = None

    def __init__(
        self,
        server: Server,
        store: bytes,
        own_run: int,
        remembered: Remembered,
        wanted: Wanted | None = None,
    ) -> None:
        self._server = server
        self._store = store
        self._own_run = own_run
        self._remembered = remembered
        self._wanted = wanted
        self._keys: Keys = np.empty(0, np.uint64)
        self._hosts: dict[bytes, SiteMemory] = {}
        self._records: dict[int, PageRecord | None] = {}
        self._outlines: dict[int, bytes | None] = {}
        if wanted:
            self._keys = lookup_keys(wanted.fingerprint, alike=wanted.alike)
        self._known, self._in_buckets, facts = self._look(self._keys, wanted)
        self._note(facts)

    def after(self, arrived: ArrivedSince, wanted: Wanted | None) -> RedisView | None:
        """Return the view that follows; None if it has to look itself."""
        mine = self._wanted
        known = self._remembered.take(arrived.start, *arrived.answer[_FACTS:])
        is_same = mine and wanted and mine.fingerprint is wanted.fingerprint
        if not is_same or known.buckets.folded != self._known.buckets.folded:
            return None
        view = copy(self)
        view._follow(arrived, known)  # noqa: SLF001 - its own class
        return view

    def _follow(self, arrived: ArrivedSince, known: Known) -> None:
        gone = self._remembered.gone
        self._known = known
        # what was pending may be delivered
        self._records = {
            number: record
            for number, record in self._records.items()
            if record and record.delivered and number not in gone
        }
        for number, data, run in zip(*arrived.pages, strict=True):
            if data:
                self._records[number] = unpacked_page(number, data, delivered=run is None)
        self._note(_Facts(*arrived.answer[:_FACTS]))

    def _look(self, keys: Keys, wanted: Wanted | None = None) -> tuple[Known, Found, _Facts]:
        """Find postings of keys in buckets, and with them other facts."""
        remembered, hashes = self._remembered, mixed(keys)
        buckets, has_keys = remembered.recent.known.buckets, len(keys) > 0
        about: tuple[bytes | int, ...] = (b"", b"", 0)
        if wanted:
            about = wanted.url, wanted.host, remembered.memories.generation(wanted.host)
        question = remembered.question(log=has_keys)
        then = self._get(buckets.of(hashes)) if has_keys else ()
        answer, *answers = self._server.script_and(
            "look", self._store, *about, *question, then=then
        )
        known, facts = remembered.take(question[0], *answer[_FACTS:]), _Facts(*answer[:_FACTS])
        if not has_keys:
            return known, _NOTHING, facts
        while True:
            *fetched, state = answers
            now = Buckets.unpack(state or b"")
            if now.count == buckets.count and now.folded >= known.buckets.folded:
                break
            buckets = now  # some were split meanwhile
            answers = self._server.calls(self._get(buckets.of(hashes)))
        values = [value for part in fetched for value in part]
        return known, search(hashes, known.buckets, values), facts

    def _note(self, facts: _Facts) -> None:
        self.last_page: int = facts.page
        self._last_sequence = facts.sequence
        self._runs_version, self._sites_version = facts.runs_version, facts.sites_version
        self._url = UrlRecord.unpack(facts.url) if facts.url else None
        self._live = set(unpacked_numbers(facts.live))
        self._found = self._all(self._keys, self._known, self._in_buckets)
        self._likely: list[int] = []
        self._nearest: list[int] = []
        if self._wanted:
            host, memories = self._wanted.host, self._remembered.memories
            self._hosts = {host: memories.add(host, facts.sites_version, facts.memory)}
            self._expect()

    def _all(self, keys: Keys, known: Known, in_buckets: Found) -> Found:
        """Return the postings of keys in buckets and in the log, as far as they count."""
        found = np.concatenate((in_buckets, known.search(keys)))
        found = self._remembered.gone.without(found[found[:, 1] <= self.last_page])
        return found[found[:, 0].argsort(kind="stable")]

    def _get(self, numbers: NDArray[np.int64]) -> list[tuple[Any, ...]]:
        """Return the commands that fetch buckets of postings, and then how many there are."""
        tables = self._server.tables
        return [
            *(
                ("HMGET", tables["postings"], *map(NUMBER.pack, part))
                for part in parts(numbers.tolist())
            ),
            ("GET", tables["buckets"]),
        ]

    @property
    def scheme(self) -> str:
        return self._meta("header")

    @property
    def method(self) -> str:
        return self._meta("method") or "cascade"

    def candidates(
        self, fingerprint: Fingerprint, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        keys = lookup_keys(fingerprint, alike=alike)
        return choose(keys, self._postings(fingerprint, keys), cap=cap, most=most)

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        records = self.records(numbers)
        if all(record.run == self._own_run for record in records):
            return records
        runs = self._remembered.fetch_runs(self._runs_version)
        own, live = self._own_run, self._live
        return [
            record
            for record in records
            if runs.standing(record.run, own, live) > (not record.delivered)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        wanted = list(numbers)
        self._fetch(wanted)
        found = map(self._records.__getitem__, wanted)
        return [record for record in found if record]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        known = self._remembered.pages.outlines
        for number in numbers:
            data = known.get(number)  # another thread may forget it at any moment
            if data is not None:
                self._outlines.setdefault(number, data)
        missing = [number for number in numbers if number not in self._outlines]
        self._outlines |= zip(missing, self._server.many("outlines", missing), strict=True)
        found = (self._outlines[number] for number in numbers)
        return [packing.unpack(data) if data else packing.EMPTY for data in found]

    def url(self, key: bytes) -> UrlRecord | None:
        if self._wanted and key == self._wanted.url:
            return self._url
        data = self._one("urls", key)
        return UrlRecord.unpack(data) if data else None

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        for key, data in self._server.entries("urls"):
            yield key, UrlRecord.unpack(data)

    def host(self, key: bytes) -> SiteMemory:
        if key not in self._hosts:
            memories, version = self._remembered.memories, self._sites_version
            self._hosts[key] = memories.get(key, version) or memories.add(
                key, version, self._one("sites", key) or b""
            )
        return self._hosts[key]

    def numbers(self, after: int = 0) -> Iterator[int]:
        for first in range(after + 1, self.last_page + 1, MANY_NUMBERS):
            last = min(first + MANY_NUMBERS - 1, self.last_page)
            yield from unpacked_numbers(self._server.script("numbers", first, last))

    def tables(self) -> RedisTables:
        return RedisTables(self._server)

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        data = self._one("kept", key)
        return packing.unpack(data) if data is not None else text_of(self, key, own=own)

    def runs(self) -> list[Run]:
        return list(self.numbered_runs().values())

    def numbered_runs(self) -> dict[int, Run]:
        """Return all runs whose records can be read, by number."""
        return {**self._remembered.fetch_runs(self._runs_version).known}

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        start = max(after + 1, self.first_sequence())
        for first in range(start, self._last_sequence + 1, AT_ONCE):
            sequences = range(first, min(first + AT_ONCE, self._last_sequence + 1))
            found = self._server.many("decisions", sequences)
            for sequence, packed in zip(sequences, found, strict=True):
                if packed:
                    yield numbered(packing.unpack_line(packed), sequence)

    def first_sequence(self) -> int:
        return self.counter("first_sequence")

    def last_sequence(self) -> int:
        return self._last_sequence

    def sizes(self) -> dict[str, TableSize]:
        names = self._server.tables
        counting = {"gone": "STRLEN", "buckets": "STRLEN"}
        counts = self._server.calls(
            [(counting.get(table, "HLEN"), name) for table, name in names.items()]
        )
        sizes = self._server.calls(
            [("MEMORY", "USAGE", name, "SAMPLES", SAMPLES) for name in names.values()]
        )
        return {
            table: TableSize(count // NUMBER.size if table == "gone" else count, size or 0)
            for table, count, size in zip(names, counts, sizes, strict=True)
        }

    def copies(self) -> int:
        return int(self._one("meta", b"copies") or 0)

    def arrived(self, keys: Keys, after: int) -> tuple[int, ...]:
        """Return the pages above a number that are listed under some keys."""
        known, in_buckets, _ = self._look(keys)
        pages = self._all(keys, known, in_buckets)[:, 1]
        return tuple(sorted(set(pages[pages > after].tolist())))

    def counter(self, name: str) -> int:
        """Return the highest number given out: to a page, to a run, to a decision (sequence)."""
        return int(self._one("meta", name.encode()) or 0)

    def _postings(self, fingerprint: Fingerprint, keys: Keys) -> Found:
        if self._wanted and self._wanted.fingerprint is fingerprint:
            if len(keys) == len(self._keys):
                return self._found
            if len(keys) < len(self._keys):  # only the first, for equal text
                return self._found[self._found[:, 0] < len(keys)]
        known, in_buckets, _ = self._look(keys)
        return self._all(keys, known, in_buckets)

    def _expect(self) -> None:
        """Note what will be asked for: the page of the URL, then those that share most keys."""
        if self._url:
            self._likely = [self._url.number]
        if not len(self._found):
            return
        pages, counts = np.unique(self._found[:, 1], return_counts=True)
        order = np.argsort(-counts, kind="stable")[:FEW_RECORDS]
        self._likely += pages[order].tolist()
        self._nearest = pages[order[counts[order] >= MANY_KEYS]][:FEW_OUTLINES].tolist()

    def _fetch(self, numbers: list[int]) -> None:
        """Get records, and with the first ones what will be asked for next."""
        remembered, gone = self._remembered.pages, self._remembered.gone
        nearest: list[int] = []
        if self._wanted:
            if any(number not in self._records for number in numbers):
                numbers, self._likely = [*numbers, *self._likely], []
            for number in numbers:
                record = remembered.records.get(number)
                if record and number not in gone:
                    self._records.setdefault(number, record)
        missing = [number for number in dict.fromkeys(numbers) if number not in self._records]
        if not missing:
            return
        if self._wanted:
            nearest = [one for one in self._nearest if one not in remembered.outlines]
        # pending first: what is withdrawn between the two must not seem to be delivered
        tables = ("pending", missing), ("pages", missing), ("outlines", nearest)
        commands = [
            ("HMGET", self._server.tables[table], *map(NUMBER.pack, part))
            for table, some in tables
            for part in parts(some)
        ]
        answers = iter(one for answer in self._server.calls(commands) for one in answer)
        pending, packed, texts = ([next(answers) for _ in some] for _, some in tables)
        for number, run, data in zip(missing, pending, packed, strict=True):
            self._records[number] = (
                unpacked_page(number, data, delivered=run is None) if data else None
            )
        self._outlines |= zip(nearest, texts, strict=True)
        if self._wanted:
            remembered.add(
                {
                    number: record
                    for number in missing
                    if (record := self._records[number]) and record.delivered
                },
                {number: text for number, text in zip(nearest, texts, strict=True) if text},
            )

    def _one(self, table: str, key: bytes) -> bytes | None:
        found: bytes | None = self._server.call("HGET", self._server.tables[table], key)
        return found

    def _meta(self, name: str) -> str:
        return (self._one("meta", name.encode()) or b"").decode("utf-8", "replace")


def numbered(line: bytes, sequence: int) -> bytes:
    """Write the number of a decision into its line, which was made before it had one."""
    return line.replace(_SEQUENCE, b'"seq":%d' % sequence, 1)
