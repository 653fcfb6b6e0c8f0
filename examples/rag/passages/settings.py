"""Settings of the project; the last line enables dedup."""

SPIDER_MODULES = ["passages.spiders"]
ROBOTSTXT_OBEY = True
ADDONS = {"dedup_middleware.Addon": 500}
