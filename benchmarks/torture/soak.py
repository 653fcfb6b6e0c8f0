"""One long crawl of generated pages: memory, and how long the event loop is held.

Command: `python -m benchmarks.torture.soak --pages N --seed S`. Pages are made by a downloader
middleware, so that no server takes part; everything else is a crawl as it always is, but for one
thing: after the first thousand pages, what Scrapy, Twisted and other libraries have loaded is
hidden from Python's garbage collector. Each full collection visits all of that, in any crawl; how
long one takes is a figure of its own. What the crawl keeps later is visited, and counts.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Request, Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from scrapy.crawler import Crawler

HOSTS = 40  # four of them would have copies only, which are elsewhere
COPY_EACH = 10  # pages
EVERY = 1000  # pages memory is looked at
SETTLED = 20_000  # pages after which it must stay as it is
FLAT = 1.1  # times what it was then, at most
HOLD = 0.1  # seconds of CPU
_WORDS = [f"{a}{b}" for a in ("sal", "mor", "tin", "veg", "lun") for b in map(str, range(1000))]


def page(number: int, seed: int) -> str:
    """Return a page; every tenth repeats the one before it under another URL."""
    number -= is_copy(number)
    rng = random.Random(f"{seed} {number}")
    parts = "".join(
        f"<p>{' '.join(rng.choices(_WORDS, k=rng.randrange(20, 80)))}.</p>" for _ in range(5)
    )
    menu = "".join(f"<li><a href=/{one}>Section {one}</a></li>" for one in range(12))
    title = f"Page {number}"
    return (
        f"<!doctype html><title>{title}</title><nav><ul>{menu}</ul></nav>"
        f"<main><h1>{title}</h1>{parts}</main><footer>All rights reserved by the site.</footer>"
    )


def is_copy(number: int) -> bool:
    return number % COPY_EACH == COPY_EACH - 1


class Generated:
    """Downloader middleware that answers every request itself."""

    def process_request(self, request: Request) -> Response:
        number, seed = request.meta["number"], request.meta["seed"]
        body = page(number, seed)
        return HtmlResponse(request.url, body=body.encode(), encoding="utf-8", request=request)


class Soak(scrapy.Spider):
    """Ask for all pages, and note what is dropped and how much memory there is."""

    name = "soak"

    def __init__(self, pages: int, seed: int, **options: Any) -> None:
        super().__init__(**options)
        self.pages, self.seed = pages, seed
        self.done = self.dropped = self.wrongly_dropped = 0
        self.memory: list[int] = []
        self.holds: Holds | None = None
        self.collection = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Soak:
        spider = super().from_crawler(crawler, *args, **options)
        crawler.signals.connect(spider.note_dropped, signals.item_dropped)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        for number in range(self.pages):
            # a copy is on the host of the page before it
            host = (number - is_copy(number)) % HOSTS
            url = f"https://host-{host}.example/{number}"
            yield Request(url, meta={"number": number, "seed": self.seed}, dont_filter=True)

    def parse(self, response: Response) -> Iterator[dict[str, int]]:
        self.done += 1
        self.holds = self.holds or Holds()  # the start, with its imports, is over
        if self.done % EVERY == 0:
            self.memory.append(own_memory())
            print(self.done, self.memory[-1], round(1000 * self.holds.longest), flush=True)
        if self.done == EVERY:
            self.holds.pause()
            begin = time.thread_time()
            gc.collect()
            self.collection = time.thread_time() - begin
            gc.freeze()
        yield {"number": response.meta["number"]}

    def note_dropped(self, item: dict[str, int]) -> None:
        self.dropped += 1
        self.wrongly_dropped += not is_copy(item["number"]) and not is_copy(item["number"] + 1)


def own_memory() -> int:
    """Return the kilobytes that belong to this process alone; maps of files do not count."""
    found = re.search(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


class Holds:
    """How long callbacks of the event loop run, in CPU time of its thread, from now on."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.count = 0
        self._is_paused = False
        run = asyncio.Handle._run  # noqa: SLF001 - what the loop calls

        def timed(handle: asyncio.Handle) -> None:
            begin = time.thread_time()
            run(handle)
            spent = 0.0 if self._is_paused else time.thread_time() - begin
            self._is_paused = False
            self.longest = max(self.longest, spent)
            self.count += spent > HOLD

        setattr(asyncio.Handle, "_run", timed)  # noqa: B010 - mypy lets nobody assign it

    def pause(self) -> None:
        """Leave out the callback that is running."""
        self._is_paused = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl, print the figures, and return 1 if one of the goals is missed.

    No page is dropped that repeats nothing, memory is flat, and nothing holds the event loop.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture.soak", description=__doc__)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        settings = {
            "ADDONS": {"dedup_middleware.Addon": 500},
            "DOWNLOADER_MIDDLEWARES": {Generated: 1},
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
        }
        process = CrawlerProcess(settings)
        crawler = process.create_crawler(Soak)
        process.crawl(crawler, pages=options.pages, seed=options.seed)
        process.start()
        spider = crawler.spider
    assert isinstance(spider, Soak)
    assert spider.holds
    settled = spider.memory[min(SETTLED, options.pages) // EVERY - 1 :] or [0]
    figures = {
        "pages": spider.done,
        "copies": spider.done // COPY_EACH,
        "dropped": spider.dropped,
        "wrongly_dropped": spider.wrongly_dropped,
        "most_kb_settled": settled[0],
        "most_kb_later": max(settled),
        "most_hold_ms": round(1000 * spider.holds.longest),
        "holds": spider.holds.count,
        "most_collection_ms": round(1000 * spider.collection),
    }
    line = json.dumps(figures)
    print(line)
    if path := os.environ.get("FAULTS_FIGURES"):
        Path(path).write_text(f"{line}\n")
    is_flat = max(settled) <= FLAT * settled[0]
    return int(spider.wrongly_dropped > 0 or spider.holds.count > 0 or not is_flat)


if __name__ == "__main__":
    raise SystemExit(main())
