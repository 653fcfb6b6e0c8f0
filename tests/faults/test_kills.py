"""Crawls that are killed at any moment: every page is in the output of one of them.

A feed has its last items in a buffer when its crawl is killed. What a killed crawl had there must
pass again in the next one, whatever the feed, and wherever the store is.
"""

from __future__ import annotations

import random
import secrets
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware.store import open_reader
from tests.support.changing import TEXTS, Site, titles
from tests.support.crawling import Job, Web, crawl, start
from tests.support.decisions import assert_journals_agree
from tests.support.faults import SEED, number_of_faults, report
from tests.support.patience import PATIENCE, wait_until
from tests.support.servers import shared_server

ROUND = 4  # kills, at most, before a crawl is left alone
SECONDS = 1.5  # until a crawl that has begun is killed, at most; less where it was done by then
GZIP = {"postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}


@dataclass(frozen=True)
class Way:
    """How crawls run: what their feed is, when pages count, where the store is."""

    commit: str
    format: str = "jsonlines"
    place: str = "shared"
    """`shared`, a folder; `job`, that of JOBDIR; `server`."""
    crawls: int = 1
    """So many at once, of which one at least is killed."""
    is_one_run: bool = False
    is_compressed: bool = False
    is_held_back: bool = False
    """Whether a pipeline writes the output, some items at a time, in place of a feed."""


WAYS = {
    "finish": Way("finish"),
    "page": Way("page"),
    "finish, JSON": Way("finish", "json"),
    "page, CSV": Way("page", "csv"),
    "page, XML": Way("page", "xml"),
    "page, pickle": Way("page", "pickle"),
    "page, marshal": Way("page", "marshal"),
    "finish, gzip": Way("finish", is_compressed=True),
    "finish, held back": Way("finish", is_held_back=True),
    "job": Way("page", place="job"),
    "finish, server": Way("finish", place="server"),
    "page, server": Way("page", place="server"),
    "finish, two crawls": Way("finish", crawls=2),
    "page, two crawls": Way("page", crawls=2),
    "one run of two crawls": Way("finish", crawls=2, is_one_run=True),
    "page, two crawls, server": Way("page", place="server", crawls=2),
}
# among all other tests these two are enough; a long run takes all
USUAL = ("finish", "page")
CHOSEN = WAYS if number_of_faults(0) else USUAL
KILLS = number_of_faults(3)


@pytest.fixture
def web():
    with Web() as web:
        yield web


class Crawls:
    """Crawls of one way, one after the other, over one store."""

    def __init__(self, way: Way, folder: Path) -> None:
        self.way = way
        self.folder = folder
        self.store: str | Path = folder / "store"
        if way.place == "server":
            self.store = f"{shared_server().url}?prefix=k{secrets.token_hex(4)}"
        self.delivered: set[str] = set()
        self._count = 0
        self._longest = SECONDS

    def jobs(self, site: Site) -> list[tuple[Path, Job, Path]]:
        """Return the crawls that run at once, each with its folder and its feed."""
        self._count += 1
        found = []
        for number in range(self.way.crawls):
            folder = self.folder / f"{number}"
            folder.mkdir(exist_ok=True)
            feed = folder / f"{self._count}.feed"
            options = {"format": self.way.format, **(GZIP if self.way.is_compressed else {})}
            settings: dict[str, Any] = {
                "DEDUP_SCOPE": str(self.store),
                "DEDUP_COMMIT": self.way.commit,
                "FEEDS": {str(feed): options},
            }
            if self.way.is_held_back:
                settings |= {"FEEDS": {}, "HELD_FILE": str(feed)}
                settings["ITEM_PIPELINES"] = {"pipelines.HoldsBack": 900}
            if self.way.is_one_run:
                settings["DEDUP_RUN"] = f"run-{self._count}"
            if self.way.place == "job":
                settings["JOBDIR"] = str(self.folder / "job")
            found.append((folder, Job("items:Titles", {"steps": site.steps()}, settings), feed))
        return found

    def kill(self, site: Site, rng: random.Random) -> int:
        """Kill crawls a moment after they began; return how many were not done before."""
        jobs = self.jobs(site)
        count = rng.randint(1, len(jobs))
        killed = 0
        with ExitStack() as stack:
            processes = [stack.enter_context(start(folder, job)) for folder, job, _ in jobs]
            for (_, _, feed), process in zip(jobs, processes, strict=True):
                wait_until(lambda feed=feed, one=process: feed.exists() or one.poll() is not None)
            time.sleep(self._longest * rng.random())
            for process in processes[:count]:
                process.send_signal(signal.SIGKILL)
            for process in processes:
                output, _ = process.communicate(timeout=PATIENCE)
                assert process.returncode in (0, -signal.SIGKILL), output.decode()
                killed += process.returncode != 0
        self.collect(jobs)
        self._longest *= 1.1 if killed else 0.7
        return killed

    def finish(self, site: Site) -> None:
        """Leave a crawl alone."""
        jobs = self.jobs(site)[:1]
        (result,) = crawl(jobs[0][0], jobs[0][1])
        assert result.troubles == []
        self.collect(jobs)

    def collect(self, jobs: list[tuple[Path, Job, Path]]) -> None:
        for _, _, feed in jobs:
            self.delivered |= titles(feed)

    def check_store(self) -> None:
        with open_reader(self.store) as reader:
            assert not reader.verify(lambda _: None).found
        if isinstance(self.store, Path):
            assert_journals_agree(self.store)


@pytest.mark.parametrize("name", CHOSEN)
def test_no_page_is_in_neither_output(web, tmp_path, name):
    rng = random.Random(f"{SEED} {name}")
    site, crawls = Site(web, rng), Crawls(WAYS[name], tmp_path)
    killed = pages = version = 0
    while killed < KILLS:
        for _ in range(rng.randint(1, min(ROUND, KILLS - killed))):
            killed += crawls.kill(site, rng)
        crawls.finish(site)
        missing = {*site.titles} - crawls.delivered
        assert not missing, f"after {killed} kills"
        crawls.check_store()
        pages += len(site.titles)
        version += 1
        site.change(rng.sample(range(TEXTS), TEXTS // 4), version)
    report(kills=killed, pages=pages)
