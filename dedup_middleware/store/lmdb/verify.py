"""Checks of the file of an LMDB store, before anybody maps it."""

from __future__ import annotations

import signal
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

# Reads every entry of every database; what is damaged may end the process.
_WALK = """
import sys, lmdb
with lmdb.open(sys.argv[1], readonly=True, lock=False, max_dbs=64) as env, env.begin() as txn:
    for name, _ in list(txn.cursor()):
        for key, value in txn.cursor(env.open_db(bytes(name), txn=txn, create=False)):
            hash(key), hash(value)
"""
_META = struct.Struct("<16xI4x8xQI92xQQ")  # magic, size of the map, of a page; last page, number
_MAGIC = 0xBEEFC0DE


def check_file(path: Path) -> None:
    """Read the whole file in a process of its own: damaged pages may end it."""
    command = [sys.executable, "-c", _WALK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - own program
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise StoreError(
            f"{path / 'data.mdb'} is damaged, or shorter than it was: reading it ends with {name}. "
            f"It can't be repaired. Start a new store; the journals in {path / 'journal'} are "
            "still good: name them with --journal"
        )
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        raise StoreError(f"{path} is damaged, or is no dedup store: {reason}")


def missing_bytes(path: Path) -> int:
    """Return how much the file of a folder lacks of what its own head says that it holds."""
    with (path / "data.mdb").open("rb") as file:
        head = file.read(_META.size)
        size = file.seek(0, 2)
        if len(head) < _META.size:
            return 0
        magic, _, page_size, last, number = _META.unpack(head)
        if magic != _MAGIC:  # a file format that this module doesn't know
            return 0
        file.seek(page_size)
        other = file.read(_META.size)
    if len(other) == _META.size and _META.unpack(other)[0] == _MAGIC:
        last = max((number, last), _META.unpack(other)[:2:-1])[1]
    return max(0, (int(last) + 1) * int(page_size) - size)
