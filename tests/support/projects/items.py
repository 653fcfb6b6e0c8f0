"""Items of all types, and spiders that yield them: many, few, one object again and again."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import attrs
import scrapy
from components import Pages


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


class Titles(Pages):
    """Items so small that a feed has many of them in its buffer."""

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}


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


class Api(Pages):
    """Items from JSON that name pages which are fetched too."""

    def parse(self, response):
        if "api" in response.url:
            for url in response.json():
                yield {"url": url, "rating": 5}
        else:
            yield {"url": response.url}
