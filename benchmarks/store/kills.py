"""Kill a process at any moment while it fills a store, and see what is left."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator
from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader
from dedup_middleware.urls import url_key

from .pages import invented

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LATEST = 0.4  # seconds until a kill, at most
ROUNDS = 25  # kills of one store


def kill_often(folder: Path, count: int, seed: int) -> Iterator[list[str]]:
    """Kill so many writers; yield what each left wrong."""
    rng = random.Random(seed)
    done = 0
    for number in range(count):
        if number % ROUNDS == 0:
            store, done = folder / str(number), 0
        is_sole = bool(number // ROUNDS % 2)
        kill_one(store, done, rng.random() * LATEST, is_sole=is_sole)
        yield problems(store)
        done += 50


def kill_one(store: Path, first: int, seconds: float, *, is_sole: bool) -> None:
    """Fill a store in a child until it is killed."""
    child = os.fork()
    if child == 0:
        try:
            fill(store, first, is_sole=is_sole)
        finally:
            os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def fill(store: Path, first: int, *, is_sole: bool) -> None:
    """Judge pages without an end; say of each what became of it, as a crawl does."""
    with Deduplicator(store, is_sole=is_sole) as dedup:
        for number in range(first, first + 100_000):
            receipt = dedup.judge(invented(number), pending=number % 3 == 0)
            if receipt.number and number % 3 == 0:
                gone = number % 9 == 0
                dedup.settle(
                    delivered=[] if gone else [receipt.number],
                    withdrawn=[receipt.number] if gone else [],
                )


def problems(store: Path) -> list[str]:
    """Return what is wrong with a store: damage, or a promise that was not kept."""
    if not (store / "data.mdb").exists():
        return []  # it was killed before it began
    Deduplicator(store).close()  # what comes after a crash: pending pages go, journals are mended
    found = []
    with open_reader(store) as reader:
        damages = verify(reader, lambda _: None)
        found += [one.damage.description for one in damages.found.values()]
        with reader.snapshot() as view:
            lines = list(view.decisions())
            for journal in (store / "journal").glob("*.jsonl"):
                for line in journal.read_bytes().splitlines():
                    decision = json.loads(line)
                    if line != lines[decision["seq"] - 1]:
                        found.append("a line of a journal that the store lacks")
                    kept = decision["action"] != "drop" and not _may_go(decision["url"])
                    if kept and view.url(url_key(decision["url"])) is None:
                        found.append(f"{decision['url']} was promised and is not there")
    return found


def _may_go(url: str) -> bool:
    """Return True for pages that were pending, and may have been withdrawn."""
    return int(url.rpartition("/")[2]) % 3 == 0
