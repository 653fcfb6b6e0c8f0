from scrapy.logformatter import LogFormatter


class OwnLogFormatter(LogFormatter):
    def dropped(self, item, exception, response, spider):
        entry = super().dropped(item, exception, response, spider)
        return {**entry, "msg": "OWN DROP: %(exception)s"}
