"""Spiders as people write them, for the tests of the components: how pages are fetched."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from typing import Any

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.trackref import live_refs

from dedup_middleware import main_text
from dedup_middleware.plugin.crawl import Crawl
from dedup_middleware.plugin.queue import Event
from dedup_middleware.plugin.signals import page_judged
from dedup_middleware.read import reader

PATIENCE = 60.0  # seconds, for what must happen


class Pages(scrapy.Spider):
    """Fetch pages in steps: those of one together, the next when all is quiet."""

    name = "pages"

    def __init__(self, steps: list[list[str]] = (), metas: dict[str, Any] | None = None, **options):
        super().__init__(**options)
        self.steps = [list(step) for step in steps]
        self.metas = metas or {}
        self.seen: list[Any] = []
        self.requested = self.judged = 0
        self.all_judged = Event()

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.next_step, signals.spider_idle)
        crawler.signals.connect(spider.count_judged, page_judged)
        return spider

    def count_judged(self):
        self.judged += 1
        if self.judged >= self.requested:
            self.all_judged.set()

    def next_step(self):
        if self.steps:
            for request in self.requests():
                self.crawler.engine.crawl(request)
            raise DontCloseSpider

    def requests(self):
        step = self.steps.pop(0)
        self.requested += len(step)
        self.all_judged = Event()
        for url in step:
            meta = {"dedup": self.metas[url]} if url in self.metas else {}
            yield scrapy.Request(url, dont_filter=True, meta=meta, errback=self.failed)

    async def start(self):
        for request in self.requests() if self.steps else ():
            yield request

    def parse(self, response):
        self.seen.append(response.meta.get("dedup"))
        yield {"url": response.url}

    def failed(self, failure):
        self.seen.append(str(failure.value))


class Where(Pages):
    """Note the URL of each page that is judged, and the thread that judges it."""

    async def start(self):
        dedup = Crawl.of(self.crawler).dedup
        judge = dedup.judge_all

        def noted(cases):
            thread = threading.current_thread().name
            self.seen += ((case.page.url, thread) for case in cases)
            return judge(cases)

        dedup.judge_all = noted
        async for request in super().start():
            yield request

    def parse(self, response):
        yield {"url": response.url}


class OwnText(Pages):
    """Take the main text of each page, and note how often pages are read."""

    async def start(self):
        self.readings = 0
        once = reader.reading

        def counted(*arguments, **options):
            self.readings += 1
            return once(*arguments, **options)

        reader.reading = counted
        try:
            async for request in super().start():
                yield request
        finally:
            self.read = once

    def item(self, response):
        text = main_text(response)
        return {"url": response.url, "text": text, "markdown": text.markdown()}

    def parse(self, response):
        item = self.item(response)
        item["same"] = response.meta["dedup"].main_text is item["text"]
        yield item

    def closed(self, reason):  # noqa: ARG002 - Scrapy's
        self.seen.append(self.readings)
        reader.reading = self.read


class KeptTags(OwnText):
    """Keep the tag of each page, and note how many responses there are."""

    def parse(self, response):
        yield self.item(response)
        self.tags = [*getattr(self, "tags", ()), response.meta["dedup"]]
        gc.collect()
        self.seen.append(len(live_refs[type(response)]))


class OwnTextList(OwnText):
    """The same, before the page is judged."""

    def parse(self, response):
        return [self.item(response)]


class Logged(Pages):
    """Go on with the last step when something was logged, in the second line of a logger or later.

    If nothing is to be waited for, there is time enough for lines that must not come.
    """

    INTERVAL, INTERVALS = 0.1, 5

    def __init__(self, logger="", until="", **options):
        super().__init__(**options)
        self.until = until
        self.lines: list[str] = []
        self.intervals = 0
        self.call = create_looping_call(self.go_on)
        self.log = logging.getLogger(logger)
        self.handler = logging.Handler()
        self.handler.emit = lambda record: self.lines.append(record.getMessage())
        self.log.addHandler(self.handler)

    def next_step(self):
        if len(self.steps) == 1:
            if not self.call.running:
                self.call.start(self.INTERVAL)
            raise DontCloseSpider
        super().next_step()

    def go_on(self):
        self.intervals += 1
        is_over = any(self.until in line for line in self.lines[1:])
        if is_over if self.until else self.intervals > self.INTERVALS:
            self.call.stop()
            for request in self.requests():
                self.crawler.engine.crawl(request)

    def closed(self, _reason):
        self.log.removeHandler(self.handler)


class Full(Pages):
    """Items with the page in them."""

    def parse(self, response):
        yield {"url": response.url, "html": response.text}


class AsyncGenerator(Pages):
    async def parse(self, response):
        await asyncio.sleep(0)
        self.seen.append(response.meta.get("dedup"))
        yield {"url": response.url}


class List(Pages):
    def parse(self, response):
        self.seen.append(response.meta.get("dedup"))
        return [{"url": response.url}]


class AsyncList(Pages):
    async def parse(self, response):
        await asyncio.sleep(0)
        return [{"url": response.url}]


class Single(Pages):
    def parse(self, response):
        return {"url": response.url}


class Silent(Pages):
    """Pages whose path says so yield nothing."""

    def parse(self, response):
        if "silent" not in response.url:
            yield {"url": response.url}


class SlowlySilent(Pages):
    """Pages whose path says so yield nothing, when all pages of the step are judged."""

    async def parse(self, response):
        if "silent" in response.url:
            await self.all_judged.wait(PATIENCE)
        else:
            yield {"url": response.url}


class Follow(Pages):
    """Follow all links."""

    def parse(self, response):
        yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)


class FollowFirst(Follow):
    def parse(self, response):
        return list(super().parse(response))


class AnyType(Pages):
    def parse(self, response):
        yield {"url": response.url, "type_of_response": type(response).__name__}


class NoErrback(Pages):
    failed = None


class Errback(Pages):
    def failed(self, failure):
        yield {"url": failure.request.url, "failed": True}
