SPIDER_MODULES = ["example.spiders"]
ADDONS = {"dedup_middleware.Addon": 500}
DOWNLOADER_MIDDLEWARES = {"example.web.Web": 950}
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
CONCURRENT_REQUESTS = 1
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
