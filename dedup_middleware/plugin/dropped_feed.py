"""A feed of dropped items, so that a wrong drop needs no new crawl."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, cast

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter
from scrapy.settings import Settings as ScrapySettings
from scrapy.utils.conf import feed_process_params_from_cli

from dedup_middleware.settings import Settings

from .delivery import tag_of
from .exceptions import DroppedPage

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class DroppedFeed(FeedExporter):
    """Export each item that was dropped as a duplicate, with its verdict.

    `DEDUP_DROPPED_FEED` names the feed as a key of `FEEDS` does: a file or a URI, whose ending is
    its format. The verdict, with the URL of the page, stands in the field `DEDUP_TAG_FIELD`.
    """

    _tag_field = "dedup"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        own = Settings.from_scrapy(crawler.settings)
        if not own.dropped_feed:
            raise NotConfigured
        settings = ScrapySettings(crawler.settings.copy_to_dict())
        settings.setdict({"FEEDS": {}, "FEED_URI": None}, "cmdline")  # those are exported already
        feeds = feed_process_params_from_cli(settings, [own.dropped_feed])
        settings.set("FEEDS", feeds, "cmdline")
        # the exporter reads all feeds of its crawler: here it has this one
        exporter = cls(cast("Crawler", SimpleNamespace(settings=settings)))
        exporter.crawler = crawler
        exporter._tag_field = own.tag_field
        crawler.signals.connect(exporter.open_spider, signals.spider_opened)
        crawler.signals.connect(exporter.close_spider, signals.spider_closed)
        crawler.signals.connect(exporter.item_dropped, signals.item_dropped)
        return exporter

    def item_dropped(
        self, item: Any, response: Response | None, exception: BaseException, spider: Spider
    ) -> None:
        if not isinstance(exception, DroppedPage):
            return
        fields = ItemAdapter(item).asdict()
        url = response.url if response is not None else fields.get("url")
        fields[self._tag_field] = {"url": url, **tag_of(exception.verdict)}
        self.item_scraped(fields, spider)
