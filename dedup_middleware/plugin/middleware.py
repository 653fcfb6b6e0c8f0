"""The middlewares: one judges each response, for all its items; the other may skip requests."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError

from dedup_middleware.errors import SettingError
from dedup_middleware.setting_values import actions_of
from dedup_middleware.text import printable
from dedup_middleware.urls import url_key

from .crawl import Crawl
from .delivery import Delivery
from .reading import Tag, page_of, reading_of
from .skipping import link_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.verdict import Action, Kind

    from .skipping import Skipping

logger = logging.getLogger(__name__)

META = "dedup"
HTTP_ERROR = 400
GONE = (404, 410)


class DedupSpiderMiddleware:
    """Judge each HTML response before its callback runs, as far as that can be.

    The body of a callback that is a generator runs after the judgement; one that returns a list
    has run already.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        if crawl.skipping:
            crawl.skipping.sees_responses = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler))

    def process_spider_input(self, response: Response) -> None:
        """Let callbacks that ask for the main text share the reading of the judgement."""
        reading_of(response, self._crawl.dedup)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        delivery = await self._judge(response)
        deliveries, skipping = self._crawl.deliveries, self._crawl.skipping
        if delivery is None and skipping and response.request:
            skipping.failed(response.request)  # what is not judged stands for no other page
        try:
            async for output in result:
                if isinstance(output, Request):
                    if not self._follows(response, delivery):
                        self._crawl.counts.count("links_not_followed")
                        continue
                    if delivery and skipping:
                        delivery.links.add(link_of(output))
                elif delivery and output is not None:
                    deliveries.expect(output, delivery)
                yield output
        except Exception:
            if delivery:
                delivery.fetched = None  # it may not have brought all of its items
            raise
        finally:
            if delivery:
                deliveries.close(delivery)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Note a page that brings nothing: its callback fails, or Scrapy keeps it from that."""
        if isinstance(exception, HttpError):
            self._note_gone(response)
        if self._crawl.skipping and response.request:
            self._crawl.skipping.failed(response.request)

    def _note_gone(self, response: Response) -> None:
        if response.status in GONE:
            self._crawl.dedup.note_gone(response.url)

    async def _judge(self, response: Response) -> Delivery | None:
        """Judge a response; None if its items may be judged by what they carry."""
        crawl, request = self._crawl, response.request
        meta: dict[str, Any] = request.meta if request else {}
        wish = meta.get(META)
        delivery = Delivery(url_key(response.url), response=response, is_running=True)
        if wish is False:
            crawl.counts.count("responses/off")
        elif response.status >= HTTP_ERROR and not crawl.settings.http_errors:
            crawl.counts.count("responses/http_errors")
            self._note_gone(response)
        elif not isinstance(response, HtmlResponse):
            crawl.counts.count("responses/not_html")
            return None
        else:
            delivery.requested = _requested(wish, response)
            delivery.page = page = page_of(response)
            await crawl.judging.judge(delivery, page)
            if delivery.tag and request:
                meta[META] = Tag(delivery.tag, response)
        return delivery

    def _follows(self, response: Response, delivery: Delivery | None) -> bool:
        return (
            self._crawl.settings.follow_redundant
            or delivery is None
            or delivery.verdict is None
            or not delivery.verdict.redundant
            or response.meta.get("is_start_request", False)
            or response.meta.get("depth") == 0
        )


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


def _requested(wish: object, response: Response) -> Mapping[Kind, Action]:
    """Return the actions by kind that a request asks for."""
    if wish is None or wish is True or (isinstance(wish, dict) and "kind" in wish):
        return {}  # nothing, or the tag of the page that led here
    try:
        return actions_of(wish, "request.meta['dedup']")
    except SettingError as error:
        logger.warning("%s; ignored for %s", error, printable(response.url))
        return {}
