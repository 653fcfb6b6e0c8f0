"""Crawls of a web with much text, in which the store may fail: no page may be lost."""

from __future__ import annotations

from tests.support.crawling import Result, Web

PAGES, STEP = 60, 10


def in_steps(web: Web) -> dict[str, list[list[str]]]:
    """Return the arguments of a spider that fetches some pages after the others."""
    urls = [web.url(f"/{number}") for number in range(PAGES)]
    return {"steps": [urls[at : at + STEP] for at in range(0, PAGES, STEP)]}


def check_finished(result: Result) -> None:
    """Check that a crawl went on to its end, and that all pages came."""
    assert sorted(result.paths) == sorted(f"/{number}" for number in range(PAGES))
    assert result.stats["finish_reason"] == "finished"
