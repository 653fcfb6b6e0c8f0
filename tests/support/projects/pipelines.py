"""Pipelines behind or before ours: what they do to items on their way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from components import PATIENCE
from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem


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
        await self.crawler.spider.all_judged.wait(PATIENCE)
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

    def process_item(self, item):
        with Path("kept.txt").open("a", encoding="utf-8") as file:
            file.write(f"{item['url']}\n")
        return item


class DropAll:
    def process_item(self, item):
        raise DropItem(f"not wanted: {item['url']}")


class HoldsBack:
    """Writes items to a file some at a time, and the last ones when it is closed."""

    def __init__(self, path):
        self.path = Path(path)
        self.held = []

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings["HELD_FILE"])

    def open_spider(self):
        self.path.touch()

    def process_item(self, item):
        self.held.append(item["title"])
        if len(self.held) == 15:
            self.write()
        return item

    def close_spider(self):
        self.write()

    def write(self):
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{title}\n" for title in self.held)
        self.held.clear()
