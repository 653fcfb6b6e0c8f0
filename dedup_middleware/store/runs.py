"""Which runs are alive: each holds a lock on a file that the kernel frees when its process ends."""

from __future__ import annotations

import contextlib
import secrets
import sys
import time
from typing import TYPE_CHECKING, BinaryIO

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


class LiveRun:
    """Show others that this run is alive, until closed or until the process ends."""

    def __init__(self, folder: Path, run: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{run}.lock"
        self._file = self._path.open("ab")
        _lock(self._file)  # waits only for somebody who is just looking

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
