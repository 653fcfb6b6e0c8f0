"""Real crawls for tests: a web on 127.0.0.1, and Scrapy in a process of its own.

Run as a script, with a file of jobs, this is that process.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy as scrapy_itself

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

PROJECTS = Path(__file__).parent / "projects"
ADDON = {"ADDONS": {"dedup_middleware.Addon": 500}}
QUIET = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,  # its server would ask for a port for each crawl
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_TIMEOUT": 20,
    "LOG_LEVEL": "INFO",
}
# without a reactor Scrapy fetches with these
_CLIENT = "httpx" if scrapy_itself.version_info < (2, 16) else "aiohttp"
RUNNERS = ["asyncio", "select", *(["none"] if find_spec(_CLIENT) else [])]
WARNINGS = (
    "error",
    # Twisted leaves its wake-up sockets to the garbage collector when the process ends
    "ignore:unclosed:ResourceWarning",
)


class Web:
    """Some pages on 127.0.0.1."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[bytes, str]] = {}
        self.slow: dict[str, float] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.asked.append(self.path)
                time.sleep(web.slow.get(self.path, 0))
                body, kind = web.pages.get(self.path, (b"", "text/html"))
                status = 200 if self.path in web.pages else 404
                self.send_response(302 if self.path in web.redirects else status)
                if self.path in web.redirects:
                    self.send_header("Location", web.redirects[self.path])
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                pass  # a crawl that was killed

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def put(self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8") -> str:
        self.pages[path] = (body.encode() if isinstance(body, str) else body, kind)
        return self.url(path)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def path(self, url: str) -> str:
        return url.partition(str(self._server.server_address[1]))[2]


@dataclass
class Job:
    """One crawl: a spider as `module:Class`, its arguments, the settings of the project."""

    spider: str
    arguments: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    addon: bool = True


@dataclass
class Result:
    """What came of a crawl."""

    stats: dict[str, Any]
    items: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    judged: list[dict[str, Any]]
    superseded: list[tuple[str, str]]
    """URLs, each with that of the page which took its place."""
    log: list[tuple[str, str]]
    seen: list[Any]
    """What the spider noted in `self.seen`."""
    settings: dict[str, Any]
    failure: str | None
    folder: Path

    @property
    def dedup(self) -> dict[str, Any]:
        """The stats of the package, without their prefix."""
        return {
            key.removeprefix("dedup/"): value
            for key, value in self.stats.items()
            if key.startswith("dedup/")
        }

    @property
    def paths(self) -> list[str]:
        """Where the items came from that went through, in order."""
        return [re.sub(r"^https?://[^/]+", "", item["url"]) for item in self.items]

    @property
    def troubles(self) -> list[str]:
        return [text for level, text in self.log if level in {"ERROR", "CRITICAL"}]

    @property
    def journal(self) -> list[dict[str, Any]]:
        path = self.folder / self.stats["dedup/journal"]
        return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def python(*arguments: str) -> list[str]:
    """Begin a command in which warnings are errors."""
    return [sys.executable, *(f"-W{rule}" for rule in WARNINGS), *arguments]


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SCRAPY_")}
    path = os.pathsep.join(map(str, (PROJECTS, PROJECTS.parents[2])))
    return {**kept, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


def start(
    folder: Path, *jobs: Job, together: bool = False, runner: str = "asyncio"
) -> subprocess.Popen[bytes]:
    """Start a process that does the jobs, one after another or all together."""
    (folder / "jobs.json").write_text(
        json.dumps({"together": together, "runner": runner, "jobs": [vars(job) for job in jobs]})
    )
    return subprocess.Popen(
        python(__file__, "jobs.json"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def crawl(
    folder: Path, *jobs: Job, together: bool = False, runner: str = "asyncio", timeout: float = 240
) -> list[Result]:
    """Do the jobs and tell what came of them."""
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    with start(folder, *jobs, together=together, runner=runner) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    text = output.decode("utf-8", "replace")
    assert process.returncode == 0, text
    assert results.exists(), text
    found = [Result(**one, folder=folder) for one in json.loads(results.read_text())]
    for result in found:
        result.log = [(level, line) for level, line in result.log]
    return found


def crawl_all(folder: Path, jobs: dict[str, Job], timeout: float = 240) -> dict[str, Result]:
    """Do the jobs in one process, one after another; most of the time goes into its start."""
    return dict(zip(jobs, crawl(folder, *jobs.values(), timeout=timeout), strict=True))


def crawl_one(
    folder: Path, spider: str, *, settings: dict[str, Any] | None = None, **arguments: Any
) -> Result:
    (result,) = crawl(folder, Job(spider, arguments, settings or {}))
    return result


@dataclass
class Command:
    """What came of `scrapy …` in a project folder."""

    code: int
    log: str

    def stat(self, name: str) -> int:
        found = re.search(rf"'{re.escape(name)}': (\d+)", self.log)
        return int(found[1]) if found else 0


def scrapy(folder: Path, *arguments: str, timeout: float = 240) -> Command:
    done = subprocess.run(
        python("-m", "scrapy", *arguments),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
    )
    return Command(done.returncode, done.stdout.decode("utf-8", "replace"))


# What follows runs in the process of the crawls


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
        done.addErrback(lambda failure: failure.printTraceback())

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
    Path("results.json").write_text(json.dumps(results, default=str))


if __name__ == "__main__":
    sys.path.pop(0)  # the tests are no part of what a spider can import
    main()
