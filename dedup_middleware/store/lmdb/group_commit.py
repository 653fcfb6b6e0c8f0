"""Changes of an LMDB store: written at once, or together where the store is this run's own.

There they wait in a buffer, and are written when they are of 64 pages, or after 50 milliseconds.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError

from .buffer import Buffer
from .gone import is_gone
from .layout import NUMBER_KEY, sealed, unsealed
from .manifest import Manifest
from .recent import Recent, packed
from .sorted_runs import RECENT_PAGES, MappedRuns, RunWriter
from .translate import translated

if TYPE_CHECKING:
    import lmdb

    from .environment import Environment

FLUSH_SECONDS = 0.05
FLUSH_PAGES = 64


class GroupCommit:
    """What was changed and is not written yet, and the postings that go with it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.lock = threading.RLock()
        """Held while the buffer changes or is written."""
        self.buffer = Buffer()
        self.recent: Recent | None = None
        self._version = 0
        self._since: float | None = None
        self._mapped: tuple[Manifest, MappedRuns] | None = None
        self._failure: Exception | None = None
        self._unheard: StoreError | None = None
        """Why a journal could not be written."""

    def catch_up(self) -> None:
        """Read the newest postings of a store that is this run's own."""
        environment = self._environment
        with environment.begin() as txn:
            self.recent = Recent(manifest_of(environment, txn).upto)
            self.recent.catch_up(txn, environment.db["recent"], 1 << 32)

    def forget_mapped(self) -> None:
        """Forget where sorted runs are, because the file is mapped anew."""
        self._mapped = None

    @property
    def is_due(self) -> bool:
        """Whether changes have waited long enough."""
        return self._since is not None and time.monotonic() - self._since >= FLUSH_SECONDS

    def version(self, txn: lmdb.Transaction) -> int:
        """Return a number that changes with the store."""
        return self._version if self._environment.is_sole else txn.id()

    def is_same(self, version: int, txn: lmdb.Transaction) -> bool:
        """Return True if the store has not changed since a version; for one who may write."""
        return version == (self._version if self._environment.is_sole else txn.id() - 1)

    def mapped(self, manifest: Manifest, txn: lmdb.Transaction) -> MappedRuns:
        """Return the sorted runs of a manifest that a transaction sees."""
        with self.lock:
            known = self._mapped
            if known and known[0] == manifest:
                return known[1]
            runs = MappedRuns.of(
                manifest, txn, self._environment.db["postings"], known[1] if known else None
            )
            if known is None or manifest.next_run >= known[0].next_run:
                self._mapped = manifest, runs
            return runs

    def recent_of(self, manifest: Manifest, txn: lmdb.Transaction, last_page: int) -> Recent:
        """Return the postings that the runs of a manifest don't hold."""
        with self.lock:
            recent = self.recent
            if recent is None or recent.after < manifest.upto:
                recent = self.recent = Recent(manifest.upto, recent)
            elif recent.after > manifest.upto:  # an old transaction
                recent = Recent(manifest.upto)
            recent.catch_up(txn, self._environment.db["recent"], last_page)
            return recent

    def accept(self, changes: Buffer) -> None:
        """Take changes into the buffer; write it if it is full. To be called with the lock."""
        if self._failure:  # tried again, so that it can be told
            self.flush()
        if self._unheard:  # of the thread: nobody else tells of it
            error, self._unheard = self._unheard, None
            raise error
        self.buffer.absorb(changes)
        self._note(changes)
        if self._since is None:
            self._since = time.monotonic()
        if len(self.buffer.postings) >= FLUSH_PAGES:
            self.flush()

    def accept_written(self, changes: Buffer, upto: int) -> None:
        """Note changes that were written without the buffer. To be called with the lock."""
        self._note(changes)
        if self.recent and self.recent.after != upto:
            self.recent = Recent(upto, self.recent)

    def _note(self, changes: Buffer) -> None:
        self._version += 1
        if self.recent:
            for keys, page in changes.postings:
                self.recent.add(keys, page)

    def flush(self) -> None:
        """Write the buffer."""
        with self.lock:
            buffer = self.buffer
            if buffer.is_empty:
                return
            try:
                with translated(self._environment.path), self._environment.begin(write=True) as txn:
                    upto = self.write(buffer, txn)
            except Exception as error:
                self._failure = error
                raise
            self.buffer, self._since, self._failure = Buffer(), None, None
            if self.recent and self.recent.after != upto:
                self.recent = Recent(upto, self.recent)
            try:
                buffer.tell()
            except StoreError as error:
                self._unheard = error
                raise

    def write(self, buffer: Buffer, txn: lmdb.Transaction) -> int:
        """Write changes; return up to which page postings are in sorted runs."""
        buffer.write(txn, self._environment.db)
        manifest = manifest_of(self._environment, txn)
        if not buffer.postings:
            return manifest.upto
        first, last = buffer.postings[0][1], buffer.postings[-1][1]
        key = NUMBER_KEY.pack(last)
        txn.put(key, sealed(key, packed(buffer.postings)), db=self._environment.db["recent"])
        if (first - 1) // FLUSH_PAGES == last // FLUSH_PAGES:
            return manifest.upto
        gone = self._environment.db["gone"]
        runs = RunWriter(
            txn,
            self._environment.db,
            manifest,
            lambda pages: is_gone(pages, lambda key: _value(txn, gone, key)),
        )
        if last - manifest.upto >= RECENT_PAGES:
            runs.make_run(last)
        postings = sum(len(keys) for keys, _ in buffer.postings)
        runs.merge(postings * FLUSH_PAGES // len(buffer.postings))
        if runs.manifest != manifest:
            txn.put(
                b"postings",
                sealed(b"postings", runs.manifest.pack()),
                db=self._environment.db["meta"],
            )
        return runs.manifest.upto


def manifest_of(environment: Environment, txn: lmdb.Transaction) -> Manifest:
    """Return which sorted runs a transaction sees."""
    return Manifest.unpack(_value(txn, environment.db["meta"], b"postings"))


def _value(txn: lmdb.Transaction, table: Any, key: bytes) -> bytes | None:
    data = txn.get(key, db=table)
    return None if data is None else unsealed(key, data)
