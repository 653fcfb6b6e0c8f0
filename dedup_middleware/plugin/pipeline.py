"""The item pipeline: the only place where items are dropped."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter

from dedup_middleware.page import Page
from dedup_middleware.verdict import Action

from .crawl import Crawl
from .exceptions import make_drop

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class DedupPipeline:
    """Drop, tag or pass items by the verdict on their page.

    Items of responses that the spider middleware has judged share that judgement. Other items are
    judged by the URL and the HTML or text that they carry; those without pass.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._settings = crawl.settings

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler))

    async def process_item(self, item: Any) -> Any:
        delivery = self._crawl.deliveries.of_item(item)
        if delivery is None:
            page = self._page_of(item)
            if page is None:
                self._crawl.counts.count("items/without_content")
                return item
            delivery = await self._crawl.judging.judge_item(item, page)
        if delivery.page and not await self._crawl.judging.confirm(delivery):
            return item
        verdict = delivery.verdict
        if verdict is None:
            return item
        if verdict.action is Action.TAG or self._settings.dry_run:
            self._tag(item, delivery.tag)
        elif verdict.action is Action.DROP:
            self._crawl.counts.count("items/dropped")
            raise make_drop(verdict, self._settings.drop_log_level)
        return item

    def _page_of(self, item: Any) -> Page | None:
        if not ItemAdapter.is_item(item):
            return None
        settings, fields = self._settings, ItemAdapter(item)
        url = fields.get(settings.url_field)
        html, text = fields.get(settings.html_field), fields.get(settings.text_field)
        if not isinstance(url, str):
            return None
        if isinstance(html, str | bytes):
            return Page(url=url, html=html)
        return Page(url=url, text=text) if isinstance(text, str) else None

    def _tag(self, item: Any, tag: dict[str, Any] | None) -> None:
        fields, name = ItemAdapter(item), self._settings.tag_field
        tagged = False
        if isinstance(item, dict) or name in fields.field_names():
            with suppress(AttributeError, KeyError, TypeError):  # a frozen item, say
                fields[name] = tag
                tagged = True
        self._crawl.counts.count("items/tagged" if tagged else "items/untagged")
