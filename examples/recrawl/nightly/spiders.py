"""A spider to be run every night, which knows nothing of the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class NightlySpider(scrapy.Spider):
    """Follow all links of one site: `scrapy crawl nightly -a url=https://…`."""

    name = "nightly"
    url: str

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield a page; what comes out is new, or has changed."""
        if not isinstance(response, HtmlResponse):  # nothing else is judged
            return
        verdict = response.meta["dedup"]
        yield {"url": response.url, "verdict": verdict["kind"], "reason": verdict["reason"]}
        for link in LinkExtractor().extract_links(response):
            if link.url.startswith(self.url):
                yield scrapy.Request(link.url)
