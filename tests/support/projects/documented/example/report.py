"""Crawls one after the other, each a spider and settings; prints items, stats and log as JSON."""

import io
import json
import logging
import sys

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import CrawlerRunner
from scrapy.utils.project import get_project_settings
from scrapy.utils.reactor import install_reactor
from twisted.internet.defer import inlineCallbacks


@inlineCallbacks
def all_jobs(_reactor):
    for job in sys.argv[1:]:
        spider, *options = job.split()
        settings = get_project_settings()
        for option in options:
            settings.set(*option.split("=", 1), priority="cmdline")
        log, items = io.StringIO(), []
        handler = logging.StreamHandler(log)
        handler.setFormatter(logging.Formatter("[%(name)s] %(levelname)s: %(message)s"))
        logging.root.addHandler(handler)
        logging.root.setLevel(logging.DEBUG)
        crawler = CrawlerRunner(settings).create_crawler(spider)

        def keep(item, items=items):
            items.append(ItemAdapter(item).asdict())

        crawler.signals.connect(keep, signal=signals.item_scraped)
        yield crawler.crawl()
        logging.root.removeHandler(handler)
        result = [items, crawler.stats.get_stats(), log.getvalue()]
        sys.stdout.write(json.dumps(result, default=str) + "\n")


if __name__ == "__main__":
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import task

    task.react(all_jobs)
