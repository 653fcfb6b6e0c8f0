"""Several processes fill one store: how fast, and whether some order gives the same verdicts."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator
from dedup_middleware.store import open_reader

from .pages import invented

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

WORDS = 1500


def work(store: str, first: int, step: int, count: int, ready: Barrier) -> None:
    with Deduplicator(store, run=f"run-{first}") as dedup:
        dedup.probe(invented(first, WORDS))  # loads what the first page needs
        ready.wait()
        for number in range(first, count, step):
            dedup.process(invented(number, WORDS))


def fill(store: Path, processes: int, count: int) -> float:
    """Fill a store with so many pages; return the pages in a second, once all have started."""
    context = multiprocessing.get_context("spawn")
    Deduplicator(store).close()
    ready = context.Barrier(processes + 1)
    workers = [
        context.Process(target=work, args=(str(store), first, processes, count, ready))
        for first in range(processes)
    ]
    for worker in workers:
        worker.start()
    ready.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    return count / (time.perf_counter() - started)


def differences(store: Path, folder: Path) -> int:
    """Judge the pages again one at a time, in the order of the journal; count what differs."""
    with open_reader(store) as reader, reader.snapshot() as view:
        decisions = [json.loads(line) for line in view.decisions()]
    with Deduplicator(folder) as dedup:
        differ = 0
        for decision in decisions:
            number = int(decision["url"].rpartition("/")[2])
            verdict = dedup.process(invented(number, WORDS))
            was = decision["verdict"], decision["action"], decision["original"]
            differ += (str(verdict.kind), str(verdict.action), verdict.original) != was
    missing = len(decisions) - len(Counter(decision["url"] for decision in decisions))
    return differ + abs(missing)
