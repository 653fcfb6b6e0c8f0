"""The drop rate, beside the line that Scrapy's LogStats writes each minute."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.logstats import LogStats
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class DedupLogStats:
    """Log how much was judged and dropped, as often as LogStats and only where that is on."""

    def __init__(self, stats: StatsCollector, interval: float) -> None:
        self._stats = stats
        self._interval = interval
        self._pages = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if not interval or crawler.stats is None or not _logs_stats(crawler.settings):
            raise NotConfigured
        extension = cls(crawler.stats, interval)
        crawler.signals.connect(extension.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signal=signals.spider_closed)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        self._task = create_looping_call(self._log, spider)
        self._task.start(self._interval, now=False)

    def spider_closed(self) -> None:
        if self._task.running:
            self._task.stop()

    def _log(self, spider: Spider) -> None:
        pages, dropped, ended = (
            sum(self._stats.get_value(key, 0) for key in keys)
            for keys in (
                ["dedup/pages"],
                ["dedup/items/dropped"],
                ["item_scraped_count", "item_dropped_count"],
            )
        )
        rate = (pages - self._pages) * 60 / self._interval
        self._pages = pages
        logger.info(
            "Judged %s pages (at %s pages/min), dropped %s items (%s)",
            *(f"{number:,.0f}" for number in (pages, rate, dropped)),
            f"{dropped / max(ended, dropped, 1):.1%}",
            extra={"spider": spider},
        )


def _logs_stats(settings: BaseSettings) -> bool:
    """Tell whether the line is wanted beside which ours is to stand."""
    extensions = settings.get_component_priority_dict_with_base("EXTENSIONS")
    enabled = [load_object(one) for one, order in extensions.items() if order is not None]
    return any(isinstance(one, type) and issubclass(one, LogStats) for one in enabled)
