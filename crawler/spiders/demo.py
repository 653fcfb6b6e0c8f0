"""The `demo` spider: a crawl of a demo web with known duplicates, served by this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals

from crawler.demo import PAGES, NotEnoughText, Server

from .arguments import BadArgument, checked_number
from .site import SiteSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.demo import Manifest
    from crawler.items import PageItem

SEED = 7


class DemoSpider(SiteSpider):
    """Start a demo web, crawl all of it, stop it; `-a seed=` and `-a pages=` vary it."""

    name = "demo"
    custom_settings = {  # noqa: RUF012 - Scrapy's name and type; a local web needs no politeness
        "AUTOTHROTTLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "CLOSESPIDER_PAGECOUNT": 0,
        "DEPTH_LIMIT": 0,
        "RETRY_ENABLED": False,
        "DEDUP_SKIP": "on",  # what that saves and misses is known here
    }
    server: Server
    manifest: Manifest
    again: set[str]
    """URLs to be fetched a second time."""

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *args: Any,
        seed: str = str(SEED),
        pages: str = str(PAGES),
        **kwargs: Any,
    ) -> Self:
        for name in kwargs:
            raise SystemExit(f"{cls.name}: {name}: no such argument; there are seed and pages")
        try:
            number, size = checked_number("seed", seed), checked_number("pages", pages)
            server = Server(number, size, corners=True)
        except (BadArgument, ValueError, NotEnoughText) as error:
            raise SystemExit(f"{cls.name}: {error}") from None
        spider = super().from_crawler(crawler, *args, url=server.url, sitemap="yes")
        spider.server = server.start()
        spider.manifest = server.manifest
        spider.again = set(spider.manifest.visited_twice)
        crawler.signals.connect(spider.stop_server, signals.spider_closed)
        return spider

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page and its links; request it once more if it may have changed."""
        yield from super().parse(response)
        if response.url in self.again:
            self.again.remove(response.url)
            yield Request(response.url, self.parse, dont_filter=True)

    def stop_server(self) -> None:
        self.server.stop()
