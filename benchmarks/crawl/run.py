"""One crawl, in a process of its own, which prints its figures as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor

from lab.measure import peak_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import TextResponse

KINDS = ("LinkExtractor", "css", "fetch")
"""What spiders do with a page: two ways to find its links, and nothing."""
TICK = 0.001


class Bench(scrapy.Spider):
    """Fetch pages; look for links as most spiders do, unless it only fetches."""

    name = "bench"
    port: str
    count: str
    kind: str
    longest_gap = 0.0

    async def start(self) -> AsyncIterator[Any]:
        self.extractor = LinkExtractor()
        self.ticker = asyncio.create_task(self.tick())
        self.began, self.cpu = time.perf_counter(), time.process_time()
        for number in range(int(self.count)):
            yield scrapy.Request(f"http://127.0.0.1:{self.port}/{number}")

    async def tick(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            self.longest_gap = max(self.longest_gap, now - last - TICK)
            last = now

    def parse(self, response: TextResponse) -> Iterator[Any]:  # type: ignore[override]  # HTML only
        found = 0
        if self.kind == "LinkExtractor":
            found = len(self.extractor.extract_links(response))
        elif self.kind == "css":
            found = len(response.css("a::attr(href)").getall())
        yield {"url": response.url, "links": found}

    def closed(self, reason: str) -> None:  # noqa: ARG002 - as Scrapy calls it
        self.took = time.perf_counter() - self.began
        self.cpu = time.process_time() - self.cpu
        self.ticker.cancel()


def main(port: str, count: str, kind: str, dedup: str) -> None:
    settings: dict[str, Any] = {
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
        "TELNETCONSOLE_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
    }
    if dedup == "on":
        settings["ADDONS"] = {"dedup_middleware.Addon": 500}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Bench)
    process.crawl(crawler, port=port, count=count, kind=kind)
    process.start()
    spider = crawler.spider
    assert isinstance(spider, Bench)
    assert crawler.stats is not None
    print(
        json.dumps(
            {
                "seconds": spider.took,
                "cpu": spider.cpu,
                "peak": peak_memory(),
                "gap_ms": 1000 * spider.longest_gap,
                "items": crawler.stats.get_value("item_scraped_count", 0),
                "judged": crawler.stats.get_value("dedup/pages", 0),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
