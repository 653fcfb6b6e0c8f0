"""The process of the crawls that tests make: a script, which does the jobs of a file."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDON = {"ADDONS": {"dedup_middleware.Addon": 500}}
QUIET = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,  # its server would ask for a port for each crawl
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_TIMEOUT": 1200,
    "LOG_LEVEL": "INFO",
}


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[tuple[str, str]] = []
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((record.levelname, self.format(record)))


class _Watch:
    """Note what a crawler does, by its signals alone."""

    def __init__(self, job: dict[str, Any]) -> None:
        from scrapy import signals
        from scrapy.crawler import Crawler
        from scrapy.settings import Settings
        from scrapy.utils.misc import load_object

        from dedup_middleware.plugin.signals import page_judged, page_superseded

        self.arguments = job["arguments"]
        self.tells = job["tells"]
        self.items: list[Any] = []
        self.dropped: list[Any] = []
        self.judged: list[Any] = []
        self.superseded: list[tuple[str, str]] = []
        self.seen: list[Any] = []
        self.failure: str | None = None
        settings = Settings(QUIET, "project")
        settings.setdict({**(ADDON if job["addon"] else {}), **job["settings"]}, "project")
        spider = load_object(job["spider"].replace(":", "."))
        self.crawler = Crawler(spider, settings)
        connect = self.crawler.signals.connect
        connect(self.item_scraped, signals.item_scraped)
        connect(self.item_dropped, signals.item_dropped)
        connect(self.page_judged, page_judged)
        connect(self.page_superseded, page_superseded)
        connect(self.spider_closed, signals.spider_closed)

    def item_scraped(self, item: Any) -> None:
        from itemadapter import ItemAdapter

        self.items.append({**ItemAdapter(item), "type": type(item).__name__})

    def item_dropped(self, item: Any, exception: Exception) -> None:
        from itemadapter import ItemAdapter

        url = ItemAdapter(item).get("url")
        self.dropped.append(
            {"url": url, "class": type(exception).__name__, "message": str(exception)}
        )

    def page_judged(self, verdict: Any, url: str, response: Any, spider: Any) -> None:
        self.judged.append(
            {
                "url": url,
                "kind": str(verdict.kind),
                "original": verdict.original,
                "response": getattr(response, "url", None),
                "spider": spider.name,
            }
        )
        if self.tells:
            from urllib.parse import urlsplit
            from urllib.request import urlopen

            with urlopen(self.tells + urlsplit(url).path) as answer:
                answer.read()

    def page_superseded(self, url: str, by: str) -> None:
        self.superseded.append((url, by))

    def spider_closed(self, spider: Any) -> None:
        self.seen = getattr(spider, "seen", [])

    def result(self, lines: list[tuple[str, str]]) -> dict[str, Any]:
        settings = self.crawler.settings
        names = ("DUPEFILTER_CLASS", "REQUEST_FINGERPRINTER_CLASS", "STATS_CLASS", "LOG_FORMATTER")
        return {
            "stats": {} if self.failure else self.crawler.stats.get_stats(),
            "items": self.items,
            "dropped": self.dropped,
            "judged": self.judged,
            "superseded": self.superseded,
            "seen": self.seen,
            "failure": self.failure,
            "log": lines,
            "settings": {name: settings[name] for name in names},
        }


@contextmanager
def _logging() -> Iterator[_Lines]:
    lines = _Lines()
    root = logging.getLogger()
    root.addHandler(lines)
    root.setLevel(logging.INFO)
    yield lines
    root.removeHandler(lines)


async def _do(jobs: list[dict[str, Any]], *, together: bool) -> list[dict[str, Any]]:
    async def one(watch: _Watch) -> None:
        try:
            await watch.crawler.crawl_async(**watch.arguments)
        except Exception as error:  # noqa: BLE001 - told to the test
            watch.failure = f"{type(error).__name__}: {error}"

    if together:
        watches = [_Watch(job) for job in jobs]
        with _logging() as lines:
            await asyncio.gather(*map(one, watches))
        return [watch.result(lines.lines) for watch in watches]
    results = []
    for job in jobs:
        watch = _Watch(job)
        with _logging() as lines:
            await one(watch)
        results.append(watch.result(lines.lines))
    return results


def _with_asyncio_reactor(jobs: list[dict[str, Any]], *, together: bool) -> list[dict[str, Any]]:
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred

    results: list[dict[str, Any]] = []

    async def all_of_them() -> None:
        try:
            results.extend(await _do(jobs, together=together))
        finally:
            reactor.callLater(0, reactor.stop)

    def begin() -> None:
        done = Deferred.fromFuture(asyncio.ensure_future(all_of_them()))
        done.addErrback(lambda failure: failure.printTraceback(sys.stderr))

    reactor.callWhenRunning(begin)
    reactor.run()
    return results


def _with_select_reactor(jobs: list[dict[str, Any]], **_: Any) -> list[dict[str, Any]]:
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.reactor import install_reactor

    name = "twisted.internet.selectreactor.SelectReactor"
    install_reactor(name)
    process = CrawlerProcess({"TWISTED_REACTOR": name, "LOG_ENABLED": False})
    watches = [
        _Watch({**job, "settings": {**job["settings"], "TWISTED_REACTOR": name}}) for job in jobs
    ]
    with _logging() as lines:
        for watch in watches:
            done = process.crawl(watch.crawler, **watch.arguments)
            done.addErrback(lambda failure, watch=watch: setattr(watch, "failure", str(failure)))
        process.start()
    return [watch.result(lines.lines) for watch in watches]


def _without_reactor(jobs: list[dict[str, Any]], *, together: bool) -> list[dict[str, Any]]:
    off = {"TWISTED_REACTOR_ENABLED": False}
    jobs = [{**job, "settings": {**job["settings"], **off}} for job in jobs]
    return asyncio.run(_do(jobs, together=together))


def main() -> None:
    runners = {
        "asyncio": _with_asyncio_reactor,
        "select": _with_select_reactor,
        "none": _without_reactor,
    }
    work = json.loads(Path(sys.argv[1]).read_text())
    results = runners[work["runner"]](work["jobs"], together=work["together"])
    if len(results) < len(work["jobs"]):
        sys.exit(1)  # why is printed already
    Path("results.json").write_text(json.dumps(results, default=str))


if __name__ == "__main__":
    sys.path.pop(0)  # the tests are no part of what a spider can import
    main()
