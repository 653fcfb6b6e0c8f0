"""A feed of passages, each with the headings above it, to be embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from dedup_middleware import main_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class PassagesSpider(CrawlSpider):
    """Follow all links of one site: `scrapy crawl passages -a url=https://…`."""

    name = "passages"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, *args: Any, url: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.start_urls = [url]
        self.allowed_domains = [urlsplit(url).hostname or ""]

    def parse_start_url(self, response: Response) -> Iterator[Any]:
        """Yield the passages of the first page, too."""
        return self.parse_page(response)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the passages of a page; those of a copy are dropped."""
        if not isinstance(response, HtmlResponse):
            return
        sections = main_text(response).sections(max_words=200)
        for number, section in enumerate(sections):
            yield {
                "id": f"{response.url}#{number}",
                "about": " > ".join(section.headings),
                "text": section.text,
            }
