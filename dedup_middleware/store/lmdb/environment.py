"""LMDB environments: one for each process and path, shared by whoever opens it.

Flags: no sync at commit; a thread takes a checkpoint each second, and so does closing. Killing the
process loses nothing that was committed, because the kernel has it; a crash of the machine loses
what came after the last checkpoint.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from dedup_middleware.errors import NotAStore, StoreError, StoreFull, store_error

from .checkpoint import Checkpoints, recover
from .sites import SiteCache

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

SYNC_SECONDS = 1.0
MAX_READERS = 1024
DATABASES = (
    *("meta", "runs", "urls", "pages", "outlines", "postings", "pending", "decisions"),
    "redundant",  # what near and contained pages said, by URL; for people who compare
    *("sites", "site_counts"),  # by host
    *("index", "index_postings"),  # of a method other than the cascade
)
POSTINGS = frozenset({"postings", "index_postings"})


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


_registry = _Registry()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.close_inherited)


class Environment:
    """An open LMDB environment with its databases; use `acquire` and `release`."""

    def __init__(self, path: str, map_size: int) -> None:
        self.path = path
        self.users = 1
        self.map_size = map_size
        self.pid = os.getpid()
        self.site_counts = SiteCache()
        with translated(path):
            if recover(Path(path)):
                logger.warning("The machine has crashed; %s is as it was a moment before", path)
            self.env = lmdb.open(
                path,
                map_size=map_size,
                max_dbs=len(DATABASES),
                max_readers=MAX_READERS,
                sync=False,
                metasync=False,
                meminit=False,
            )
            self.env.reader_check()
            self._check_owner()
            self.db = {
                name: self.env.open_db(
                    name.encode(), dupsort=name in POSTINGS, dupfixed=name in POSTINGS
                )
                for name in DATABASES
            }
            self._checkpoints = Checkpoints(self.env, Path(path))
        self._deleted = False
        self._stop = threading.Event()
        self._syncer = threading.Thread(target=self._sync_often, name="dedup-sync", daemon=True)
        self._syncer.start()

    def _check_owner(self) -> None:
        """Raise NotAStore for an environment of another program."""
        with self.env.begin() as txn:
            if txn.stat()["entries"] and txn.get(DATABASES[0].encode()) is None:
                raise NotAStore(f"{self.path} holds an LMDB environment, but no dedup store")

    def begin(self, *, write: bool = False) -> lmdb.Transaction:
        if self.pid != os.getpid():
            raise StoreError(
                f"The store {self.path} was opened before this process was forked; "
                "open it again here, or start workers with the spawn method"
            )
        if write and self._deleted:
            raise StoreError(f"The store {self.path} was deleted while in use; start a new one")
        return self.env.begin(write=write, buffers=False)

    def close(self) -> None:
        self._stop.set()
        self._syncer.join()
        try:
            with translated(self.path):
                self._checkpoints.close()
        finally:
            self.env.close()

    def _sync_often(self) -> None:
        while not self._stop.wait(SYNC_SECONDS):
            try:
                self._checkpoints.take()
            except FileNotFoundError:
                self._deleted = True
            except (lmdb.Error, OSError):  # a full disk, say: the next commit tells of it
                pass


def acquire(path: Path, map_size: int) -> Environment:
    """Open the environment at a path, or share the one that is open."""
    real = os.path.realpath(path)
    with _registry.lock:
        known = _registry.open.get(real)
        if known is not None:
            known.users += 1
            return known
        return _registry.open.setdefault(real, Environment(real, map_size))


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
