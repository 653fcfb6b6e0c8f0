"""Spiders for the tests of requests that are never sent."""

from __future__ import annotations

import threading
from functools import partial

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider

from dedup_middleware.plugin import skipped_requests
from dedup_middleware.plugin.crawl import Crawl


class Links(scrapy.Spider):
    """Follow all links, and yield an item for each page."""

    name = "links"

    def __init__(self, urls: list[str] = (), **options):
        super().__init__(**options)
        self.urls = urls
        self.seen: list[str] = []

    async def start(self):
        for url in self.urls:
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response):
        if "broken" in response.url:
            raise ValueError("broken callback")
        if "bare" not in response.url:
            yield {"url": response.url}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, errback=self.failed)

    def failed(self, failure):
        self.seen.append(type(failure.value).__name__)


class Steps(Links):
    """Fetch the start pages, then those of each step when all is quiet.

    A URL may come with arguments of its request.
    """

    name = "steps"

    def __init__(self, steps: list[list] = (), **options):
        super().__init__(**options)
        self.steps = [list(step) for step in steps]

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.next_step, signals.spider_idle)
        return spider

    def next_step(self):
        if self.steps:
            for one in reversed(self.steps.pop(0)):  # the last is sent first
                url, options = (one, {}) if isinstance(one, str) else one
                self.crawler.engine.crawl(scrapy.Request(url, errback=self.failed, **options))
            raise DontCloseSpider


class Touching(Steps):
    """Note the threads that read and write the store."""

    async def start(self):
        engine = Crawl.of(self.crawler).dedup.store.engine
        for name in ("snapshot", "apply"):
            setattr(engine, name, partial(self.note, getattr(engine, name)))
        async for request in super().start():
            yield request

    def note(self, function, *arguments, **options):
        name = threading.current_thread().name
        if name not in self.seen:
            self.seen.append(name)
        return function(*arguments, **options)


class Narrow(Steps):
    """There is next to no room for what was skipped."""

    async def start(self):
        skipped_requests.MOST_BYTES = 500
        async for request in super().start():
            yield request


class Unkept(Steps):
    """Use callbacks that can't be kept, because they are no methods."""

    def next_step(self):
        if self.steps:
            for url in self.steps.pop(0):
                callback = partial(self.parse)
                self.crawler.engine.crawl(scrapy.Request(url, callback=callback))
            raise DontCloseSpider
