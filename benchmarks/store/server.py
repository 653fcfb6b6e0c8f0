"""Several crawlers on one server: pages for each second of CPU, and bytes a page there."""

from __future__ import annotations

import multiprocessing
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.speed.pages import load
from dedup_middleware import Deduplicator, Page
from dedup_middleware.store import open_reader
from dedup_middleware.store.memory import MemoryStore

from .pages import invented

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

CRAWLERS = 4
WORDS = 500
KEYS = ("meta", "urls", "log", "buckets", "postings", "withdrawn", "pending")
"""Tables of keys and postings; the others have what pages said and what was decided."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to judge pages."""

    pages: int
    crawlers: float
    """Seconds of CPU of all crawlers."""
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
    return Cost(*_crawl(str(folder), 1, count, real))


def served(url: str, count: int, real: Path | None, crawlers: int = CRAWLERS) -> Cost:
    """Fill a store on a server by several crawlers."""
    import redis

    store = f"{url}?prefix=bench-{secrets.token_hex(4)}"
    with redis.Redis.from_url(url) as client:
        before = _cpu(client)
        judged, seconds = _crawl(store, crawlers, count, real)
        after = _cpu(client)
        with open_reader(store) as reader, reader.snapshot() as view:
            sizes, pages = view.sizes(), len(list(view.numbers()))
        client.unlink(*client.keys(f"{{{store.rpartition('=')[2]}}}:*"))
    sums = [
        sum(one.size for table, one in sizes.items() if table in some) / pages
        for some in (KEYS, sizes)
    ]
    return Cost(judged, seconds, after - before, *sums)


def _crawl(store: str, crawlers: int, count: int, real: Path | None) -> tuple[int, float]:
    """Judge pages by some processes; return how many, and the seconds of CPU after the start."""
    context = multiprocessing.get_context("spawn")
    ready, spent = context.Barrier(crawlers), context.Queue()
    workers = [
        context.Process(target=_work, args=(store, first, crawlers, count, real, ready, spent))
        for first in range(crawlers)
    ]
    for worker in workers:
        worker.start()
    found = [spent.get() for _ in workers]
    for worker in workers:
        worker.join()
    return sum(pages for pages, _ in found), sum(seconds for _, seconds in found)


def _work(
    store: str,
    first: int,
    step: int,
    count: int,
    real: Path | None,
    ready: Barrier,
    spent: Queue[tuple[int, float]],
) -> None:
    pages = _pages(count, real)[first::step]
    with Deduplicator(MemoryStore()) as dedup:  # loads what pages and copies of pages need
        for number in range(10):
            dedup.process(invented(number, WORDS))
    with Deduplicator(store, is_sole=step == 1) as dedup:
        dedup.probe(invented(first, WORDS))
        ready.wait()
        started = time.process_time()
        for page in pages:
            receipt = dedup.judge(page)
            dedup.settle(delivered=[receipt.number])
        spent.put((len(pages), time.process_time() - started))


def _pages(count: int, real: Path | None) -> list[Page]:
    """Return pages of a labelled set, or invented ones if there is none."""
    if real is None:
        return [invented(number, WORDS) for number in range(count)]
    loaded = load(real, count, [])
    return [Page(url=one.url, html=one.body) for one in loaded]


def _cpu(client: Any) -> float:
    facts = client.info("cpu")
    return float(facts["used_cpu_user"] + facts["used_cpu_sys"])
