"""A spider with one callback, as it would be without dedup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy.http import TextResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class NotesSpider(scrapy.Spider):
    """Follow all links of one site: `scrapy crawl notes -a url=https://…`."""

    name = "notes"
    url: str

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, TextResponse):  # a picture, an archive
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in response.css("a::attr(href)").getall():
            target = response.urljoin(link)
            if urlsplit(target).netloc == urlsplit(self.url).netloc:
                yield scrapy.Request(target)
