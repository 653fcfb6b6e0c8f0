"""Settings of the project; the last line enables dedup."""

SPIDER_MODULES = ["notes.spiders"]
ROBOTSTXT_OBEY = True
ADDONS = {"dedup_middleware.Addon": 500}
