from typing import ClassVar

import scrapy
from scrapy.spiders import CrawlSpider, Rule


class Returning(scrapy.Spider):
    name = "returning"
    start_urls = ("https://example.org/",)
    custom_settings: ClassVar = {"DEDUP_FOLLOW_REDUNDANT": False}

    def parse(self, response):
        if not hasattr(response, "css"):
            return None
        self.crawler.stats.inc_value("early", int("dedup" not in response.meta))
        return [{"url": response.url}, *response.follow_all(css="a")]


class AsyncReturning(Returning):
    name = "async_returning"

    async def parse(self, response):
        return super().parse(response)


class Ruled(CrawlSpider):
    name = "ruled"
    start_urls = ("https://example.org/",)
    rules = (Rule(callback="page", follow=True),)

    def page(self, response):
        return [{"url": response.url, "kind": response.meta.get("dedup", {}).get("kind")}]
