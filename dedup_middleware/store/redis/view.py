"""A store on a server, as it was a moment ago."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.fingerprint.keys import lookup_keys
from dedup_middleware.fingerprint.site import UNKNOWN_SITE
from dedup_middleware.store import packing
from dedup_middleware.store.candidates import choose
from dedup_middleware.store.protocol import TableSize
from dedup_middleware.store.records import UrlRecord

from .index import RedisTables
from .layout import (
    NUMBER,
    buckets_of,
    packed_numbers,
    postings_of,
    unpacked_numbers,
    unpacked_page,
)
from .remembered import site_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.read import Outline
    from dedup_middleware.store.candidates import Candidates, Found
    from dedup_middleware.store.protocol import Run, Wanted
    from dedup_middleware.store.records import PageRecord

    from .connection import Server
    from .remembered import Remembered
    from .runs import Runs

FEW_RECORDS, FEW_OUTLINES = 16, 8
"""Of pages that share most keys with a page: they are fetched before anybody asks for them."""
AT_ONCE = 1000  # entries that are fetched together
MANY_NUMBERS = 20_000
SAMPLES = 1000  # entries of a table of which the server tells the size
_SEQUENCE = b'"seq":null'


class RedisView:
    """What one look has shown; what it has not is fetched when somebody asks."""

    version = None

    def __init__(
        self,
        server: Server,
        store: bytes,
        own_run: int,
        remembered: Remembered,
        runs: Runs,
        wanted: Wanted | None = None,
    ) -> None:
        self._server = server
        self._store = store
        self._own_run = own_run
        self._remembered = remembered
        self._runs = runs
        self._gone = remembered.gone
        self._memories = remembered.memories
        self._wanted = wanted
        self._keys: Keys = np.empty(0, np.uint64)
        self._hosts: dict[bytes, SiteMemory] = {}
        self._records: dict[int, bytes | None] = {}
        self._outlines: dict[int, bytes | None] = {}
        if wanted:
            self._keys = lookup_keys(wanted.fingerprint, alike=wanted.alike)
        self._look()

    def _look(self) -> None:
        wanted, start = self._wanted, self._gone.end
        known = self._memories.get(wanted.host) if wanted else None
        arguments = (
            self._store,
            wanted.url if wanted else b"",
            wanted.host if wanted else b"",
            known.generation if known else 0,
            start,
        )
        buckets = buckets_of(self._keys, self._remembered.buckets)
        if buckets:
            answer, *answers = self._server.script_and("look", *arguments, then=self._get(buckets))
            entries = self._entries(self._keys, buckets, answers)
        else:
            answer, entries = self._server.script("look", *arguments), b""
        self.last_page: int = answer[0]
        self._last_sequence: int = answer[1]
        url, memory, live, gone, self._runs_version = answer[2:]
        self._gone.add(start, gone)
        self._url = UrlRecord.unpack(url) if url else None
        self._live = set(unpacked_numbers(live))
        self._found = self._gone.without(postings_of(self._keys, entries, self.last_page))
        if wanted:
            if memory != b"known":
                known = self._memories.add(wanted.host, memory)
            self._hosts[wanted.host] = known or UNKNOWN_SITE
        self._likely = self._likely_pages()

    def _get(self, buckets: bytes) -> list[tuple[Any, ...]]:
        """Return the commands that fetch buckets of postings, and then how many there are."""
        tables, size = self._server.tables, NUMBER.size
        fields = [buckets[at : at + size] for at in range(0, len(buckets), size)]
        parts = [fields[at : at + AT_ONCE] for at in range(0, len(fields), AT_ONCE)]
        return [
            *(("HMGET", tables["postings"], *part) for part in parts),
            ("HGET", tables["meta"], "buckets"),
        ]

    def _entries(self, keys: Keys, buckets: bytes, answers: list[Any]) -> bytes:
        """Return the postings in buckets; fetch them again if one was split meanwhile."""
        while True:
            *found, count = answers
            self._remembered.buckets = int(count)
            now = buckets_of(keys, self._remembered.buckets)
            if now == buckets:
                return b"".join(one for part in found for one in part if one)
            buckets = now
            answers = self._server.calls(self._get(buckets))

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
        runs, own, live = self._runs.refresh(self._runs_version), self._own_run, self._live
        return [
            record
            for record in records
            if runs.standing(record.run, own, live) > (not record.delivered)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        wanted = list(numbers)
        self._fetch(wanted)
        found = ((number, self._records[number]) for number in wanted)
        return [unpacked_page(number, data) for number, data in found if data]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        missing = [number for number in numbers if number not in self._outlines]
        self._outlines |= zip(missing, self._many("outlines", missing), strict=True)
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
            self._hosts[key] = site_memory(self._one("sites", key) or b"")
        return self._hosts[key]

    def numbers(self, after: int = 0) -> Iterator[int]:
        for first in range(after + 1, self.last_page + 1, MANY_NUMBERS):
            last = min(first + MANY_NUMBERS - 1, self.last_page)
            yield from unpacked_numbers(self._server.script("numbers", first, last))

    def tables(self) -> RedisTables:
        return RedisTables(self._server)

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        data = self._one("kept", key)
        if data is not None:
            return packing.unpack(data)
        known = self.url(key)
        if known is None or (own and known.alias) or not self.records([known.number]):
            return None
        return self.outlines([known.number])[0]

    def runs(self) -> list[Run]:
        return list(self.numbered_runs().values())

    def numbered_runs(self) -> dict[int, Run]:
        """Return all runs whose records can be read, by number."""
        return {**self._runs.refresh(self._runs_version).known}

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        start = max(after + 1, self.first_sequence())
        for first in range(start, self._last_sequence + 1, AT_ONCE):
            sequences = range(first, min(first + AT_ONCE, self._last_sequence + 1))
            for sequence, packed in zip(sequences, self._many("decisions", sequences), strict=True):
                if packed:
                    yield numbered(packing.unpack_line(packed), sequence)

    def first_sequence(self) -> int:
        return self.counter("first_sequence")

    def last_sequence(self) -> int:
        return self._last_sequence

    def sizes(self) -> dict[str, TableSize]:
        names = self._server.tables
        counting = {"pending": "SCARD", "gone": "STRLEN"}
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

    def is_live(self, run: int) -> bool:
        """Return True if a run was alive then."""
        return run in self._live

    def counter(self, name: str) -> int:
        """Return the highest number given out: to a page, to a run, to a decision (sequence)."""
        return int(self._one("meta", name.encode()) or 0)

    def _postings(self, fingerprint: Fingerprint, keys: Keys) -> Found:
        if self._wanted and self._wanted.fingerprint is fingerprint:
            if len(keys) == len(self._keys):
                return self._found
            if len(keys) < len(self._keys):  # only the first, for equal text
                return self._found[self._found[:, 0] < len(keys)]
        start = self._gone.end
        buckets = buckets_of(keys, self._remembered.buckets)
        answer, *answers = self._server.script_and(
            "look", self._store, b"", b"", 0, start, then=self._get(buckets)
        )
        self._gone.add(start, answer[5])
        entries = self._entries(keys, buckets, answers)
        return self._gone.without(postings_of(keys, entries, self.last_page))

    def _likely_pages(self) -> list[int]:
        """List what will be asked for: the page of the URL, then those that share most keys."""
        pages, counts = np.unique(self._found[:, 1], return_counts=True)
        most: list[int] = pages[np.argsort(-counts, kind="stable")[:FEW_RECORDS]].tolist()
        return ([self._url.number] if self._url else []) + most

    def _fetch(self, numbers: list[int]) -> None:
        """Get records, and with the first ones what will be asked for next."""
        missing = [number for number in numbers if number not in self._records]
        if missing and self._likely:
            likely, self._likely = list(dict.fromkeys(self._likely)), []
            records, outlines, hosts = self._server.script(
                "pages", self._store, packed_numbers(likely), min(len(likely), FEW_OUTLINES)
            )
            self._records |= zip(likely, records, strict=True)
            self._outlines |= zip(likely, outlines, strict=False)
            for host, memory in zip(hosts[::2], hosts[1::2], strict=True):
                self._hosts.setdefault(host, site_memory(memory))
            missing = [number for number in missing if number not in self._records]
        self._records |= zip(missing, self._many("pages", missing), strict=True)

    def _many(self, table: str, numbers: Sequence[int]) -> list[bytes | None]:
        if not numbers:
            return []
        name = self._server.tables[table]
        commands = [("HMGET", name, *map(NUMBER.pack, part)) for part in _parts(numbers)]
        return [one for answer in self._server.calls(commands) for one in answer]

    def _one(self, table: str, key: bytes) -> bytes | None:
        found: bytes | None = self._server.call("HGET", self._server.tables[table], key)
        return found

    def _meta(self, name: str) -> str:
        return (self._one("meta", name.encode()) or b"").decode("utf-8", "replace")


def numbered(line: bytes, sequence: int) -> bytes:
    """Write the number of a decision into its line, which was made before it had one."""
    return line.replace(_SEQUENCE, b'"seq":%d' % sequence, 1)


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for first in range(0, len(numbers), AT_ONCE):
        yield numbers[first : first + AT_ONCE]
