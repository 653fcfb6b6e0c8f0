"""The embedded engine: one folder with an LMDB environment, locks of live runs, and journals."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.files import make_private_folder
from dedup_middleware.store.reader import Reader
from dedup_middleware.store.runs import OPEN_LOCK, LiveRun, OpenLock, is_alive

from . import checkpoint
from .checkpoint import check_file
from .environment import acquire, release
from .layout import DATABASES, translated, translation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.store.engine import Batch, Committed, Conflict, Wanted
    from dedup_middleware.store.runs import Run

    from .snapshot import LmdbSnapshot

DATA = "data.mdb"
_NEW = "compact.new"


class LmdbEngine:
    """One user of an environment, which others in the process may share."""

    is_remote = False

    def __init__(
        self,
        path: Path,
        map_size: int,
        *,
        write: bool = False,
        is_sole: bool = False,
        strict: bool = True,
    ) -> None:
        self.path = path
        self.name = str(path)
        self.lock: LiveRun | None = None
        self._is_strict = strict
        with translated(self.name):
            self.environment = acquire(path, map_size, write=write, sole=is_sole)

    def snapshot(self, wanted: Sequence[Wanted] = ()) -> LmdbSnapshot:  # noqa: ARG002  # nothing is far
        try:
            return self.environment.writer.snapshot(strict=self._is_strict)
        except (lmdb.Error, OSError) as error:
            raise translation(self.name, error) from error

    def apply(self, batches: Sequence[Batch]) -> list[Committed | Conflict]:
        return self.environment.writer.apply(batches, self.alive)

    def take_lease(self, run: Run) -> None:
        with translated(self.name):
            self.lock = LiveRun(self.path / "runs", run["run"], run["process"])

    def release_lease(self) -> None:
        if self.lock:
            self.lock.close()
            self.lock = None

    def alive(self, run: Run) -> bool:
        return is_alive(self.path / "runs", run)

    def check(self) -> None:
        check_file(self.path)

    def flush(self) -> None:
        self.environment.writer.flush()

    def close(self) -> None:
        release(self.environment)


def make_engine(place: str | Path, map_size: int, *, is_sole: bool) -> LmdbEngine:
    """Open a folder for a run; it is made if it is not there."""
    folder = Path(place)
    _check_place(folder)
    with translated(str(folder)):
        make_private_folder(folder)
    return LmdbEngine(folder, map_size, write=True, is_sole=is_sole)


def read_engine(place: str | Path, map_size: int, *, write: bool) -> LmdbEngine:
    """Open a folder that holds a store; damaged counters are no error to a reader."""
    folder = Path(place)
    if not (folder / DATA).is_file():
        runs = sorted(one.parent for one in folder.glob(f"*/{DATA}"))
        hint = f", but in folders of its runs, such as {runs[-1]}" if runs else ""
        raise NotAStore(f"There is no dedup store in {folder}{hint}")
    return LmdbEngine(folder, map_size, write=write, strict=False)


def _check_place(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise NotAStore(f"{path} is a file; a store is a folder")
    names = {file.name for file in path.iterdir()} if path.exists() else set()
    if (path / DATA).is_symlink():
        raise NotAStore(f"{path / DATA} is a symbolic link; name the folder that holds it")
    # another process may be making it: these files come before the one with the data
    own = {"lock.mdb", OPEN_LOCK, checkpoint.NAME}
    if names - own and DATA not in names:
        raise NotAStore(f"{path} is not empty and holds no dedup store; name another folder")


def copy_store(place: Path, target: Path, map_size: int) -> None:
    """Copy a store as it is now, with what was restored in it, but without its journals."""
    engine = read_engine(place, map_size, write=False)
    with Reader(engine), translated(str(target)):
        engine.flush()
        _copy(engine.environment.env, target)
        for path in place.glob("*.jsonl"):
            shutil.copy(path, target)


def compact(place: Path, map_size: int) -> tuple[int, int]:
    """Write a store anew, without gaps; return how many bytes it had and has.

    The old file is replaced in one step. Raise StoreError while anybody has the store open.
    """
    with Reader(read_engine(place, map_size, write=False)):
        pass  # it is one, of this version
    lock = OpenLock(place)
    try:
        if not lock.take_soon(alone=True, patience=1.0):
            raise StoreError(
                f"The store {place} is in use; wait until the process that has it open has ended"
            )
        with translated(str(place)):
            return _replace(place, map_size)
    finally:
        lock.close()


def _replace(place: Path, map_size: int) -> tuple[int, int]:
    old, new = place / DATA, place / _NEW / DATA
    shutil.rmtree(new.parent, ignore_errors=True)  # of a process that was killed here
    try:
        # no other process has it open, and the lock stays ours
        with lmdb.open(
            str(place), map_size=map_size, max_dbs=len(DATABASES), readonly=True, lock=False
        ) as env:
            _copy(env, new.parent)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        sizes = old.stat().st_size, new.stat().st_size
        new.replace(old)
    finally:
        shutil.rmtree(new.parent, ignore_errors=True)
    return sizes


def _copy(env: lmdb.Environment, folder: Path) -> None:
    make_private_folder(folder)
    env.copy(str(folder), compact=True)
    (folder / DATA).chmod(0o600)
