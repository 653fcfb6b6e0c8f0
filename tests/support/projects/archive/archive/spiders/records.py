import scrapy


class Records(scrapy.Spider):
    name = "records"

    def __init__(self, site="", **options):
        super().__init__(**options)
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        if response.css("p"):
            yield {"url": response.url, "title": response.css("h1::text").get()}
        yield from response.follow_all(css="a")
