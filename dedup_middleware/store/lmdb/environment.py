"""LMDB environments: one for each process and path, shared by whoever opens it.

Flags: no sync at commit; a thread takes a checkpoint each second, and so does closing. Killing the
process loses nothing that was committed, because the kernel has it; a crash of the machine loses
what came after the last checkpoint.

Where a store is this run's own, changes wait in a buffer, and are written together: when they are
of 64 pages, or after 50 milliseconds.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lmdb

from dedup_middleware.errors import (
    NotAStore,
    SchemeMismatch,
    StoreError,
    StoreFull,
    store_error,
)

from .buffer import Buffer
from .checkpoint import Checkpoints, check_length, recover
from .gone import is_gone
from .layout import DATABASES, HEADER, NUMBER_KEY, sealed, unsealed
from .locks import OpenLock
from .manifest import Manifest
from .recent import Recent, packed
from .sites import SiteCache
from .sorted_runs import RECENT_PAGES, MappedRuns, RunWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

SYNC_SECONDS = 1.0
FLUSH_SECONDS = 0.05
FLUSH_PAGES = 64
MAX_READERS = 1024


class _Registry:
    """What this process has open."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: dict[str, Environment] = {}

    def close_inherited(self) -> None:
        """Close, in a forked child, what the parent has open: LMDB must not cross a fork."""
        inherited = list(self.open.values())
        self.lock, self.open = threading.Lock(), {}  # the parent may have held the lock
        for environment in inherited:
            environment.env.close()  # in a child this frees the path, and leaves the parent's alone
            environment.open_lock.close()


_registry = _Registry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.close_inherited)


class Environment:
    """An open LMDB environment with its databases; use `acquire` and `release`."""

    def __init__(self, path: str, map_size: int, *, write: bool, sole: bool) -> None:
        self.path = path
        self.users = 1
        self.pid = os.getpid()
        self.site_counts = SiteCache()
        self.lock = threading.RLock()
        """Held while the buffer changes or is written."""
        self.buffer = Buffer()
        self.recent: Recent | None = None
        self.views = 0
        self._version = 0
        self._since: float | None = None
        self._mapped: tuple[Manifest, MappedRuns] | None = None
        self._lost = self._told = ""
        self._failure: Exception | None = None
        self._unheard: StoreError | None = None
        """Why a journal could not be written."""
        self._checkpoints: Checkpoints | None = None
        self._stop = threading.Event()
        self._tender: threading.Thread | None = None
        self.open_lock = OpenLock(Path(path))
        try:
            self._open(Path(path), map_size, write=write, sole=sole)
        except BaseException:
            self.open_lock.close()
            raise

    def _open(self, folder: Path, map_size: int, *, write: bool, sole: bool) -> None:
        alone = self.open_lock.take(alone=True)
        readonly = not write and not _may_write(folder)
        with translated(self.path):
            if alone and not readonly and recover(folder):
                logger.warning("The machine has crashed; %s is as it was a moment before", folder)
            check_length(folder)
            self.env = lmdb.open(
                self.path,
                map_size=map_size,
                max_dbs=len(DATABASES),
                max_readers=MAX_READERS,
                mode=0o600,
                sync=False,
                metasync=False,
                meminit=False,
                readonly=readonly,
                lock=not readonly,  # where nothing can be written, nobody else writes either
            )
        try:
            self._check_owner()
            self.db = {
                name: self.env.open_db(
                    name.encode(),
                    dupsort=name == "index_postings",
                    dupfixed=name == "index_postings",
                    create=write,
                )
                for name in DATABASES
            }
        except lmdb.NotFoundError:
            self.env.close()
            raise NotAStore(
                f"The store {self.path} was made by another version, or is not complete; use the "
                "version that made it"
            ) from None
        except BaseException:
            self.env.close()
            raise
        self.inode = (folder / "data.mdb").stat().st_ino
        self.is_sole = sole and write and alone
        if not self.is_sole and not self.open_lock.take_soon(alone=False) and write:
            self.env.close()
            raise StoreError(
                f"The store {self.path} belongs to a run that is alive and has it alone. Wait for "
                "its end; runs that are to share a store need DEDUP_SCOPE"
            )
        if self.is_sole:
            with self.begin() as txn:
                manifest = _manifest(self, txn)
                self.recent = Recent(manifest.upto)
                self.recent.catch_up(txn, self.db["recent"], 1 << 32)
        if write:
            self._begin_to_write()

    def _begin_to_write(self) -> None:
        self._checkpoints = Checkpoints(self.env, Path(self.path))
        self._tender = threading.Thread(target=self._tend, name="dedup-sync", daemon=True)
        self._tender.start()

    def share(self, *, write: bool) -> None:
        """Let one more use the environment; raise StoreError if it can't."""
        with translated(self.path):
            self._check_place()
            if self._lost:
                raise StoreError(f"The store {self.path} {self._lost} while in use; close it first")
            if write and self._checkpoints is None:
                if self.env.flags()["readonly"]:
                    raise StoreError(f"The store {self.path} can't be written")
                self._begin_to_write()

    def _check_owner(self) -> None:
        """Raise NotAStore for an environment of another program, SchemeMismatch for an old one."""
        with self.env.begin() as txn:
            if not txn.stat()["entries"]:
                return
            if txn.get(b"meta") is None:
                raise NotAStore(f"{self.path} holds an LMDB environment, but no dedup store")
        meta = self.env.open_db(b"meta", create=False)
        with self.env.begin() as txn:
            header = txn.get(b"header", db=meta)
        if header is None or header.startswith(HEADER.encode()):
            return
        known = header.decode("utf-8", "replace")
        raise SchemeMismatch(
            f"The store {self.path} was made by the scheme {known!r}, this version uses "
            f"{HEADER!r}. Start a new store, or use the version that made this one"
        )

    def begin(self, *, write: bool = False) -> lmdb.Transaction:
        if self.pid != os.getpid():
            raise StoreError(
                f"The store {self.path} was opened before this process was forked; "
                "open it again here, or start workers with the spawn method"
            )
        if self._lost:
            raise StoreError(f"The store {self.path} {self._lost} while in use; start a new one")
        try:
            return self.env.begin(write=write, buffers=True)
        except lmdb.MapResizedError:
            self._adopt_size()
            return self.env.begin(write=write, buffers=True)

    def version(self, txn: lmdb.Transaction) -> int:
        """Return a number that changes with the store."""
        return self._version if self.is_sole else txn.id()

    def is_same(self, version: int, txn: lmdb.Transaction) -> bool:
        """Return True if the store has not changed since a version; for one who may write."""
        return version == (self._version if self.is_sole else txn.id() - 1)

    def mapped(self, manifest: Manifest, txn: lmdb.Transaction) -> MappedRuns:
        """Return the sorted runs of a manifest that a transaction sees."""
        with self.lock:
            known = self._mapped
            if known and known[0] == manifest:
                return known[1]
            runs = MappedRuns.of(manifest, txn, self.db["postings"], known[1] if known else None)
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
            recent.catch_up(txn, self.db["recent"], last_page)
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
                with translated(self.path), self.begin(write=True) as txn:
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
        buffer.write(txn, self.db)
        manifest = _manifest(self, txn)
        if not buffer.postings:
            return manifest.upto
        first, last = buffer.postings[0][1], buffer.postings[-1][1]
        key = NUMBER_KEY.pack(last)
        txn.put(key, sealed(key, packed(buffer.postings)), db=self.db["recent"])
        if (first - 1) // FLUSH_PAGES == last // FLUSH_PAGES:
            return manifest.upto
        gone = self.db["gone"]
        runs = RunWriter(
            txn,
            self.db,
            manifest,
            lambda pages: is_gone(pages, lambda key: _value(txn, gone, key)),
        )
        if last - manifest.upto >= RECENT_PAGES:
            runs.make_run(last)
        postings = sum(len(keys) for keys, _ in buffer.postings)
        runs.merge(postings * FLUSH_PAGES // len(buffer.postings))
        if runs.manifest != manifest:
            txn.put(b"postings", sealed(b"postings", runs.manifest.pack()), db=self.db["meta"])
        return runs.manifest.upto

    def report_damage(self) -> None:
        """Say once that something can't be read."""
        if not self._told:
            self._told = (
                f"Some entries of the store {self.path} are damaged and left out, so that some "
                "copies may pass. Check it with `scrapy dedup store verify`"
            )
            logger.error(self._told)

    def close(self) -> None:
        self._stop.set()
        if self._tender:
            self._tender.join()
        try:
            self.flush()
        finally:
            try:
                if self._checkpoints:
                    with translated(self.path):
                        self._checkpoints.close(last=not self._lost)
            finally:
                self.env.close()
                self.open_lock.close()

    def _adopt_size(self) -> None:
        """Map as much as another process has made of the file."""
        with self.lock:
            if self.views:
                raise StoreError(
                    f"The store {self.path} was enlarged by a process with a greater "
                    "DEDUP_MAP_SIZE; start again with that"
                )
            if self._checkpoints:
                self._checkpoints.release()
            self.env.set_mapsize(0)
            self._mapped = None

    def _tend(self) -> None:
        """Write, sync, and clear what dead processes leave, as long as the store is open."""
        synced = time.monotonic()
        while not self._stop.wait(FLUSH_SECONDS if self.is_sole else SYNC_SECONDS):
            now = time.monotonic()
            try:
                if self._since is not None and now - self._since >= FLUSH_SECONDS:
                    self.flush()
                if now - synced >= SYNC_SECONDS:
                    synced = now
                    self._sync()
            except FileNotFoundError:
                self._lost = "was deleted"
            except (lmdb.Error, OSError, StoreError):  # a full disk, say: the next change tells
                pass

    def _sync(self) -> None:
        self._check_place()
        self.env.reader_check()
        if self._checkpoints:
            self._checkpoints.take()

    def _check_place(self) -> None:
        if not self._lost and (Path(self.path) / "data.mdb").stat().st_ino != self.inode:
            self._lost = "was replaced"


def _manifest(environment: Environment, txn: lmdb.Transaction) -> Manifest:
    return Manifest.unpack(_value(txn, environment.db["meta"], b"postings"))


def _value(txn: lmdb.Transaction, table: Any, key: bytes) -> bytes | None:
    data = txn.get(key, db=table)
    return None if data is None else unsealed(key, data)


def _may_write(folder: Path) -> bool:
    """Return True if a store can be written: all its files, and the folder."""
    files = [folder, folder / "data.mdb", folder / "lock.mdb"]
    return all(os.access(file, os.W_OK) for file in files if file.exists())


def acquire(path: Path, map_size: int, *, write: bool = False, sole: bool = False) -> Environment:
    """Open the environment at a path, or share the one that is open."""
    real = os.path.realpath(path)
    with _registry.lock:
        known = _registry.open.get(real)
        if known is None:
            new = Environment(real, map_size, write=write, sole=sole)
            return _registry.open.setdefault(real, new)
        known.share(write=write)
        known.users += 1
        return known


def release(environment: Environment) -> None:
    """Give an environment back; the last user closes it."""
    with _registry.lock:
        environment.users -= 1
        if environment.users == 0 and environment.pid == os.getpid():
            del _registry.open[environment.path]
            environment.close()


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn what LMDB and the file system raise into errors that say what to do."""
    try:
        yield
    except lmdb.MapFullError as error:
        raise StoreFull(
            f"The store {path} has reached its map limit; raise DEDUP_MAP_SIZE. "
            "What was registered before is intact"
        ) from error
    except (lmdb.CorruptedError, lmdb.PageNotFoundError) as error:
        raise StoreError(f"The store {path} is damaged ({error}); start a new one") from error
    except (lmdb.InvalidError, lmdb.VersionMismatchError) as error:
        raise NotAStore(f"{path} is not a dedup store: {error}") from error
    except (lmdb.Error, OSError) as error:
        raise store_error(path, error) from error
