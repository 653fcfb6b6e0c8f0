"""One crawl, in a process of its own, which prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from unittest.mock import patch
from urllib.parse import urlsplit

import scrapy
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import TextResponse

from dedup_middleware.plugin import skipping
from dedup_middleware.sites import Sites
from dedup_middleware.store import open_reader

from .server import URL_HEADER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

    from dedup_middleware.sites import Decision, Fetched, Notice

_SETTINGS: dict[str, Any] = {
    "LOG_LEVEL": "WARNING",
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "RETRY_ENABLED": False,
    # as people are told to crawl many sites: breadth first, in little memory
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class LocalHandler(HTTP11DownloadHandler):
    """Fetch any URL from the server on this machine."""

    async def download_request(self, request: scrapy.Request) -> Response:
        port = self._crawler.settings["SERVED_ON"]
        headers = {**request.headers, URL_HEADER: request.url}
        local = request.replace(url=f"http://127.0.0.1:{port}/", headers=headers)
        response = await super().download_request(local)
        return response.replace(url=request.url)


class Wanderer(scrapy.Spider):
    """Fetch all pages that links lead to."""

    name = "wanderer"
    starts: list[str]
    hosts: list[str]

    async def start(self) -> AsyncIterator[Any]:
        self.known = set(self.hosts)
        self.cpu = time.process_time()
        for url in self.starts:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, TextResponse):
            return
        yield {"url": response.url}
        for link in response.xpath("//a/@href").getall():
            if not link.startswith("#") and urlsplit(link).hostname in self.known:
                yield scrapy.Request(link)

    def closed(self, reason: str) -> None:  # noqa: ARG002 - as Scrapy calls it
        self.cpu = time.process_time() - self.cpu


class Watched(Sites):
    """Sites that count what they cost, and when a mirror is found."""

    # of the one crawl of this process
    seconds = 0.0
    pages: ClassVar[Counter[str]] = Counter()
    mirrors: ClassVar[dict[str, int]] = {}

    def observe(self, fetched: Fetched) -> list[Notice]:
        began = time.thread_time()
        notices = super().observe(fetched)
        Watched.seconds += time.thread_time() - began
        self.pages[urlsplit(fetched.url).netloc] += 1
        for one in notices:
            if one.what == "mirror":
                self.mirrors.setdefault(one.host, self.pages[one.host])
        return notices

    def consider(self, url: str) -> Decision:
        began = time.thread_time()
        decision = super().consider(url)
        Watched.seconds += time.thread_time() - began
        return decision


def findings(store: str) -> dict[str, Any]:
    """Return what a store knows of sites, and what it cost to learn that."""
    with open_reader(store) as reader:
        known = list(Sites(reader).overview())
    hosts = Watched.mirrors
    return {
        "mirrors": [
            (place, one.of.partition("/")[0], hosts.get(place, 0))
            for site in known
            for one in site.found_mirrors()
            if (place := one.place.partition("/")[0])
        ],
        "walls": [(one.urls, one.pages) for site in known for one in site.walls()],
        "sites_ms": 1000 * Watched.seconds / max(1, Watched.pages.total()),
    }


def main(file: str) -> None:
    """Crawl as a file of JSON says."""
    task = json.loads(Path(file).read_text())
    handlers = dict.fromkeys(("http", "https"), LocalHandler)
    settings = {**_SETTINGS, "DOWNLOAD_HANDLERS": handlers, "SERVED_ON": task["port"]}
    process = AsyncCrawlerProcess({**settings, **task["settings"]})
    crawler = process.create_crawler(Wanderer)
    process.crawl(crawler, starts=task["starts"], hosts=task["hosts"])
    with patch.object(skipping, "Sites", Watched):
        process.start()
    spider = crawler.spider
    assert isinstance(spider, Wanderer)
    assert crawler.stats is not None
    stats = {name: value for name, value in crawler.stats.get_stats().items() if _is_plain(value)}
    store = task["settings"].get("DEDUP_SCOPE")
    found = findings(store) if store else {}
    print(json.dumps({"cpu": spider.cpu, "stats": stats, **found}))


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | str)


if __name__ == "__main__":
    main(sys.argv[1])
