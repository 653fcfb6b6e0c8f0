"""An LMDB store at one moment: a transaction, and what is not written yet."""

from __future__ import annotations

from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING, Self
from zlib import crc32

import lmdb

from dedup_middleware.errors import StoreError
from dedup_middleware.store.engine import LONG, TableSize, number_of

from .layout import (
    FIRST_PIECE,
    INDEX,
    PART_KEY,
    PIECES,
    SEALED,
    SEEDS,
    WITHDRAWN_VERSION,
    translation,
    unsealed,
)
from .postings import Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Found
    from dedup_middleware.store.tables import Withdrawn

    from .environment import Environment
    from .postings import Memtable

    Held = Mapping[str, Mapping[bytes, bytes | None]]

_TOGETHER = 64  # entries that are read at once: parts of segments are long


class LmdbSnapshot:
    """What a transaction shows, below the entries that are buffered."""

    def __init__(
        self,
        environment: Environment,
        txn: lmdb.Transaction,
        held: Held,
        memtable: Memtable | None = None,
        counters: tuple[int, int, int] | None = None,
        *,
        strict: bool = True,
    ) -> None:
        """Look through a transaction that has not written yet.

        `counters` are version, last page and last decision, where they are known; `strict` if
        damage of them is an error.
        """
        self._environment = environment
        self._db = environment.db
        self._txn = txn
        self._held = held
        self._memtable = memtable
        self._is_strict = strict
        if counters is None:
            page, sequence = map(number_of, self.get("meta", (b"page", b"sequence")))
            counters = txn.id(), page, sequence
        self.version: int | None
        self.version, self.last_page, self.last_sequence = counters

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object = None, error: object = None, *__: object) -> None:
        self._txn.abort()
        self._environment.views -= 1
        if isinstance(error, lmdb.Error):
            raise translation(self._environment.path, error) from error

    def get(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        held, db = self._held.get(table), self._db[table]
        if table in LONG:
            with self._txn.cursor(db) as cursor:
                return [
                    held[key] if held and key in held else self._long(table, key, cursor)
                    for key in keys
                ]
        if table == "pending" and not self._is_any_pending(max(keys, default=b"")):
            return [None] * len(keys)
        read, seed, found = self._txn.get, SEEDS[table], list[bytes | None]()
        for key in keys:
            if held and key in held:
                found.append(held[key])
                continue
            data = read(key, db=db)
            if data is None:
                found.append(None)
            elif crc32(data, crc32(key, seed)) == SEALED:
                found.append(bytes(data[:-4]))
            else:
                self._damaged(table)
                found.append(None)
        return found

    def scan(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes | None]]:
        held = dict(self._held.get(table, {}))
        with self._txn.cursor(self._db[table]) as cursor:
            start = cursor.set_range(first) if first else cursor.first()
            stored: Iterable[bytes] = () if not start else map(bytes, cursor.iternext(values=False))
            if table in LONG:
                stored = (key[: -PIECES.size] for key in stored if key.endswith(FIRST_PIECE))
            keys = merge(stored, sorted(key for key in held if key >= first))
            wanted = (key for key, _ in groupby(keys) if held.get(key, key) is not None)
            while some := list(islice(wanted, _TOGETHER)):
                yield from zip(some, self.get(table, some), strict=True)

    def search(self, keys: Keys) -> Found:
        writer, manifest = self._environment.writer, self.manifest
        if self._memtable is None:
            self._memtable = writer.memtable_of(manifest, self._txn, self.last_page)
        segments = writer.mapped(manifest, self._txn)
        return segments.search(keys, self._memtable, self.last_page, self.bits)

    @property
    def manifest(self) -> Manifest:
        return Manifest.known(self.get("meta", (b"manifest",))[0])

    @property
    def bits(self) -> Withdrawn:
        """Which pages were withdrawn."""
        (version,), writer = self.get("meta", (WITHDRAWN_VERSION,)), self._environment.writer
        known, withdrawn = writer.withdrawn
        return withdrawn if known == version else writer.read_withdrawn(self, version)

    def sizes(self) -> dict[str, TableSize]:
        found = {}
        for name, db in self._db.items():
            stat = self._txn.stat(db)
            pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
            found[name] = TableSize(stat["entries"], stat["psize"] * pages)
        return found

    def unreadable_index(self) -> Iterator[str]:
        segments = self.manifest.segments
        missing = {PART_KEY.pack(one.number, at) for one in segments for at in range(one.parts)}
        for table in INDEX:
            for key, value in self.scan(table):
                if value is None:
                    yield f"{table} {key.hex()}"
                if table == "segments":
                    missing.discard(key)
        yield from (f"segments {key.hex()}, which is missing" for key in missing)

    def _is_any_pending(self, last: bytes) -> bool:
        """Return False if no page up to a number is pending: only new ones are."""
        with self._txn.cursor(self._db["pending"]) as cursor:
            lowest = [bytes(cursor.key())] if cursor.first() else []
        lowest += self._held.get("pending", ())
        return bool(lowest) and last >= min(lowest)

    def _long(self, table: str, key: bytes, cursor: lmdb.Cursor) -> bytes | None:
        """Return an entry that is stored in pieces; None if one of them is missing."""
        found: list[bytes] = []
        number, count = 0, 1
        while number < count:
            piece = key + PIECES.pack(number)
            there = cursor.next() if number else cursor.set_key(piece)
            if not there and not number:
                return None
            data = unsealed(table, piece, cursor.value()) if there else None
            if data is None:  # or that of another key
                self._damaged(table)
                return None
            if not number and len(data) >= PIECES.size:
                (count,) = PIECES.unpack_from(data)
            found.append(data)
            number += 1
        return b"".join(found)[PIECES.size :]

    def _damaged(self, table: str) -> None:
        """Say that an entry can't be read; stop where numbers might be given twice."""
        self._environment.report_damage()
        if table == "meta" and self._is_strict:
            raise StoreError(
                f"The store {self._environment.path} is damaged. Check it with "
                "`scrapy dedup store verify`, or start a new one"
            )
