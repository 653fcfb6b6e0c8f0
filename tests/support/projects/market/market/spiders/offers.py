import scrapy

from market.items import Offer


class Offers(scrapy.Spider):
    name = "offers"

    def __init__(self, site="", **options):
        super().__init__(**options)
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        yield from response.follow_all(css="a")
        if response.css("p"):
            for number in range(50):
                yield Offer(response.url, number, response.css("h1::text").get())
