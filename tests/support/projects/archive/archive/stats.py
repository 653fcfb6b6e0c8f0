from scrapy.statscollectors import MemoryStatsCollector


class OwnStats(MemoryStatsCollector):
    def inc_value(self, key, *args, **kwargs):
        super().inc_value(key, *args, **kwargs)
        super().inc_value("own/calls")
