"""An LMDB store at one moment."""

from __future__ import annotations

import logging
from functools import lru_cache
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.fingerprint.keys import lookup_keys
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory
from dedup_middleware.store import packing
from dedup_middleware.store.candidates import choose
from dedup_middleware.store.protocol import TableSize, text_of
from dedup_middleware.store.records import PageRecord, UrlRecord
from dedup_middleware.store.runs import Standing, standing, unpacked_run

from . import gone
from .buffer import MISSING
from .layout import NUMBER_KEY, SEQUENCE_KEY, UNCHECKED, joined, unsealed
from .manifest import Manifest
from .method_tables import LmdbTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import lmdb
    import numpy as np
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.read import Outline
    from dedup_middleware.store.candidates import Candidates, Found
    from dedup_middleware.store.protocol import Run

    from .buffer import Buffer
    from .environment import Environment
    from .recent import Recent

logger = logging.getLogger(__name__)
_key = itemgetter(0)


class View:
    """One snapshot of the store, and what is not written yet."""

    def __init__(
        self,
        environment: Environment,
        txn: lmdb.Transaction,
        buffer: Buffer,
        own_run: int,
        is_alive: Callable[[Run], bool],
        recent: Recent | None = None,
        *,
        strict: bool = True,
    ) -> None:
        self._environment = environment
        self._db = environment.db
        self._txn = txn
        self._buffer = buffer
        self._recent = recent
        self._own_run = own_run
        self._is_alive = is_alive
        self._is_strict = strict
        self._standing = {own_run: Standing.ALL}
        self.last_page = self.counter("page")
        self.version: int | None = environment.commits.version(txn)

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
        return choose(keys, self._postings(keys), cap=cap, most=most)

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        return [
            record
            for record in self.records(numbers)
            if self._run_standing(record.run) > (not record.delivered)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        wanted = list(numbers)
        found = self._entries_at("pages", [NUMBER_KEY.pack(number) for number in wanted])
        pairs = zip(wanted, found, strict=True)
        return [PageRecord.unpack(number, data) for number, data in pairs if data]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        found = (self.long_entry("outlines", NUMBER_KEY.pack(number)) for number in numbers)
        # one that is damaged is like no other
        return [packing.unpack(data) if data else packing.EMPTY for data in found]

    def url(self, key: bytes) -> UrlRecord | None:
        data = self.entry("urls", key)
        return None if data is None else UrlRecord.unpack(data)

    def url_records(self) -> Iterator[tuple[bytes, UrlRecord]]:
        for key, value in self.entries("urls"):
            yield key, UrlRecord.unpack(value)

    def host(self, key: bytes) -> SiteMemory:
        data = self.entry("sites", key)
        return _site_memory(data) if data else UNKNOWN_SITE

    def numbers(self, after: int = 0) -> Iterator[int]:
        for key, _ in self.entries("pages", NUMBER_KEY.pack(after + 1)):
            (number,) = NUMBER_KEY.unpack(key)
            if number <= self.last_page:
                yield number

    def tables(self) -> LmdbTables:
        return LmdbTables(self._db, self._txn)

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        data = self.long_entry("redundant", key)
        return packing.unpack(data) if data is not None else text_of(self, key, own=own)

    def runs(self) -> list[Run]:
        return list(self.numbered_runs().values())

    def numbered_runs(self) -> dict[int, Run]:
        """Return all runs whose records can be read, by number."""
        numbers = [NUMBER_KEY.unpack(key)[0] for key, _ in self.entries("runs")]
        return {number: run for number in numbers if (run := self.run(number))}

    def run(self, number: int) -> Run | None:
        """Return a run; None if there is none of that number, or its record can't be read."""
        return unpacked_run(self.entry("runs", NUMBER_KEY.pack(number)) or b"")

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        for _, value in self.entries("decisions", SEQUENCE_KEY.pack(after + 1)):
            yield packing.unpack_line(value)

    def first_sequence(self) -> int:
        return self.counter("forgotten") + 1

    def last_sequence(self) -> int:
        return self.counter("sequence")

    def sizes(self) -> dict[str, TableSize]:
        return {name: _size(self._txn.stat(db)) for name, db in self._db.items()}

    def copies(self) -> int:
        return sum(record.alias for _, record in self.url_records())

    def entries(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a table from a key on; those that are damaged are left out."""
        for key, data in self.raw_entries(table, first):
            value = self._checked(table, key, data)
            if value is not None:
                yield key, value

    def raw_entries(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Yield a table as it is stored; what is not written yet as it will be."""
        held = self._buffer.stored(table, first)
        with self._txn.cursor(self._db[table]) as cursor:
            start = cursor.set_range(first) if first else cursor.first()
            stored = ((bytes(key), bytes(data)) for key, data in (cursor if start else ()))
            for _, same in groupby(merge(held, stored, key=_key) if held else stored, key=_key):
                key, data = next(same)
                if data is not None:
                    yield key, data
                    if table in UNCHECKED:  # of which one has several values of a key
                        yield from ((one, other) for one, other in same if other is not None)

    def entry(self, table: str, key: bytes) -> bytes | None:
        """Return an entry; None if it is not there, or damaged."""
        held = self._buffer.find(table, key)
        if held is not MISSING:
            return held
        data = self._txn.get(key, db=self._db[table])
        return None if data is None else self._checked(table, key, data)

    def _entries_at(self, table: str, keys: list[bytes]) -> list[bytes | None]:
        """Return entries as `entry` does, in one read."""
        found = [self._buffer.find(table, key) for key in keys]
        missing = [key for key, data in zip(keys, found, strict=True) if data is MISSING]
        with self._txn.cursor(self._db[table]) as cursor:
            stored = dict(cursor.getmulti(missing))
        for place, key in enumerate(keys):
            if found[place] is MISSING:
                data = stored.get(key)
                found[place] = None if data is None else self._checked(table, key, data)
        return found

    def long_entry(self, table: str, key: bytes) -> bytes | None:
        """Return an entry that is stored in pieces."""
        return joined(key, lambda piece: self.entry(table, piece))

    def counter(self, name: str) -> int:
        """Return the highest number given out: to a page, to a run, to a decision (sequence).

        That of `forgotten` is the last decision that was removed on purpose.
        """
        return int.from_bytes(self.entry("meta", name.encode()) or b"", "big")

    def arrived(self, keys: Keys, after: int) -> list[int]:
        """Return the pages above a number that are listed under some keys."""
        pages = self._postings(keys)[:, 1]
        return sorted(set(pages[pages > after].tolist()))

    @property
    def manifest(self) -> Manifest:
        return Manifest.unpack(self.entry("meta", b"postings"))

    def is_gone(self, pages: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        return gone.is_gone(pages, lambda key: self.entry("gone", key))

    def _postings(self, keys: Keys) -> Found:
        """Return what keys lead to."""
        environment, manifest = self._environment, self.manifest
        if self._recent is None:
            self._recent = environment.commits.recent_of(manifest, self._txn, self.last_page)
        runs = environment.commits.mapped(manifest, self._txn)
        found = runs.search(keys, self._recent, self.last_page)
        if not len(found):
            return found
        if not self._any_gone:
            return found
        kept = ~self.is_gone(found[:, 1])
        return found if kept.all() else found[kept]

    @property
    def _any_gone(self) -> bool:
        return self._buffer.touches("gone") or bool(self._txn.stat(self._db["gone"])["entries"])

    def _checked(self, table: str, key: bytes, data: bytes | memoryview) -> bytes | None:
        value = bytes(data) if table in UNCHECKED else unsealed(key, data)
        if value is None:
            self._environment.report_damage()
            if table == "meta" and self._is_strict:  # or numbers would be given twice
                raise StoreError(
                    f"The store {self._environment.path} is damaged. Check it with "
                    "`scrapy dedup store verify`, or start a new one"
                )
        return value

    def _meta(self, name: str) -> str:
        return (self.entry("meta", name.encode()) or b"").decode("utf-8", "replace")

    def _run_standing(self, number: int) -> Standing:
        if number not in self._standing:
            run, own = self.run(number), self.run(self._own_run)
            # of a run that can't be read nobody knows whether it ended well: its pages pass again
            self._standing[number] = (
                standing(run, own["run"] if own else "", self._is_alive) if run else Standing.NONE
            )
        return self._standing[number]


@lru_cache(maxsize=32)  # it changes rarely, and is looked at for each page
def _site_memory(data: bytes) -> SiteMemory:
    return SiteMemory.unpack(data)


def _size(stat: Mapping[str, Any]) -> TableSize:
    pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
    return TableSize(stat["entries"], stat["psize"] * pages)
