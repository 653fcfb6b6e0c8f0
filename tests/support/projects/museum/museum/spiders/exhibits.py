from scrapy.spiders import SitemapSpider


class Exhibits(SitemapSpider):
    name = "exhibits"
    sitemap_rules = ((r"/(p|c)/", "parse_exhibit"),)

    def __init__(self, site="", **options):
        super().__init__(**options)
        self.sitemap_urls = [f"{site}/sitemap.xml"]

    def parse_exhibit(self, response):
        yield {"url": response.url, "html": response.text}
