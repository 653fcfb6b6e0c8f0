import scrapy


class Report(scrapy.Item):
    url = scrapy.Field()
    stations = scrapy.Field()
