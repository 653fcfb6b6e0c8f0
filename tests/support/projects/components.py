"""Spiders, items and pipelines as people write them, for the tests of the components."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import attrs
import scrapy
from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.trackref import live_refs

from dedup_middleware import main_text
from dedup_middleware.plugin.crawl import Crawl
from dedup_middleware.plugin.signals import page_judged
from dedup_middleware.read import reader


class Pages(scrapy.Spider):
    """Fetch pages in steps: those of one together, the next when all is quiet."""

    name = "pages"

    def __init__(self, steps: list[list[str]] = (), metas: dict[str, Any] | None = None, **options):
        super().__init__(**options)
        self.steps = [list(step) for step in steps]
        self.metas = metas or {}
        self.seen: list[Any] = []
        self.requested = self.judged = 0
        self.all_judged = asyncio.Event()

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
        self.all_judged.clear()
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


class Titles(Pages):
    """Items so small that a feed has many of them in its buffer."""

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}


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


@dataclass
class DataItem:
    url: str
    dedup: dict[str, Any] | None = None


@attrs.define
class AttrsItem:
    url: str
    dedup: dict[str, Any] | None = None


class FieldItem(scrapy.Item):
    url = scrapy.Field()
    dedup = scrapy.Field()


class BareItem(scrapy.Item):
    url = scrapy.Field()


class Typed(Pages):
    """One item of each type on each page."""

    def parse(self, response):
        for kind in (DataItem, AttrsItem, FieldItem, BareItem, dict):
            yield kind(url=response.url)


class Many(Pages):
    """Fifty items on each page, none with the page in it."""

    def parse(self, response):
        for number in range(50):
            yield {"url": response.url, "number": number}


class ManyFull(Pages):
    """Some items on each page, each with the page in it, under other field names."""

    count = 50

    def parse(self, response):
        for number in range(self.count):
            yield {
                "url": response.url,
                "address": response.url,
                "source": response.text,
                "number": number,
            }


class Mixed(Pages):
    """Items of one page that a later pipeline treats differently."""

    def parse(self, response):
        for fate in ("drop", "raise", "keep"):
            yield {"url": response.url, "html": response.text, "fate": fate}


class Halves(Pages):
    """Two items on each page; some wait between them, or have the second held in a pipeline.

    Which do so their path says; a file lets them go on.
    """

    async def parse(self, response):
        yield {"url": f"{response.url}/1"}
        if "halted" in response.url and not self.may_go_on():
            await asyncio.Event().wait()
        yield {"url": f"{response.url}/2{'/gate' * ('held' in response.url)}"}

    def may_go_on(self):
        return Path("open").exists()


class Texts(scrapy.Spider):
    """Items that never were pages."""

    name = "texts"

    def __init__(self, texts: list[tuple[str, str]] = (), items: list[Any] = (), **options):
        super().__init__(**options)
        self.texts = texts
        self.items = items

    async def start(self):
        yield scrapy.Request("data:application/json,{}")

    def parse(self, _response):
        for url, text in self.texts:
            yield {"url": url, "text": text}
        yield from self.items


class Silent(Pages):
    """Pages whose path says so yield nothing."""

    def parse(self, response):
        if "silent" not in response.url:
            yield {"url": response.url}


class SlowlySilent(Pages):
    """Pages whose path says so yield nothing, when all pages of the step are judged."""

    async def parse(self, response):
        if "silent" in response.url:
            await self.all_judged.wait()
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


class Fate:
    """A later pipeline: drops or breaks the items of pages whose path says so."""

    def process_item(self, item):
        fields = ItemAdapter(item)
        fate = f"{fields.get('fate')} {fields.get('url')}"
        if "drop" in fate:
            raise DropItem("not wanted")
        if "raise" in fate:
            raise RuntimeError("broken pipeline")
        return item


class SlowFate(Fate):
    """Does so when all pages of the step are judged, so that copies know items on their way."""

    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def process_item(self, item):
        await self.crawler.spider.all_judged.wait()
        return super().process_item(item)


class Overtaken:
    """Keeps the first item until another has come through."""

    def __init__(self):
        self.items = 0
        self.has_come = asyncio.Event()

    async def process_item(self, item):
        self.items += 1
        if self.items == 1:
            await self.has_come.wait()
        self.has_come.set()
        return item


class Gate:
    """Keeps items whose path says so for ever, unless there is a file that opens the gate."""

    def __init__(self):
        self.is_open = Path("open").exists()

    async def process_item(self, item):
        if "gate" in item["url"] and not self.is_open:
            await asyncio.Event().wait()
        return item


class Replace:
    """Gives on another object than it got."""

    def process_item(self, item):
        return {**item, "replaced": True}


class NoUrl:
    """Gives on another object, without the URL."""

    def process_item(self, item):
        return {"url": "", "was": item["url"]}


class Keep:
    """Write each item to a file at once."""

    def __init__(self):
        self.file = Path("kept.txt").open("a", encoding="utf-8")  # noqa: SIM115 - for the whole crawl

    def process_item(self, item):
        self.file.write(f"{item['url']}\n")
        self.file.flush()
        return item

    def close_spider(self):
        self.file.close()


class Nothing(Pages):
    """Pages whose path says so yield None, which Scrapy ignores."""

    def parse(self, response):
        yield None if "silent" in response.url else {"url": response.url}


class Twice(Pages):
    """One object that is filled and yielded again."""

    def parse(self, response):
        item = {"url": response.url, "html": response.text}
        for number in range(3):
            item["number"] = number
            yield item


class NoErrback(Pages):
    failed = None


class Errback(Pages):
    def failed(self, failure):
        yield {"url": failure.request.url, "failed": True}


@dataclass(frozen=True)
class FrozenItem:
    url: str
    dedup: dict[str, Any] | None = None


class Frozen(Pages):
    def parse(self, response):
        yield FrozenItem(response.url)


class Weighed(dict):
    """An item that can be watched."""

    alive: ClassVar[set[int]] = set()

    def __init__(self, **fields):
        super().__init__(**fields)
        self.alive.add(id(self))

    def __del__(self):
        self.alive.discard(id(self))


class Watched(Pages):
    """Count the items that are still there when all has been done."""

    def parse(self, response):
        for number in range(10):
            yield Weighed(url=response.url, number=number)

    def closed(self, _reason):
        gc.collect()
        self.seen.append(len(Weighed.alive))


class Api(Pages):
    """Items from JSON that name pages which are fetched too."""

    def parse(self, response):
        if "api" in response.url:
            for url in response.json():
                yield {"url": url, "rating": 5}
        else:
            yield {"url": response.url}


class DropAll:
    def process_item(self, item):
        raise DropItem(f"not wanted: {item['url']}")
