"""Crawlers on one server: pages for each second of CPU, round trips, conflicts, bytes a page."""

from __future__ import annotations

import multiprocessing
import secrets
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.speed.pages import load
from dedup_middleware import Deduplicator, Page
from dedup_middleware.deduplicator import Receipt
from dedup_middleware.group import Case
from dedup_middleware.store import open_reader
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.store.redis.connection import Server

from .pages import invented

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

CRAWLERS = 4
TOGETHER = 8
WORDS = 500
KEYS = ("meta", "urls", "log", "buckets", "postings", "withdrawn", "pending")
"""Tables of keys and postings; the others have what pages said and what was decided."""


class Spent(NamedTuple):
    """What the crawlers needed: pages, seconds of CPU, pages judged again, round trips."""

    pages: int
    seconds: float
    again: int
    trips: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to judge pages."""

    pages: int
    crawlers: float
    """Seconds of CPU of all crawlers."""
    again: int
    """How often a page was judged again, because of what had come meanwhile."""
    trips: int
    """Round trips to the server."""
    server: float = 0.0
    keys: float = 0.0
    """Bytes of keys and postings on the server, for each registered page."""
    all: float = 0.0

    @property
    def speed(self) -> float:
        """Pages for each second of CPU."""
        return self.pages / (self.crawlers + self.server)


def embedded(folder: Path, count: int, real: Path | None) -> Cost:
    """Fill a folder by one crawler, which has it alone."""
    return Cost(*_crawl(str(folder), 1, 1, count, real))


def served(url: str, crawlers: int, together: int, count: int, real: Path | None) -> Cost:
    """Fill a store on a server by crawlers in which so many pages wait to be judged."""
    import redis

    store = f"{url}?prefix=bench-{secrets.token_hex(4)}"
    with redis.Redis.from_url(url) as client:
        before = _cpu(client)
        spent = _crawl(store, crawlers, together, count, real)
        after = _cpu(client)
        with open_reader(store) as reader, reader.snapshot() as view:
            sizes, pages = view.sizes(), len(list(view.numbers()))
        client.unlink(*client.keys(f"{{{store.rpartition('=')[2]}}}:*"))
    sums = [
        sum(one.size for table, one in sizes.items() if table in some) / pages
        for some in (KEYS, sizes)
    ]
    return Cost(*spent, after - before, *sums)


def _crawl(store: str, crawlers: int, together: int, count: int, real: Path | None) -> Spent:
    """Judge pages by some processes; return what it took after the start."""
    context = multiprocessing.get_context("spawn")
    ready, spent = context.Barrier(crawlers), context.Queue()
    workers = [
        context.Process(
            target=_work, args=(store, first, crawlers, together, count, real, ready, spent)
        )
        for first in range(crawlers)
    ]
    for worker in workers:
        worker.start()
    found = [spent.get() for _ in workers]
    for worker in workers:
        worker.join()
    return Spent(*map(sum, zip(*found, strict=True)))


def _work(
    store: str,
    first: int,
    step: int,
    together: int,
    count: int,
    real: Path | None,
    ready: Barrier,
    spent: Queue[Spent],
) -> None:
    pages = _pages(count, real)[first::step]
    with Deduplicator(MemoryStore()) as dedup:  # loads what pages and copies of pages need
        for number in range(10):
            dedup.process(invented(number, WORDS))
    with Deduplicator(store, is_sole=step == 1) as dedup:
        dedup.probe(invented(first, WORDS))
        judged = _counted(dedup, "_judge")
        trips = _counted(Server, "_exchange")
        ready.wait()
        before, started = sum(trips), time.process_time()
        delivered: list[int] = []
        for at in range(0, len(pages), together):
            cases = [Case(page) for page in pages[at : at + together]]
            cases[0] = replace(cases[0], delivered=delivered)
            outcomes = dedup.judge_all(cases)
            numbers = [one.number for one in outcomes if isinstance(one, Receipt)]
            delivered = [number for number in numbers if number is not None]
        dedup.settle(delivered=delivered)
        seconds = time.process_time() - started
        spent.put(Spent(len(pages), seconds, sum(judged) - len(pages), sum(trips) - before))


def _counted(owner: Any, name: str) -> list[int]:
    """Let a method note each call in a list."""
    calls, method = list[int](), getattr(owner, name)

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return method(*arguments)

    setattr(owner, name, counted)
    return calls


def _pages(count: int, real: Path | None) -> list[Page]:
    """Return pages of a labelled set, or invented ones if there is none."""
    if real is None:
        return [invented(number, WORDS) for number in range(count)]
    loaded = load(real, count, [])
    return [Page(url=one.url, html=one.body) for one in loaded]


def _cpu(client: Any) -> float:
    facts = client.info("cpu")
    return float(facts["used_cpu_user"] + facts["used_cpu_sys"])
