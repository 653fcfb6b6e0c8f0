"""Surviving a crash of the machine.

Commits don't wait for the disk, so after a power cut the newest pages of the LMDB file may point
to others that were never written. Therefore, each second: a snapshot is pinned, which keeps LMDB
from reusing any of its pages; the file is synced; then the two meta pages, where that snapshot
begins, are copied aside. After the machine has crashed, putting them back gives the store as it
was then, whole. A crash of the process alone needs none of this: the kernel has all it committed.
"""

from __future__ import annotations

import os
import struct
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

    import lmdb

NAME = "checkpoint"
_HEAD = struct.Struct("<36sQI")  # boot, inode of the data file, size of a page
_MAGIC, _MAGIC_AT = 0xBEEFC0DE, 16  # LMDB 0.9: behind the page header
_TXNID_AT = 144


def boot() -> bytes:
    """Name the time since the machine started; empty where it can't be told."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    except OSError:
        return b""


def recover(folder: Path) -> bool:
    """Go back to the checkpoint if the machine has restarted since; to be called before opening."""
    with _alone(folder):
        try:
            saved = (folder / NAME).read_bytes()
            data = (folder / "data.mdb").stat()
        except OSError:
            return False
        when, inode, page_size = _HEAD.unpack_from(saved)
        now = boot()
        if not now or when == now or inode != data.st_ino:
            return False
        metas = saved[_HEAD.size :]
        with (folder / "data.mdb").open("r+b") as file:
            changed = file.read(2 * page_size) != metas
            file.seek(0)
            file.write(metas)
            file.flush()
            os.fsync(file.fileno())
        _write(folder, _HEAD.pack(now, inode, page_size) + metas)
        return changed


class Checkpoints:
    """Take checkpoints of an open environment."""

    def __init__(self, environment: lmdb.Environment, folder: Path) -> None:
        self._env = environment
        self._folder = folder
        self._page_size: int = environment.stat()["psize"]
        self._boot = boot()
        self._pin: lmdb.Transaction | None = None
        self.take()

    def take(self) -> None:
        """Sync, and note where the snapshot begins that is now safe on disk."""
        if self._pin is not None and self._pin.id() == self._env.info()["last_txnid"]:
            return
        pin, metas = self._pinned()
        self._env.sync(True)
        if metas and self._boot:
            inode = (self._folder / "data.mdb").stat().st_ino
            _write(self._folder, _HEAD.pack(self._boot, inode, self._page_size) + metas)
        self._release()
        self._pin = pin

    def close(self) -> None:
        self.take()
        self._release()

    def _pinned(self) -> tuple[lmdb.Transaction, bytes]:
        """Open a snapshot and read the meta pages that belong to it."""
        while True:
            pin = self._env.begin()
            with (self._folder / "data.mdb").open("rb") as file:
                metas = file.read(2 * self._page_size)
            ids: list[int] = []
            for at in (0, self._page_size):
                (magic,) = struct.unpack_from("<I", metas, at + _MAGIC_AT)
                if magic != _MAGIC:  # a file format that this module doesn't know
                    return pin, b""
                ids += struct.unpack_from("<Q", metas, at + _TXNID_AT)
            if max(ids) == pin.id():
                return pin, metas
            pin.abort()  # somebody committed in between

    def _release(self) -> None:
        if self._pin is not None:
            self._pin.abort()
            self._pin = None


def _write(folder: Path, content: bytes) -> None:
    # its own name for each process: two may be at it
    new = folder / f"{NAME}.{os.getpid()}"
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / NAME)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let only one process at a time look whether it must recover."""
    if sys.platform == "win32":
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{NAME}.lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
