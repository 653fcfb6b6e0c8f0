"""A spider that follows a sitemap, to be run every night."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse
from scrapy.spiders import SitemapSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class AtlasSpider(SitemapSpider):
    """Fetch all pages of a sitemap: `scrapy crawl atlas -a url=https://…/sitemap.xml`."""

    name = "atlas"

    def __init__(self, *args: Any, url: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sitemap_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield a page; what comes out is new, or has changed."""
        if isinstance(response, HtmlResponse):  # nothing else is judged
            yield {"url": response.url, "verdict": response.meta["dedup"]["kind"]}
