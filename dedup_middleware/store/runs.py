"""Which runs are alive: each holds a lock on a file that the kernel frees when its process ends."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from typing import TYPE_CHECKING, BinaryIO
from weakref import WeakSet

from dedup_middleware.files import make_private_folder, open_private

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

    def _try_lock(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _try_lock(file: BinaryIO) -> bool:
        try:
            # shared, so that two who look at a dead run don't take each other for it
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def new_run_id() -> str:
    """Name a run so that names sort by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


_live: WeakSet[LiveRun] = WeakSet()


def _leave_to_parent() -> None:
    for run in _live:
        run.forget()


if hasattr(os, "register_at_fork"):  # or a child would hold the lock when its parent has died
    os.register_at_fork(after_in_child=_leave_to_parent)


class LiveRun:
    """Show others that this run is alive, until closed or until the process ends."""

    def __init__(self, folder: Path, run: str) -> None:
        make_private_folder(folder)
        self._path = folder / f"{run}.lock"
        self._file = open_private(self._path, "ab")
        _live.add(self)
        _lock(self._file)  # waits only for somebody who is just looking

    def forget(self) -> None:
        """Leave the lock to the parent, in a forked child."""
        self._file.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()


def is_alive(folder: Path, run: str) -> bool:
    """Tell whether some process is still in a run."""
    try:
        with (folder / f"{run}.lock").open("rb") as file:
            return not _try_lock(file)
    except OSError:
        return False
