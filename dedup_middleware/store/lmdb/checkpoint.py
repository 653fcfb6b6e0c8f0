"""Surviving a crash of the machine.

Commits don't wait for the disk, so after a power cut the newest pages of the LMDB file may point
to others that were never written. Therefore, each second: a snapshot is pinned, which keeps LMDB
from reusing any of its pages; the file is synced; then the two meta pages, where that snapshot
begins, are copied aside. After the machine has crashed, putting them back gives the store as it
was then, whole. A crash of the process alone needs none of this: the kernel has all it committed.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.files import write_atomically

if TYPE_CHECKING:
    import lmdb


NAME = "checkpoint"
_HEAD = struct.Struct("<36sQIQ")  # boot, inode of the data file, size of a page, of the data file
_META = struct.Struct("<16xI124xQ")  # LMDB 0.9: magic, transaction
_MAGIC = 0xBEEFC0DE
_TRIES = 100


class _Note(NamedTuple):
    boot: bytes
    inode: int
    page_size: int
    size: int
    metas: bytes

    def pack(self) -> bytes:
        return _HEAD.pack(*self[:-1]) + self.metas


def boot() -> bytes:
    """Return the identity of this boot of the machine; empty where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    except OSError:
        return b""


def check_length(folder: Path) -> None:
    """Raise StoreError if the data file has lost its end: reading that would end the process.

    The last checkpoint says nothing about a copy or an older backup. Such a file is read once from
    end to end, as it may be damaged elsewhere, too.
    """
    path = folder / "data.mdb"
    if not path.exists():
        return
    note, size = _read(folder), path.stat().st_size
    # a process that makes a store leaves none of these before the data file has its head
    was_used = any((folder / name).exists() for name in (NAME, "runs", "journal"))
    if size < (note.size if note else was_used):
        had = f"{note.size:,}" if note else "more"
        raise StoreError(
            f"{path} has {size:,} bytes, but had {had}: its end is lost. Put a whole copy in its "
            f"place, or start a new store; the journals in {folder / 'journal'} are still good: "
            "each line is a decision, in JSON"
        )
    if size and note is None:
        with suppress(NotAStore):  # LMDB says it when the file is opened
            check_file(folder)


def recover(folder: Path) -> bool:
    """Go back to the checkpoint if the machine has restarted since; no process may have it open."""
    note, now = _read(folder), boot()
    if note is None or not now or note.boot == now or not note.metas:
        return False
    check_length(folder)
    with (folder / "data.mdb").open("r+b") as file:
        changed = file.read(2 * note.page_size) != note.metas
        file.seek(0)
        file.write(note.metas)
        file.flush()
        os.fsync(file.fileno())
    write_atomically(folder / NAME, note._replace(boot=now).pack(), private=True)
    return changed


class Checkpoints:
    """Take checkpoints of an open environment."""

    def __init__(self, environment: lmdb.Environment, folder: Path) -> None:
        self._env = environment
        self._path = folder / NAME
        self._page_size: int = environment.stat()["psize"]
        self._file = (folder / "data.mdb").open("rb")  # this file, also if another one replaces it
        self._pin: lmdb.Transaction | None = None
        self.take()

    def take(self) -> None:
        """Sync, and note where the snapshot begins that is now safe on disk."""
        if self._pin is not None and self._pin.id() == self._env.info()["last_txnid"]:
            return
        pin, metas = self._pinned()
        if pin is None:  # too many commits at the same time: the last checkpoint stays
            return
        self._env.sync(True)
        data = os.fstat(self._file.fileno())
        note = _Note(boot(), data.st_ino, self._page_size, data.st_size, metas)
        write_atomically(self._path, note.pack(), private=True)
        self.release()
        self._pin = pin

    def release(self) -> None:
        """Let LMDB use the pages of the last checkpoint again."""
        if self._pin is not None:
            self._pin.abort()
            self._pin = None

    def close(self, *, last: bool = True) -> None:
        """End with a last checkpoint, if asked."""
        try:
            if last:
                self.take()
        finally:
            self.release()
            self._file.close()

    def _pinned(self) -> tuple[lmdb.Transaction | None, bytes]:
        """Open a snapshot and read the meta pages that belong to it; none if that fails."""
        for _ in range(_TRIES):
            pin = self._env.begin()
            self._file.seek(0)
            metas = self._file.read(2 * self._page_size)
            newest = _newest(metas, self._page_size)
            if newest is None:
                return pin, b""
            if newest == pin.id():
                return pin, metas
            pin.abort()  # another process committed in between
        return None, b""


def _read(folder: Path) -> _Note | None:
    """Return the last note, if it is of the data file that is there."""
    try:
        saved = (folder / NAME).read_bytes()
        data = (folder / "data.mdb").stat()
        when, inode, page_size, size = _HEAD.unpack_from(saved)
        note = _Note(when, inode, page_size, size, saved[_HEAD.size :])
    except (OSError, struct.error):
        return None
    return note if note.inode == data.st_ino else None


# Reads every entry of every database; what is damaged may end the process.
_WALK = """
import sys, lmdb
with lmdb.open(sys.argv[1], readonly=True, lock=False, max_dbs=64) as env, env.begin() as txn:
    for name, _ in list(txn.cursor()):
        for key, value in txn.cursor(env.open_db(bytes(name), txn=txn, create=False)):
            hash(key), hash(value)
"""


def check_file(path: Path) -> None:
    """Read the whole file in a process of its own: damaged pages may end it."""
    command = [sys.executable, "-c", _WALK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - own program
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise StoreError(
            f"{path / 'data.mdb'} is damaged, or shorter than it was: reading it ends with {name}. "
            f"It can't be repaired. Start a new store; the journals in {path / 'journal'} are "
            "still good: each line is a decision, in JSON"
        )
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        raise NotAStore(f"{path} is damaged, or is no dedup store: {reason}")


def _newest(metas: bytes, page_size: int) -> int | None:
    """Return the last transaction of two meta pages; None if the format is not known here."""
    found = [_META.unpack_from(metas, at) for at in (0, page_size)]
    return max((number for magic, number in found if magic == _MAGIC), default=None)
