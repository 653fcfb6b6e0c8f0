"""Pipelines, feeds and spiders whose output is lost when the crawl closes."""

from __future__ import annotations

import asyncio

from components import Pages
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import BlockingFeedStorage, ItemFilter
from scrapy.utils.defer import maybe_deferred_to_future


class Database:
    """Hold all items back, and lose them: the database is gone when they are to be written."""

    def process_item(self, item):
        return item

    def close_spider(self):
        raise ConnectionError("the database\nis gone")


class AsyncDatabase(Database):
    async def close_spider(self):
        await _pause()
        raise ConnectionError("the database\nis gone")


class SlowDatabase(Database):
    """Need longer to close than a pipeline that fails."""

    async def close_spider(self):
        for _ in range(10):
            await _pause()


class AtSignal(Database):
    """Close as pipelines do that were written before there was `close_spider`."""

    @classmethod
    def from_crawler(cls, crawler):
        pipeline = cls()
        crawler.signals.connect(pipeline.spider_closed, signals.spider_closed)
        return pipeline

    def spider_closed(self):
        raise ConnectionError("the database\nis gone")

    def close_spider(self):
        pass


class Mail(AtSignal):
    """An extension that fails at the end; nothing that was delivered is lost with it."""


class BrokenStorage(BlockingFeedStorage):
    """A feed that can't be stored, unless its name says so."""

    def __init__(self, uri, *, feed_options=None):  # noqa: ARG002 - the interface
        self.uri = uri

    def _store_in_thread(self, file):
        file.close()
        if not self.uri.endswith("good"):
            raise OSError("no way to get there")


class BreaksAtEnd(JsonLinesItemExporter):
    """An exporter that can't write its last line."""

    def finish_exporting(self):
        raise OSError("no room")


class EveryThird(ItemFilter):
    """Accept the first item, the fourth and so on, however often it is asked."""

    def __init__(self, feed_options):
        super().__init__(feed_options)
        self.asked = -1

    def accepts(self, _item):
        self.asked += 1
        return self.asked % 3 == 0


class Odd(Pages):
    """Items that no feed can write where the path says so."""

    def parse(self, response):
        yield {"url": response.url, **({"odd": object()} if "odd" in response.url else {})}


class Stopped(Pages):
    """Stop as Ctrl-C does when the first step is done."""

    def next_step(self):
        if len(self.steps) == 1:
            self.steps.clear()
            asyncio.get_running_loop().create_task(self.crawler.stop_async())
        super().next_step()


class ClosesItself(Pages):
    def parse(self, response):
        yield {"url": response.url}
        if not self.steps:
            raise CloseSpider("enough")


async def _pause():
    """Let others run, on whichever reactor."""
    from scrapy.utils.asyncio import is_asyncio_available

    if is_asyncio_available():
        await asyncio.sleep(0.01)
    else:
        from twisted.internet import reactor
        from twisted.internet.task import deferLater

        await maybe_deferred_to_future(deferLater(reactor, 0.01))
