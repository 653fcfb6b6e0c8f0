"""The tables of a method, inside one transaction of the store."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware.store import packing
from dedup_middleware.store.keys import (
    DIGEST,
    NUMBER,
    POSTING,
    SHINGLE,
    SIMHASH,
    lookup_keys,
    split,
    tags,
)
from dedup_middleware.store.records import PageRecord, UrlRecord
from dedup_middleware.store.tables import Postings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import lmdb
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline
    from dedup_middleware.store.keys import Keys

    from .environment import Environment


class StoreTables:
    """What `methods.tables.Tables` asks for, kept in LMDB."""

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
        with self._txn.cursor(self._postings) as cursor:
            found = cursor.getmulti(
                split(np.unique(keys)), dupdata=True, dupfixed_bytes=NUMBER.itemsize, keyfixed=True
            )
        postings = np.frombuffer(found, POSTING)
        return Postings(postings["key"].astype(np.uint64), postings["page"].astype(np.int64))

    def post(self, keys: Hashes, number: int) -> None:
        packed = number.to_bytes(NUMBER.itemsize, "big")
        with self._txn.cursor(self._postings) as cursor:
            cursor.putmulti([(key, packed) for key in split(np.unique(keys))])

    def unpost(self, keys: Hashes, number: int) -> None:
        packed = number.to_bytes(NUMBER.itemsize, "big")
        for key in split(keys):
            self._txn.delete(key, packed, db=self._postings)


NUMBER_KEY = struct.Struct(">I")
SEQUENCE_KEY = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the keys of a page lead to, best first; `keys` is kept for registering the page."""

    same_digest: list[int]
    alike: list[int]
    keys: Keys
    full: NDArray[np.bool_]
    """Which keys have so many entries already that no more are added."""

    @property
    def capped(self) -> int:
        """How many keys lead to more pages than are kept."""
        return int(self.full.sum())


class TableSize(NamedTuple):
    """What a table holds."""

    entries: int
    size: int
    """On disk, in bytes."""


class View:
    """One snapshot of the store."""

    def __init__(
        self,
        environment: Environment,
        txn: lmdb.Transaction,
        own_run: int,
        is_alive: Callable[[str], bool],
    ) -> None:
        self._db = environment.db
        self._txn = txn
        self.tables = StoreTables(environment, txn)
        self._own_run = own_run
        self._is_alive = is_alive

    @property
    def state(self) -> int:
        """A number that differs whenever the contents do."""
        return self._txn.id()

    @property
    def header(self) -> str:
        """The scheme and format of the store; empty if it was never used."""
        return (self._get("meta", b"header") or b"").decode("utf-8", "replace")

    @property
    def method(self) -> str:
        """What indexed the pages of the store."""
        return (self._get("meta", b"method") or b"cascade").decode("utf-8", "replace")

    def url(self, key: bytes) -> UrlRecord | None:
        data = self._get("urls", key)
        return None if data is None else UrlRecord.unpack(data)

    def page(self, number: int) -> PageRecord | None:
        """Give a page that may be an original: delivered, or pending in a run that is alive."""
        record = self.any_page(number)
        if record is None or not (record.delivered or self._run_stands(record.run)):
            return None
        return record

    def any_page(self, number: int) -> PageRecord | None:
        data = self._get("pages", NUMBER_KEY.pack(number))
        return None if data is None else PageRecord.unpack(number, data)

    def pages_after(self, number: int) -> Iterator[int]:
        """Go through the numbers of the pages that were registered later than one."""
        with self._txn.cursor(self._db["pages"]) as cursor:
            if cursor.set_range(NUMBER_KEY.pack(number + 1)):
                for key in cursor.iternext(values=False):
                    yield NUMBER_KEY.unpack(key)[0]

    def outline(self, number: int) -> Outline:
        return packing.unpack(self._get("outlines", NUMBER_KEY.pack(number)) or b"")

    def own_text(self, key: bytes) -> Outline | None:
        """Give what a URL was last seen to say in its own words; None if only a copy is kept."""
        data = self._get("redundant", key)
        if data is not None:
            return packing.unpack(data)
        known = self.url(key)
        return self._text(known) if known and not known.alias else None

    def text_of(self, key: bytes) -> Outline | None:
        """Give what a URL was last seen to say, be it registered or redundant; None if unknown."""
        own, known = self.own_text(key), self.url(key)
        return self._text(known) if known and own is None else own

    def _text(self, known: UrlRecord) -> Outline | None:
        return self.outline(known.number) if self.any_page(known.number) else None

    def lookup(
        self, fingerprint: Fingerprint | PageRecord, *, alike: bool, cap: int, most: int
    ) -> Lookup:
        """Find the pages that share keys with a page, those that share rare ones first.

        At most `most` pages are given for shared shingles, and as many for close SimHashes.
        """
        keys = lookup_keys(fingerprint, alike=alike)
        with self._txn.cursor(self._db["postings"]) as cursor:
            found = cursor.getmulti(
                split(keys), dupdata=True, dupfixed_bytes=NUMBER.itemsize, keyfixed=True
            )
        postings = np.frombuffer(found, POSTING)
        found_keys = postings["key"].astype(np.uint64)
        pages = postings["page"].astype(np.int64)
        counts = np.searchsorted(found_keys, keys, "right") - np.searchsorted(found_keys, keys)
        kind = tags(found_keys)
        rarity = 1.0 / np.repeat(counts, counts)
        return Lookup(
            same_digest=sorted(pages[kind == DIGEST].tolist()),
            alike=sorted(
                {
                    *_ranked(pages[kind == SHINGLE], rarity[kind == SHINGLE], most),
                    *_ranked(pages[kind == SIMHASH], rarity[kind == SIMHASH], most),
                }
            ),
            keys=keys,
            full=counts >= cap,
        )

    def runs(self) -> list[dict[str, Any]]:
        """List all runs of this store, oldest first."""
        with self._txn.cursor(self._db["runs"]) as cursor:
            return [json.loads(bytes(value)) for value in cursor.iternext(keys=False)]

    def _run_stands(self, number: int) -> bool:
        if number == self._own_run:
            return True
        data = self._get("runs", NUMBER_KEY.pack(number))
        return data is not None and self._is_alive(json.loads(data)["run"])

    def _get(self, name: str, key: bytes) -> bytes | None:
        value = self._txn.get(key, db=self._db[name])
        return None if value is None else bytes(value)  # a copy only where it is a view

    def decisions(self, after: int = 0) -> Iterator[bytes]:
        """Go through the decisions that have a higher sequence number, each as JSON."""
        with self._txn.cursor(self._db["decisions"]) as cursor:
            if cursor.set_range(SEQUENCE_KEY.pack(after + 1)):
                for value in cursor.iternext(keys=False):
                    yield bytes(value)

    def entries(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """Go through a table as it is stored, for those who check it."""
        with self._txn.cursor(self._db[table]) as cursor:
            for key, value in cursor:
                yield bytes(key), bytes(value)

    def entry(self, table: str, key: bytes) -> bytes | None:
        return self._get(table, key)

    def is_pending(self, number: int) -> bool:
        return self._get("pending", NUMBER_KEY.pack(number)) is not None

    def counter(self, name: str) -> int:
        """Give the highest number given out: to a page, to a run, or to a decision (sequence)."""
        return int.from_bytes(self._get("meta", name.encode()) or b"", "big")

    def sizes(self) -> dict[str, TableSize]:
        """Tell how much each table holds."""
        return {name: _size(self._txn.stat(db)) for name, db in self._db.items()}


def _size(stat: Mapping[str, Any]) -> TableSize:
    pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
    return TableSize(stat["entries"], stat["psize"] * pages)


def _ranked(pages: NDArray[np.int64], rarity: NDArray[np.float64], most: int) -> list[int]:
    numbers, places = np.unique(pages, return_inverse=True)
    weights = np.bincount(places, rarity, len(numbers))
    ranked: list[int] = numbers[np.lexsort((numbers, -weights))][:most].tolist()
    return ranked
