"""Changes of an LMDB store: written at once, or together where the store is this run's own.

There they wait in a buffer that every look reads first, and are written in one transaction when
they are of 64 pages or half a megabyte, or after 50 milliseconds.
"""

from __future__ import annotations

import secrets
import threading
import time
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import lmdb

from dedup_middleware.errors import StoreError
from dedup_middleware.store.engine import (
    LONG,
    NUMBER,
    Committed,
    Conflict,
    conflict_of,
    enter,
    number_of,
)
from dedup_middleware.store.tables import CHUNK, Withdrawn

from .layout import (
    DATABASES,
    PIECES,
    WITHDRAWN_VERSION,
    pieces,
    sealed,
    translated,
    translation,
    unsealed,
)
from .postings import MEMTABLE_PAGES, Compactor, Manifest, MappedSegments, Memtable, packed
from .snapshot import LmdbSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Batch, Listener
    from dedup_middleware.store.runs import Run

    from .environment import Environment

FLUSH_SECONDS = 0.05
FLUSH_PAGES = 64
FLUSH_BYTES = 1 << 19  # memory that many long values have taken at once is not all given back
_key = itemgetter(0)


class Buffer:
    """Entries to put and to delete, postings to add, and lines for journals."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[bytes, bytes | None]] = {table: {} for table in DATABASES}
        """By table and key; None deletes an entry."""
        self.size = 0
        """Bytes of the values that were put."""
        self.postings: list[tuple[Keys, int]] = []
        self.lines: list[tuple[Listener, bytes]] = []

    def notify(self) -> None:
        """Send each journal its lines, now that the decisions are written."""
        by_journal: dict[Listener, list[bytes]] = {}
        for listener, line in self.lines:
            by_journal.setdefault(listener, []).append(line)
        for listener, lines in by_journal.items():
            listener(lines)


class Writer:
    """What applies batches to an environment, and the postings that are not in segments yet."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.lock = threading.RLock()
        """Held while the buffer changes or is written."""
        self.buffer = Buffer()
        self.memtable: Memtable | None = None
        self._counters = 0, 0, 0
        """Version, last page and last decision, where the store is this run's own."""
        self._since: float | None = None
        self._mapped: tuple[Manifest, MappedSegments] | None = None
        self.withdrawn: tuple[bytes | None, Withdrawn] = None, Withdrawn()
        """With the value that `meta` had when it was read."""
        self._failure: Exception | None = None
        self._journal_error: StoreError | None = None
        """Why a journal could not be written."""

    def catch_up(self) -> None:
        """Read the newest postings of a store that is this run's own."""
        environment = self._environment
        with environment.begin() as txn:
            manifest = Manifest.unpack(_meta(txn, environment.db["meta"], b"manifest"))
            self.memtable = Memtable(manifest.upto)
            self.memtable.catch_up(txn, environment.db["recent"], 1 << 32)
            now = LmdbSnapshot(environment, txn, {})
            self._counters = 0, now.last_page, now.last_sequence

    def snapshot(self, *, strict: bool) -> LmdbSnapshot:
        """Look at the store as it is now."""
        environment = self._environment
        with self.lock:  # not between a buffer and its being written
            txn = environment.begin()
            environment.views += 1
            if environment.is_sole:
                held, counters = self.buffer.tables, self._counters
                return LmdbSnapshot(environment, txn, held, self.memtable, counters, strict=strict)
            try:
                return LmdbSnapshot(environment, txn, {}, strict=strict)
            except BaseException:
                txn.abort()
                environment.views -= 1
                raise

    def apply(
        self, batches: Sequence[Batch], alive: Callable[[Run], bool]
    ) -> list[Committed | Conflict]:
        """Apply batches, up to one that rests on what has changed.

        Where the store is this run's own, they wait in the buffer; else they are written now, in
        one transaction.
        """
        environment = self._environment
        try:
            if environment.is_sole:
                with self.lock:
                    if self._failure or self._journal_error:
                        self._raise_failure()
                    with environment.begin() as txn:
                        done = self._enter(batches, self.buffer, txn, alive)
                    buffer = self.buffer
                    if buffer.size >= FLUSH_BYTES or len(buffer.postings) >= FLUSH_PAGES:
                        self.flush()
                return done
            buffer = Buffer()
            try:
                with environment.begin(write=True) as txn:
                    done = self._enter(batches, buffer, txn, alive)
                    self._write(buffer, txn)
            except BaseException:
                with self.lock:  # it may know of pages that are not written
                    self.memtable = None
                raise
        except (lmdb.Error, OSError) as error:
            raise translation(environment.path, error) from error
        buffer.notify()
        return done

    def _raise_failure(self) -> None:
        """Raise the error that the maintenance thread met when it wrote the buffer."""
        if self._failure:
            self.flush()
        if self._journal_error:
            error, self._journal_error = self._journal_error, None
            raise error

    def _enter(
        self,
        batches: Sequence[Batch],
        buffer: Buffer,
        txn: lmdb.Transaction,
        alive: Callable[[Run], bool],
    ) -> list[Committed | Conflict]:
        """Enter batches into a buffer, each judged on a transaction and on those before it."""
        environment, memtable, done = self._environment, self.memtable, list[Committed | Conflict]()
        counters = self._counters
        if not environment.is_sole:
            start = LmdbSnapshot(environment, txn, {})
            # a judgement on the transaction before this one has seen everything
            counters = txn.id() - 1, start.last_page, start.last_sequence
            memtable = self.memtable_of(start.manifest, txn, start.last_page)
        for batch in batches:
            now = LmdbSnapshot(environment, txn, buffer.tables, memtable, counters)
            conflict = conflict_of(batch, now, alive)
            if conflict:
                return [*done, conflict]
            withdrawn = now.bits if batch.withdrawn else None
            if batch.withdrawn:
                _withdraw(batch.withdrawn, buffer.tables, now)
            applied = enter(batch, buffer.tables, now)
            done.append(applied)
            buffer.size += batch.size
            if withdrawn and environment.is_sole:  # so that they are not read again
                withdrawn.add(batch.withdrawn)
                self.withdrawn = buffer.tables["meta"][WITHDRAWN_VERSION], withdrawn
            if batch.keys is not None and applied.number:
                buffer.postings.append((batch.keys, applied.number))
                if memtable:
                    memtable.add(batch.keys, applied.number)
            if applied.line and batch.listener:
                buffer.lines.append((batch.listener, applied.line))
            version, page, sequence = counters
            counters = version + 1, applied.number or page, applied.sequence or sequence
            if environment.is_sole:
                self._counters = counters
                self._since = self._since or time.monotonic()
        return done

    @property
    def is_due(self) -> bool:
        """Whether changes have waited long enough."""
        since = self._since  # once: another thread may write them meanwhile
        return since is not None and time.monotonic() - since >= FLUSH_SECONDS

    def flush(self) -> None:
        """Write the buffer."""
        with self.lock:
            buffer = self.buffer
            if self._since is None:
                return
            try:
                with translated(self._environment.path), self._environment.begin(write=True) as txn:
                    upto = self._write(buffer, txn)
            except Exception as error:
                self._failure = error
                raise
            self.buffer, self._since, self._failure = Buffer(), None, None
            if self.memtable and self.memtable.after != upto:
                self.memtable = Memtable(upto, self.memtable)
            try:
                buffer.notify()
            except StoreError as error:
                self._journal_error = error
                raise

    def forget_mapped(self) -> None:
        """Forget where segments are, because the file is mapped anew."""
        self._mapped = None

    def mapped(self, manifest: Manifest, txn: lmdb.Transaction) -> MappedSegments:
        """Return the segments of a manifest that a transaction sees."""
        with self.lock:
            known = self._mapped
            if known and known[0] == manifest:
                return known[1]
            table, before = self._environment.db["segments"], known[1] if known else None
            segments = MappedSegments.of(manifest, txn, table, before)
            if known is None or manifest.next_segment >= known[0].next_segment:
                self._mapped = manifest, segments
            return segments

    def read_withdrawn(self, snapshot: LmdbSnapshot, version: bytes | None) -> Withdrawn:
        """Read which pages were withdrawn, as that has changed."""
        chunks = [(number_of(key), data) for key, data in snapshot.scan("withdrawn") if data]
        withdrawn = Withdrawn(chunks)
        self.withdrawn = version, withdrawn
        return withdrawn

    def memtable_of(self, manifest: Manifest, txn: lmdb.Transaction, last_page: int) -> Memtable:
        """Return the postings that the segments of a manifest don't hold."""
        with self.lock:
            memtable = self.memtable
            if memtable is None or memtable.after < manifest.upto:
                memtable = self.memtable = Memtable(manifest.upto, memtable)
            elif memtable.after > manifest.upto:  # an old transaction
                memtable = Memtable(manifest.upto)
            memtable.catch_up(txn, self._environment.db["recent"], last_page)
            return memtable

    def _write(self, buffer: Buffer, txn: lmdb.Transaction) -> int:
        """Write changes; return up to which page postings are in segments."""
        databases = self._environment.db
        for table, entries in buffer.tables.items():
            if entries:
                _write_table(txn, databases[table], table, entries)
        data = _meta(txn, databases["meta"], b"manifest")
        upto = Manifest.known(data).upto
        if not buffer.postings:
            return upto
        first, last = buffer.postings[0][1], buffer.postings[-1][1]
        key = NUMBER.pack(last)
        txn.put(key, sealed("recent", key, packed(buffer.postings)), db=databases["recent"])
        if (first - 1) // FLUSH_PAGES == last // FLUSH_PAGES:
            return upto
        withdrawn = LmdbSnapshot(self._environment, txn, {}).bits
        compactor = Compactor(txn, databases, Manifest.unpack(data), withdrawn)
        if last - upto >= MEMTABLE_PAGES:
            compactor.make_segment(last)
        postings = sum(len(keys) for keys, _ in buffer.postings)
        compactor.compact(postings * FLUSH_PAGES // len(buffer.postings))
        changed = compactor.manifest.pack()
        txn.put(b"manifest", sealed("meta", b"manifest", changed), db=databases["meta"])
        return compactor.manifest.upto


def _withdraw(
    pages: Sequence[int], tables: dict[str, dict[bytes, bytes | None]], now: LmdbSnapshot
) -> None:
    """Mark pages in the entries that hold their bits."""
    chunks = {page // 8 // CHUNK for page in pages}
    known = [(one, now.get("withdrawn", (NUMBER.pack(one),))[0]) for one in chunks]
    withdrawn = Withdrawn((one, data) for one, data in known if data)
    withdrawn.add(pages)
    for number, data in map(withdrawn.chunk, chunks):
        tables["withdrawn"][NUMBER.pack(number)] = data
    tables["meta"][WITHDRAWN_VERSION] = secrets.token_bytes(8)


def _write_table(
    txn: lmdb.Transaction, db: Any, table: str, entries: dict[bytes, bytes | None]
) -> None:
    """Write the entries of a table, in the order of their keys."""
    puts: list[tuple[bytes, bytes]] = []
    with txn.cursor(db) as cursor:
        last = bytes(cursor.key()) if cursor.last() else b""
        for key, value in sorted(entries.items(), key=_key):
            if table in LONG:
                there = key <= last and cursor.set_range(key)
                while there and bytes(cursor.key())[: -PIECES.size] == key:
                    there = cursor.delete()
                if value is not None:
                    puts += [
                        (piece, sealed(table, piece, data)) for piece, data in pieces(key, value)
                    ]
            elif value is None:
                txn.delete(key, db=db)
            else:
                puts.append((key, sealed(table, key, value)))
        last = bytes(cursor.key()) if cursor.last() else b""
        old_puts = [put for put in puts if put[0] <= last]
        cursor.putmulti(old_puts)
        # the others are appended, which leaves no page half full
        cursor.putmulti(puts[len(old_puts) :], append=True)


def _meta(txn: lmdb.Transaction, table: Any, key: bytes) -> bytes | None:
    data = txn.get(key, db=table)
    return None if data is None else unsealed("meta", key, data)
