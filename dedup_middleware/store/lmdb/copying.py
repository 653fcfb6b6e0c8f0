"""Copies of an LMDB store without gaps: to a folder of its own, or in place of the store."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import lmdb

from dedup_middleware.errors import StoreError
from dedup_middleware.files import make_private_folder
from dedup_middleware.store.reader import Reader

from .engine import read_engine
from .errors import translated
from .layout import DATABASES
from .locks import OpenLock

if TYPE_CHECKING:
    from pathlib import Path

_NEW = "compact.new"
DATA = "data.mdb"


def copy_store(place: Path, target: Path, map_size: int) -> None:
    """Copy a store as it is now, with what was restored in it, but without its journals."""
    engine = read_engine(place, map_size, write=False)
    with Reader(engine), translated(str(target)):
        make_private_folder(target)
        engine.copy(target)
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
                f"The store {place} is in use; wait for the end of whoever has it open"
            )
        with translated(str(place)):
            return _replace(place, map_size)
    finally:
        lock.close()


def _replace(place: Path, map_size: int) -> tuple[int, int]:
    new = place / _NEW
    shutil.rmtree(new, ignore_errors=True)  # of one that was killed
    make_private_folder(new)
    try:
        before = (place / DATA).stat().st_size
        # nobody else has it open, and the lock above stays ours
        with lmdb.open(
            str(place), map_size=map_size, max_dbs=len(DATABASES), readonly=True, lock=False
        ) as env:
            env.copy(str(new), compact=True)
        (new / DATA).chmod(0o600)
        with (new / DATA).open("rb") as file:
            os.fsync(file.fileno())
            after = os.fstat(file.fileno()).st_size
        (new / DATA).replace(place / DATA)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return before, after
