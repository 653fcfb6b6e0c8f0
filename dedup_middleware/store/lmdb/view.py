"""An LMDB store at one moment."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory
from dedup_middleware.store import packing
from dedup_middleware.store.keys import (
    DIGEST,
    NUMBER,
    POSTING,
    lookup_keys,
    pages_alike,
    split,
    tags,
)
from dedup_middleware.store.protocol import Candidates, TableSize
from dedup_middleware.store.records import PageRecord, UrlRecord
from dedup_middleware.store.tables import Postings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import lmdb

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline
    from dedup_middleware.store.keys import Keys
    from dedup_middleware.store.protocol import Run

    from .environment import Environment

NUMBER_KEY = struct.Struct(">I")
SEQUENCE_KEY = struct.Struct(">Q")


class View:
    """One snapshot of the store."""

    def __init__(
        self,
        environment: Environment,
        txn: lmdb.Transaction,
        own_run: int,
        is_alive: Callable[[str], bool],
    ) -> None:
        self._environment = environment
        self._db = environment.db
        self._txn = txn
        self._own_run = own_run
        self._is_alive = is_alive
        self._standing: dict[int, bool] = {own_run: True}

    @property
    def last_page(self) -> int:
        return self.counter("page")

    @property
    def scheme(self) -> str:
        return self._meta("header")

    @property
    def method(self) -> str:
        return self._meta("method") or "cascade"

    def candidates(
        self, fingerprint: Fingerprint | PageRecord, *, alike: bool, cap: int, most: int
    ) -> Candidates:
        keys = lookup_keys(fingerprint, alike=alike)
        found_keys, pages = self._postings("postings", keys)
        counts = np.searchsorted(found_keys, keys, "right") - np.searchsorted(found_keys, keys)
        kind = tags(found_keys)
        rarity = 1.0 / np.repeat(counts, counts)
        return Candidates(
            same_digest=sorted(pages[kind == DIGEST].tolist()),
            alike=pages_alike(pages, kind, rarity, most),
            keys=keys,
            full=counts >= cap,
        )

    def pages(self, numbers: Iterable[int]) -> list[PageRecord]:
        return [
            record
            for record in self.records(numbers)
            if record.delivered or self._run_stands(record.run)
        ]

    def records(self, numbers: Iterable[int]) -> list[PageRecord]:
        keys = [NUMBER_KEY.pack(number) for number in numbers]
        with self._txn.cursor(self._db["pages"]) as cursor:
            found = cursor.getmulti(keys)
        return [PageRecord.unpack(NUMBER_KEY.unpack(key)[0], bytes(data)) for key, data in found]

    def outlines(self, numbers: Sequence[int]) -> list[Outline]:
        keys = [NUMBER_KEY.pack(number) for number in numbers]
        with self._txn.cursor(self._db["outlines"]) as cursor:
            found = {bytes(key): data for key, data in cursor.getmulti(keys)}
        return [packing.unpack(bytes(found.get(key, b""))) for key in keys]

    def url(self, key: bytes) -> UrlRecord | None:
        data = self.entry("urls", key)
        return None if data is None else UrlRecord.unpack(data)

    def host(self, key: bytes) -> SiteMemory:
        data = self.entry("sites", key)
        return _site_memory(data) if data else UNKNOWN_SITE

    def numbers(self, after: int = 0) -> Iterator[int]:
        with self._txn.cursor(self._db["pages"]) as cursor:
            if cursor.set_range(NUMBER_KEY.pack(after + 1)):
                for key in cursor.iternext(values=False):
                    yield NUMBER_KEY.unpack(key)[0]

    def tables(self) -> LmdbTables:
        return LmdbTables(self._environment, self._txn)

    def kept(self, key: bytes, *, own: bool = False) -> Outline | None:
        data = self.entry("redundant", key)
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
        found: dict[int, Run] = {}
        for key, value in self.entries("runs"):
            with suppress(ValueError, TypeError, KeyError):
                run = json.loads(value)
                if isinstance(run["run"], str):
                    found[NUMBER_KEY.unpack(key)[0]] = run
        return found

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        with self._txn.cursor(self._db["decisions"]) as cursor:
            if cursor.set_range(SEQUENCE_KEY.pack(after + 1)):
                for value in cursor.iternext(keys=False):
                    yield bytes(value)

    def last_sequence(self) -> int:
        return self.counter("sequence")

    def sizes(self) -> dict[str, TableSize]:
        return {name: _size(self._txn.stat(db)) for name, db in self._db.items()}

    def copies(self) -> int:
        return sum(UrlRecord.unpack(value).alias for _, value in self.entries("urls"))

    def entries(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield a table as it is stored."""
        with self._txn.cursor(self._db[table]) as cursor:
            for key, value in cursor:
                yield bytes(key), bytes(value)

    def entry(self, table: str, key: bytes) -> bytes | None:
        value = self._txn.get(key, db=self._db[table])
        return None if value is None else bytes(value)  # a copy only where it is a view

    def counter(self, name: str) -> int:
        """Return the highest number given out: to a page, to a run, to a decision (sequence)."""
        return int.from_bytes(self.entry("meta", name.encode()) or b"", "big")

    def arrived(self, keys: Keys, after: int) -> list[int]:
        """Return the pages above a number that are listed under some keys."""
        _, pages = self._postings("postings", keys)
        return sorted(set(pages[pages > after].tolist()))

    def _postings(self, table: str, keys: Keys) -> Postings:
        return read_postings(self._txn, self._db[table], keys)

    def _meta(self, name: str) -> str:
        return (self.entry("meta", name.encode()) or b"").decode("utf-8", "replace")

    def _run_stands(self, number: int) -> bool:
        if number not in self._standing:
            run = self.numbered_runs().get(number)
            self._standing[number] = run is not None and self._is_alive(run["run"])
        return self._standing[number]


class LmdbTables:
    """The tables of a method, inside one transaction of the store."""

    def __init__(self, environment: Environment, txn: lmdb.Transaction) -> None:
        self._txn = txn
        self._index = environment.db["index"]
        self._postings = environment.db["index_postings"]

    def get(self, key: bytes) -> bytes | None:
        value = self._txn.get(key, db=self._index)
        return None if value is None else bytes(value)

    def put(self, key: bytes, value: bytes) -> None:
        self._txn.put(key, value, db=self._index)

    def delete(self, key: bytes) -> None:
        self._txn.delete(key, db=self._index)

    def postings(self, keys: Hashes) -> Postings:
        return read_postings(self._txn, self._postings, np.unique(keys))

    def post(self, keys: Hashes, number: int) -> None:
        packed = number.to_bytes(NUMBER.itemsize, "big")
        with self._txn.cursor(self._postings) as cursor:
            cursor.putmulti([(key, packed) for key in split(np.unique(keys))])


@lru_cache(maxsize=32)  # it changes rarely, and is looked at for each page
def _site_memory(data: bytes) -> SiteMemory:
    return SiteMemory.unpack(data)


def read_postings(txn: lmdb.Transaction, table: Any, keys: Keys) -> Postings:
    """Return the pages posted under each of some ascending keys."""
    with txn.cursor(table) as cursor:
        found = cursor.getmulti(
            split(keys), dupdata=True, dupfixed_bytes=NUMBER.itemsize, keyfixed=True
        )
    postings = np.frombuffer(found, POSTING)
    return Postings(postings["key"].astype(np.uint64), postings["page"].astype(np.int64))


def _size(stat: Mapping[str, Any]) -> TableSize:
    pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
    return TableSize(stat["entries"], stat["psize"] * pages)
