"""Crawls that are killed at any moment: every page is in the output of one of them.

The crawls write a plain feed, which has its last items in a buffer when it is killed. What a
killed crawl had there must pass again in the next one. `FAULTS_KILLS` is how many are killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from dedup_middleware.inspect.verify import verify
from dedup_middleware.store import open_reader
from tests.support.crawling import Job, Web, crawl, start
from tests.support.decisions import assert_journals_agree
from tests.support.patience import PATIENCE, wait_until
from tests.support.stores import invented

KILLS = int(os.environ.get("FAULTS_KILLS", "3"))
ROUND = 4  # kills, at most, before a crawl is left alone
TEXTS = 40
SECONDS = 1.5  # until a crawl that has begun is killed, at most


@pytest.fixture
def web():
    with Web() as web:
        yield web


class Site:
    """Texts that are found at two URLs each, and change now and then."""

    def __init__(self, web: Web, rng: random.Random) -> None:
        self._web = web
        self._rng = rng
        self.titles = [""] * TEXTS
        self.change(range(TEXTS), 0)

    def change(self, numbers: range | list[int], version: int) -> None:
        for number in numbers:
            self.titles[number] = title = f"{number} in version {version}"
            text = invented(1000 * version + number)
            for copy in "ab":
                html = f"<!doctype html><title>{title}</title><main><p>{text}</main>"
                self._web.put(f"/{number}/{copy}", html)

    def steps(self) -> list[list[str]]:
        urls = [self._web.url(f"/{number}/{copy}") for number in range(TEXTS) for copy in "ab"]
        self._rng.shuffle(urls)
        return [urls[at : at + 16] for at in range(0, len(urls), 16)]


def titles(feed: Path) -> set[str]:
    """Return what a feed holds; its last line may be torn."""
    found = set()
    for line in feed.read_bytes().splitlines(keepends=True) if feed.exists() else ():
        if line.endswith(b"\n"):
            found.add(json.loads(line)["title"])
    return found


def kill_one(folder: Path, job: Job, feed: Path, seconds: float) -> bool:
    """Kill a crawl so many seconds after it began; return False if it was done before."""
    with start(folder, job) as process:
        wait_until(lambda: feed.exists() or process.poll() is not None)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, -signal.SIGKILL), output.decode()
    return process.returncode != 0


@pytest.mark.parametrize("commit", ["finish", "page"])
def test_no_page_is_in_neither_output(web, tmp_path, commit):
    rng = random.Random(int(os.environ.get("FAULTS_SEED", "7")))
    site, store = Site(web, rng), tmp_path / "store"
    killed = number = lost = 0
    delivered: set[str] = set()
    while killed < KILLS:
        in_round = rng.randint(1, min(ROUND, KILLS - killed))
        for last in (False,) * in_round + (True,):
            number += 1
            feed = tmp_path / f"{number}.jsonl"
            settings = {
                "DEDUP_SCOPE": str(store),
                "DEDUP_COMMIT": commit,
                "FEEDS": {str(feed): {"format": "jsonlines"}},
            }
            job = Job("items:Titles", {"steps": site.steps()}, settings)
            if last:
                (result,) = crawl(tmp_path, job)
                assert result.troubles == []
            else:
                killed += kill_one(tmp_path, job, feed, SECONDS * rng.random())
            delivered |= titles(feed)
        lost += len({*site.titles} - delivered)
        with open_reader(store) as reader:
            assert not verify(reader, lambda _: None).found
        assert_journals_agree(store)
        site.change(rng.sample(range(TEXTS), TEXTS // 4), number)
    sys.stderr.write(f"{commit}: {killed:,} kills, {lost:,} texts in neither output\n")
    assert lost == 0
