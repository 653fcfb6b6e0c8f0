"""A spider that may run many times at once: the server says who fetches what."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import TextResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

PATIENCE = 10.0  # seconds without a page: others may still find links


class MachinesSpider(scrapy.Spider):
    """Follow all links of one site: `scrapy crawl machines -a url=https://…`."""

    name = "machines"
    url: str

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.last_page = time.monotonic()
        crawler.signals.connect(spider.wait, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        self.last_page = time.monotonic()
        if not isinstance(response, TextResponse):  # a picture, an archive
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in response.css("a::attr(href)").getall():
            target = response.urljoin(link)
            if urlsplit(target).netloc == urlsplit(self.url).netloc:
                yield scrapy.Request(target)

    def wait(self) -> None:
        if time.monotonic() < self.last_page + PATIENCE:
            raise DontCloseSpider
