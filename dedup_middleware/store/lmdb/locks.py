"""Who has a store open: the kernel frees these locks when a process ends, however it ends."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform != "win32":
    import fcntl

NAME = "open.lock"
PATIENCE = 5.0  # seconds, for somebody who is just opening the store


class OpenLock:
    """Held by everybody who has a store open: by many together, or by one alone."""

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        flags = os.O_CREAT | os.O_RDWR if os.access(folder, os.W_OK) else os.O_RDONLY
        try:
            self._file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except FileNotFoundError:  # in a folder that can't be written
            self._file = -1

    def take(self, *, alone: bool) -> bool:
        """Take the lock, or change how it is held; return False if others hold it otherwise."""
        if self._file < 0 or sys.platform == "win32":
            return True
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
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
        """Let go; in a forked child, leave the lock to the parent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
