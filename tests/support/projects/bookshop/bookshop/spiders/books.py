from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Books(CrawlSpider):
    name = "books"
    rules = (Rule(LinkExtractor(allow=r"/(p|c)/"), callback="parse_book", follow=True),)

    def __init__(self, site="", **options):
        super().__init__(**options)
        self.start_urls = [f"{site}/"]

    def parse_book(self, response):
        return {"url": response.url, "title": response.css("h1::text").get()}
