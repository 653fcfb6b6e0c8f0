"""LMDB environments: how they are opened, guarded and synced; one for each path in a process.

Flags: no sync at commit; a thread takes a checkpoint each second, and so does closing. Killing the
process loses nothing that was committed, because the kernel has it; a crash of the machine loses
what came after the last checkpoint.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

import lmdb

from dedup_middleware.errors import NotAStore, SchemeMismatch, StoreError
from dedup_middleware.store.engine import HEADER
from dedup_middleware.store.reader import other_scheme
from dedup_middleware.store.runs import OpenLock

from .checkpoint import Checkpoints, check_length, recover
from .layout import DATABASES, translated
from .writer import FLUSH_SECONDS, Writer

logger = logging.getLogger(__name__)

SYNC_SECONDS = 1.0
MAX_READERS = 1024


class Environment:
    """An open LMDB environment with its databases; `acquire` opens and closes it."""

    def __init__(self, path: str, map_size: int, *, write: bool, sole: bool) -> None:
        self.path = path
        self.users = 1
        self.pid = os.getpid()
        self.writer = Writer(self)
        self.views = 0
        self._lost = self._told = ""
        self._checkpoints: Checkpoints | None = None
        self._stop = threading.Event()
        self._maintenance: threading.Thread | None = None
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
                lock=not readonly,  # where nothing can be written, no other process writes either
            )
        try:
            self._check_owner()
            self.db = {name: self.env.open_db(name.encode(), create=write) for name in DATABASES}
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
            self.writer.catch_up()
        if write:
            self._begin_to_write()

    def _begin_to_write(self) -> None:
        self._checkpoints = Checkpoints(self.env, Path(self.path))
        self._maintenance = threading.Thread(target=self._maintain, name="dedup-sync", daemon=True)
        self._maintenance.start()

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
        # the checksum of four bytes is not part of it
        raise SchemeMismatch(other_scheme(self.path, header[:-4].decode("utf-8", "replace")))

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

    def report_damage(self) -> None:
        """Log, once, that entries can't be read."""
        if not self._told:
            self._told = (
                f"Some entries of the store {self.path} are damaged and left out, so that some "
                "copies may pass. Check it with `scrapy dedup store verify`"
            )
            logger.error(self._told)

    def close(self) -> None:
        self._stop.set()
        if self._maintenance:
            self._maintenance.join()
        try:
            self.writer.flush()
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
        with self.writer.lock:
            if self.views:
                raise StoreError(
                    f"The store {self.path} was enlarged by a process with a greater "
                    "DEDUP_MAP_SIZE; start again with that"
                )
            if self._checkpoints:
                self._checkpoints.release()
            self.env.set_mapsize(0)
            self.writer.forget_mapped()

    def _maintain(self) -> None:
        """Write, sync, and clear what dead processes leave, as long as the store is open."""
        synced = time.monotonic()
        while not self._stop.wait(FLUSH_SECONDS if self.is_sole else SYNC_SECONDS):
            now = time.monotonic()
            try:
                if self.writer.is_due:
                    self.writer.flush()
                if now - synced >= SYNC_SECONDS:
                    synced = now
                    self._sync()
            except FileNotFoundError:
                self._lost = "was deleted"
            except (lmdb.Error, OSError, StoreError):  # a full disk, say: the next change raises it
                pass

    def _sync(self) -> None:
        self._check_place()
        self.env.reader_check()
        if self._checkpoints:
            self._checkpoints.take()

    def _check_place(self) -> None:
        if not self._lost and (Path(self.path) / "data.mdb").stat().st_ino != self.inode:
            self._lost = "was replaced"


def _may_write(folder: Path) -> bool:
    """Return True if a store can be written: all its files, and the folder."""
    files = [folder, folder / "data.mdb", folder / "lock.mdb"]
    return all(os.access(file, os.W_OK) for file in files if file.exists())


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
