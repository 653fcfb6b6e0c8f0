"""Stores of known pages: one store above one engine protocol.

Engines are LMDB (embedded), a server that speaks the Redis protocol, and memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.urls import is_url

from .change import Change, Copy, Registration, Seen
from .engine import Candidates, Committed, Conflict, Wanted
from .packing import PageRecord, UrlRecord
from .reader import Reader
from .runs import Ending
from .store import Store
from .view import View

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Candidates",
    "Change",
    "Committed",
    "Conflict",
    "Copy",
    "Ending",
    "PageRecord",
    "Reader",
    "Registration",
    "Seen",
    "Store",
    "UrlRecord",
    "View",
    "Wanted",
    "copy_store",
    "open_reader",
    "open_store",
]


def open_store(
    place: str | Path,
    *,
    map_size: int = 1 << 40,
    run: str | None = None,
    spider: str = "",
    is_sole: bool = False,
    commit: str = "page",
) -> Store:
    """Open a store, made now if it is not there, for a run.

    `is_sole` if no other uses it. `commit` says when its pages count for others: each `page` once
    it is delivered, or all of them when the run has succeeded (`finish`).
    """
    if is_url(place):
        from .redis import RedisEngine

        return Store(RedisEngine(str(place)), run=run, spider=spider, commit=commit)
    from .lmdb import make_engine

    engine = make_engine(place, map_size, is_sole=is_sole)
    return Store(engine, run=run, spider=spider, commit=commit)


def open_reader(place: str | Path, *, map_size: int = 1 << 40, write: bool = False) -> Reader:
    """Open a store to look at it, or with `write` to change it by hand, without a run."""
    if is_url(place):
        from .redis import RedisEngine

        return Reader(RedisEngine(str(place)))
    from .lmdb import read_engine

    return Reader(read_engine(place, map_size, write=write))


def copy_store(place: Path, target: Path, *, map_size: int = 1 << 40) -> None:
    """Copy a store as it is now into a new folder; others may go on using it."""
    from .lmdb.engine import copy_store

    copy_store(place, target, map_size)
