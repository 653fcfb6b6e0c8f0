"""Crawls of a web whose pages show a clock and a count of visitors, in a plain div."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.support.crawling import Job, Result, Web, crawl_all
from tests.support.texts import article, html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = 40
EDITED = 25
SETTINGS = {"DEDUP_SCOPE": "shared"}


class ClockPages(dict[str, tuple[bytes, str]]):
    """Pages whose clock goes on, and whose visitors are counted, with each that is sent."""

    def __init__(self) -> None:
        super().__init__()
        self._visitors = count(4711)

    def get(self, path: str, default: tuple[bytes, str] = (b"", "")) -> tuple[bytes, str]:
        body, kind = super().get(path, default)
        visitor = next(self._visitors)
        time = f"{visitor // 3600:02}:{visitor // 60 % 60:02}:{visitor % 60:02}"
        clock = f"<div>It is {time} now, and you are visitor {visitor} of this site</div>"
        return body.replace(b"</body>", f"{clock}</body>".encode()), kind


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Result]]:
    folder: Path = tmp_path_factory.mktemp("clocks")
    with Web() as web:
        web.pages = ClockPages()
        urls = [web.put(f"/{n}", html(article(n), f"Page {n}")) for n in range(PAGES)]
        first, second = (Job("components:Pages", {"steps": [urls]}, SETTINGS) for _ in range(2))
        found = crawl_all(folder, {"first": first, "second": second})
        edited = [*article(EDITED), "This sentence is new here."]
        web.put(f"/{EDITED}", html(edited, f"Page {EDITED}"))
        third = Job("components:Pages", {"steps": [urls]}, SETTINGS)
        yield {**found, **crawl_all(folder, {"third": third})}


def test_a_clock_is_learned_while_pages_are_crawled_again(crawls: dict[str, Result]) -> None:
    assert crawls["first"].dedup["verdict/unique"] == PAGES
    again = crawls["second"].dedup
    assert again["verdict/unchanged"] >= 32
    assert again["verdict/unchanged"] + again["verdict/updated"] == PAGES


def test_then_only_what_was_edited_is_updated(crawls: dict[str, Result]) -> None:
    result = crawls["third"]
    assert result.paths == [f"/{EDITED}"]
    assert result.dedup["verdict/unchanged"] == PAGES - 1
