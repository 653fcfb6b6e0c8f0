"""Settings of the Scrapy project that comes with the library."""

BOT_NAME = "scrapy-dedup"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"

ADDONS = {"dedup_middleware.Addon": 500}
DEDUP_TAG_FIELD = "verdict"
DEDUP_ACTIONS = {
    "unique": "tag",
    "contains": "tag",
    "updated": "tag",
}  # so that all items carry their verdict

EXTENSIONS = {"crawler.progress.Progress": 800, "crawler.summary.Summary": 900}
# Used if neither FEEDS nor -o is given; set as FEEDS, it would stay beside what -o adds.
DEFAULT_FEEDS = {
    "output/%(name)s-%(time)s.jsonl": {"format": "jsonlines", "encoding": "utf-8"},
}
LOG_LEVEL = "WARNING"  # the summary shows the rest; `-L INFO` shows more

# Polite defaults: a crawl without settings of its own must not be a burden to a site.
USER_AGENT = "scrapy-dedup (a Scrapy project that recognises known pages)"
ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
DOWNLOAD_DELAY = 0.25
CONCURRENT_REQUESTS_PER_DOMAIN = 4
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 << 20
DOWNLOAD_WARNSIZE = 0
CLOSESPIDER_PAGECOUNT = 500
DEPTH_LIMIT = 5
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
