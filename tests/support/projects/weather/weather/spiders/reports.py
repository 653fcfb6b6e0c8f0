import asyncio

import scrapy

from weather.items import Report


class Reports(scrapy.Spider):
    name = "reports"

    def __init__(self, site="", **options):
        super().__init__(**options)
        self.site = site

    async def start(self):
        yield scrapy.Request(f"{self.site}/")

    async def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_report)

    async def parse_report(self, response):
        stations = await self.stations()
        found = [Report(url=response.url, stations=stations)]
        return [*found, *[response.follow(link, self.parse_report) for link in links(response)]]

    async def stations(self):
        request = scrapy.Request(f"{self.site}/stations.json", dont_filter=True)
        response = await self.crawler.engine.download_async(request)
        await asyncio.sleep(0.01)
        return response.json()


def links(response):
    return response.css("a::attr(href)").getall()
