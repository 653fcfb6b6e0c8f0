"""The downloader middleware: the last place where a request can be skipped, or put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from .crawl import Crawl

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from .skipping import Skipping


class DedupDownloaderMiddleware:
    """Skip requests whose page is known, and note which requests fail.

    It stands next to the engine: it sees each request once, and only the errors for which no other
    middleware tries again.
    """

    def __init__(self, skipping: Skipping) -> None:
        self._skipping = skipping

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        skipping = Crawl.of(crawler).skipping
        if skipping is None:
            raise NotConfigured
        return cls(skipping)

    async def process_request(self, request: Request) -> Request | None:
        return await self._skipping.before_download(request)

    def process_exception(self, request: Request, exception: Exception) -> None:
        del exception
        self._skipping.failed(request)
