"""Locks on files: who has a store open, and which processes of runs are alive.

The kernel frees them when a process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING
from weakref import WeakSet

from dedup_middleware.files import make_private_folder, open_private

if TYPE_CHECKING:
    from pathlib import Path

    from .runs import Run

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, *, alone: bool, wait: bool = False) -> None:  # noqa: ARG001  # it always is
        msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int, *, alone: bool, wait: bool = False) -> None:
        """Take a lock, or change how it is held; raise OSError if others hold it otherwise."""
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)


OPEN_LOCK = "open.lock"
PATIENCE = 5.0  # seconds, while another process is opening the store


class OpenLock:
    """A lock that every process holds that has a store open: many share it, or one has it alone."""

    def __init__(self, folder: Path) -> None:
        path = folder / OPEN_LOCK
        flags = os.O_CREAT | os.O_RDWR if os.access(folder, os.W_OK) else os.O_RDONLY
        try:
            self._file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except FileNotFoundError:  # in a folder that can't be written
            self._file = -1

    def take(self, *, alone: bool) -> bool:
        """Take the lock, or change how it is held; return False if others hold it otherwise."""
        if self._file >= 0 and sys.platform != "win32":
            try:
                _lock(self._file, alone=alone)
            except OSError:
                return False
        return True

    def take_soon(self, *, alone: bool, patience: float = PATIENCE) -> bool:
        """Take the lock; wait a little for those who hold it only while they open the store."""
        end = time.monotonic() + patience
        while not self.take(alone=alone):
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def close(self) -> None:
        """Release the lock; a forked child leaves it to its parent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_live: WeakSet[LiveRun] = WeakSet()


def _leave_to_parent() -> None:
    for run in _live:
        run.forget()


if hasattr(os, "register_at_fork"):  # or a child would hold the lock when its parent has died
    os.register_at_fork(after_in_child=_leave_to_parent)


class LiveRun:
    """Show others that this process of a run is alive, until closed or until it ends."""

    def __init__(self, folder: Path, run: str, process: str) -> None:
        make_private_folder(folder)
        self._path = folder / f"{run}.{process}.lock"
        self._file = open_private(self._path, "ab")
        _live.add(self)
        _lock(self._file.fileno(), alone=True, wait=True)  # for a process that is just looking

    def forget(self) -> None:
        """Leave the lock to the parent, in a forked child."""
        self._file.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()


def is_alive(folder: Path, run: Run) -> bool:
    """Return True if a process of a run is alive."""
    return _is_locked(folder / f"{run['run']}.{run.get('process', '')}.lock")


def live_runs(folder: Path) -> list[str]:
    """List the runs of which some process is alive."""
    locks = folder.glob("*.lock")
    return sorted({path.stem.rpartition(".")[0] for path in locks if _is_locked(path)})


def _is_locked(path: Path) -> bool:
    try:
        file = path.open("rb")
    except OSError:
        return False
    with file:
        try:
            # shared, so that two who look at a dead run don't take each other for it
            _lock(file.fileno(), alone=False)
        except OSError:
            return True
    return False
