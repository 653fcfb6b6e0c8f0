"""Real crawls for tests: a web on 127.0.0.1, and Scrapy in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import scrapy as scrapy_itself

from . import forking
from .patience import PATIENCE, wait_until

_JUDGED = "/-judged"
PROJECTS = Path(__file__).parent / "projects"
_PROCESS = Path(__file__).with_name("crawl_process.py")
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
        self.after: dict[str, str] = {}
        """Paths whose page is sent once a crawl has judged that of another, each time anew."""
        self.locked: set[str] = set()
        """Paths whose pages are not sent before they are taken out of here."""
        self._judged: Counter[str] = Counter()
        self.redirects: dict[str, str] = {}
        self.statuses: dict[str, int] = {}
        """Of paths that do not answer 200."""
        self.asked: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                told = web.note_judged(self.path)
                if not told:
                    web.asked.append(self.path)
                    web.wait_for(self.path)
                body, kind = web.pages.get(self.path, (b"", "text/html"))
                found = 200 if told or self.path in web.pages else 404
                status = web.statuses.get(self.path, found)
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

    def note_judged(self, path: str) -> bool:
        """Return True if a request is no more than word of a page that was judged."""
        if path.startswith(_JUDGED):
            self._judged[path.removeprefix(_JUDGED)] += 1
        return path.startswith(_JUDGED)

    def wait_for(self, path: str) -> None:
        """Return when the page of a path may be sent."""
        if path in self.after:
            times = self.asked.count(path)
            wait_until(lambda: self._judged[self.after[path]] >= times)
        wait_until(lambda: path not in self.locked)

    @property
    def judged_url(self) -> str:
        """Where crawls tell of the paths of pages that they have judged; see `Job.tells`."""
        return self.url(_JUDGED)

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
    tells: str = ""
    """Where it tells of each page that it has judged: `Web.judged_url`."""


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
    return forking.Popen(
        python(str(_PROCESS), "jobs.json"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def crawl(
    folder: Path, *jobs: Job, together: bool = False, runner: str = "asyncio"
) -> list[Result]:
    """Do the jobs and tell what came of them."""
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    with start(folder, *jobs, together=together, runner=runner) as process:
        try:
            output, _ = process.communicate(timeout=PATIENCE)
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


def crawl_all(folder: Path, jobs: dict[str, Job]) -> dict[str, Result]:
    """Do the jobs in one process, one after another; most of the time goes into its start."""
    return dict(zip(jobs, crawl(folder, *jobs.values()), strict=True))


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


def scrapy(folder: Path, *arguments: str) -> Command:
    done = forking.run(
        python("-m", "scrapy", *arguments),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return Command(done.returncode, done.stdout.decode("utf-8", "replace"))
