"""Damage a store at random, and see whether that is found or does no harm."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator
from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader
from dedup_middleware.store.lmdb import read_engine
from dedup_middleware.store.lmdb.checkpoint import check_file

from .pages import invented

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOUND, HARMLESS, MISSED = "found", "harmless", "MISSED"


def make(store: Path, pages: int) -> None:
    """Make a store that has everything: runs of postings, copies, withdrawn pages."""
    with Deduplicator(store, is_sole=True) as dedup:
        for number in range(pages):
            receipt = dedup.judge(invented(number), pending=False)
            if number % 20 == 0:
                dedup.settle(withdrawn=[receipt.number])


def flip_often(store: Path, count: int, seed: int) -> Iterator[str]:
    """Flip one bit, so many times; yield what came of each."""
    rng = random.Random(seed)
    before = contents(store)
    size = (store / "data.mdb").stat().st_size
    for _ in range(count):
        damaged = copied(store)
        with (damaged / "data.mdb").open("r+b") as file:
            at = rng.randrange(size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes((byte ^ 1 << rng.randrange(8),)))
        yield outcome(damaged, before)


def cut_often(store: Path, count: int, seed: int) -> Iterator[str]:
    """Cut the end of the data, so many times; yield what came of each."""
    rng = random.Random(seed)
    before = contents(store)
    size = (store / "data.mdb").stat().st_size
    for _ in range(count):
        damaged = copied(store)
        os.truncate(damaged / "data.mdb", rng.randrange(size))
        yield outcome(damaged, before)


def copied(store: Path) -> Path:
    """Copy a store into a place beside it."""
    damaged = store.with_name("damaged")
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(store, damaged)
    return damaged


def contents(store: Path) -> list[tuple[str, bytes, bytes | None]]:
    """Return all entries of a store."""
    engine = read_engine(store, 1 << 40, write=False)
    try:
        with engine.snapshot() as snapshot:
            return [(table, *entry) for table in snapshot.sizes() for entry in snapshot.scan(table)]
    finally:
        engine.close()


def outcome(store: Path, before: list[tuple[str, bytes, bytes | None]]) -> str:
    """Return whether damage is found, or does no harm."""
    try:
        check_file(store)
        with open_reader(store) as reader:
            if verify(reader, lambda _: None).found:
                return FOUND
        return HARMLESS if contents(store) == before else MISSED
    except DedupError:
        return FOUND
