"""Settings of the project: requests and known pages are on one server, for all crawlers."""

import os

SPIDER_MODULES = ["machines.spiders"]
ROBOTSTXT_OBEY = True

SERVER = os.environ.get("SERVER", "redis://localhost:6379/0")

# who fetches what: scrapy-redis
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
REDIS_URL = SERVER
SCHEDULER_PERSIST = True  # or the first that ends would clear the queue of the others

# which pages are known already: scrapy-dedup
ADDONS = {"dedup_middleware.Addon": 500}
DEDUP_SCOPE = f"{SERVER}?prefix=machines"
