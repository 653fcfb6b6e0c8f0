"""A spider that is made of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class ShelfSpider(CrawlSpider):
    """Follow links by rules: `scrapy crawl shelf -a url=https://…`."""

    name = "shelf"
    rules = (Rule(LinkExtractor(deny=r"/login"), callback="parse_page", follow=True),)

    def __init__(self, *args: Any, url: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.start_urls = [url]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield a page; the verdict on it is known here already."""
        if not isinstance(response, TextResponse):  # a picture, an archive
            return
        verdict = response.meta.get("dedup") or {}
        yield {"url": response.url, "kind": verdict.get("kind"), "text": response.text}
