"""The start of a crawl: what is no crawl makes no store, and a wrong start is told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.crawling import Web, scrapy
from tests.support.texts import article, html

SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = ["{url}"]

    def parse(self, response):
        yield {{"url": response.url}}
"""


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        web.put("/a", html(article(1)))
        yield web


@pytest.fixture
def project(tmp_path: Path, web: Web) -> Path:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project\n")
    (tmp_path / "project.py").write_text(
        'ADDONS = {"dedup_middleware.Addon": 500}\nSPIDER_MODULES = ["spiders"]\n'
    )
    (tmp_path / "spiders.py").write_text(SPIDER.format(url=web.url("/a")))
    return tmp_path


@pytest.mark.parametrize(
    "command", [["fetch"], ["parse", "--spider", "pages"], ["shell", "-c", "response.status"]]
)
def test_what_is_no_crawl_makes_no_store(project: Path, web: Web, command: list[str]) -> None:
    done = scrapy(project, *command, web.url("/a"))
    assert done.code == 0, done.log
    assert not (project / ".scrapy").exists()
    assert "Disabled" not in done.log


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("DEDUP_MAX_LOSS=7", "DEDUP_MAX_LOSS must be from 0 to 1, not 7"),
        ("DEDUP_METHOD=nope", "DEDUP_METHOD: There is no method 'nope'; choose one of cascade"),
        ("DEDUP_SCOPE=/proc/nowhere", "Can't use the store /proc/nowhere"),
    ],
)
@pytest.mark.parametrize("reactor", ["asyncioreactor.Asyncio", "selectreactor.Select"])
def test_a_crawl_that_cannot_start_says_so_in_one_line(
    project: Path, setting: str, message: str, reactor: str
) -> None:
    options = ["-s", setting, "-s", f"TWISTED_REACTOR=twisted.internet.{reactor}SelectorReactor"]
    if reactor.startswith("select"):
        options[-1] = "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"
    done = scrapy(project, "crawl", "pages", *options)
    assert done.code == 1
    assert done.log.count(message) == 1
    assert "Traceback" not in done.log
    assert "Unhandled error" not in done.log


def test_stores_of_old_runs_are_removed(project: Path) -> None:
    for _ in range(3):
        assert scrapy(project, "crawl", "pages", "-s", "DEDUP_KEEP_RUNS=2").code == 0
    kept = sorted((project / ".scrapy" / "dedup" / "pages").iterdir())
    assert len(kept) == 2
