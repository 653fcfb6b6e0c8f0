"""Settings of the project: an HTTP cache in front, one store for all runs behind it."""

SPIDER_MODULES = ["nightly.spiders"]
ROBOTSTXT_OBEY = True
ADDONS = {"dedup_middleware.Addon": 500}
DEDUP_SCOPE = "shared"

HTTPCACHE_ENABLED = True
HTTPCACHE_POLICY = "scrapy.extensions.httpcache.RFC2616Policy"
HTTPCACHE_GZIP = True
# "no-cache" means: ask each time. Scrapy would ask for the whole page
HTTPCACHE_IGNORE_RESPONSE_CACHE_CONTROLS = ["no-cache"]
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en",
    # ask each time, however long the server says that its page is good for
    "Cache-Control": "max-age=0",
}
