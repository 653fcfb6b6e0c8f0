"""The spider middleware: one judgement for each response, shared by all its items."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.http import HtmlResponse

from dedup_middleware.errors import SettingError
from dedup_middleware.page import Page
from dedup_middleware.setting_values import actions_of
from dedup_middleware.text import printable

from .crawl import Crawl

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.verdict import Action, Kind

    from .tracking import Judged

logger = logging.getLogger(__name__)

META = "dedup"
HTTP_ERROR = 400


class DedupSpiderMiddleware:
    """Judge each HTML response before its callback runs, as far as that can be.

    The body of a callback that is a generator runs after the judgement; one that returns a list
    has run already.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        judged = await self._judge(response)
        tracker = self._crawl.tracker
        try:
            async for output in result:
                if isinstance(output, Request):
                    if judged and not self._follows(response, judged):
                        self._crawl.counts.count("links_not_followed")
                        continue
                elif judged and output is not None:
                    tracker.expect(output, judged)
                yield output
        finally:
            if judged:
                tracker.end(judged)

    async def _judge(self, response: Response) -> Judged | None:
        wanted, wishes = self._wishes(response)
        if not wanted:
            self._crawl.counts.count("responses/off")
            return self._crawl.skip(response)
        if response.status >= HTTP_ERROR and not self._crawl.settings.http_errors:
            self._crawl.counts.count("responses/http_errors")
            return self._crawl.skip(response)
        if not isinstance(response, HtmlResponse):
            self._crawl.counts.count("responses/not_html")
            return None
        page = Page(
            url=response.url,
            html=response.body,
            encoding=response.encoding,
            redirected_from=tuple(response.meta.get("redirect_urls", ()))
            if response.request
            else (),
        )
        judged = await self._crawl.judge_response(page, response, wishes)
        if judged.verdict and response.request:
            response.meta[META] = judged.tag
        return judged

    def _wishes(self, response: Response) -> tuple[bool, Mapping[Kind, Action]]:
        """Return what the request asks for: whether to judge the page, and actions by kind."""
        wish = response.meta.get(META) if response.request else None
        if wish is None or wish is True or (isinstance(wish, dict) and "kind" in wish):
            return True, {}  # nothing, or the tag of the page that led here
        if wish is False:
            return False, {}
        try:
            return True, actions_of(wish, "request.meta['dedup']")
        except SettingError as error:
            logger.warning("%s; ignored for %s", error, printable(response.url))
            return True, {}

    def _follows(self, response: Response, judged: Judged) -> bool:
        return (
            self._crawl.settings.follow_redundant
            or not judged.redundant
            or response.meta.get("is_start_request", False)
            or response.meta.get("depth") == 0
        )
