"""A store of two runs, one after the other, for the commands that look into stores."""

from __future__ import annotations

from pathlib import Path

from dedup_middleware import Deduplicator, Page

from .commands import HOSTILE
from .texts import article, html

NEWS, SHOP = "20260101T000000-000000", "20260102T000000-000000"
FIRST, NEAR, EXACT = "https://a.example/1", "https://b.example/near", "https://c.example/?x=1"
FORMULA = "=HYPERLINK(evil)"
ARTICLE = [
    *article(1, 400)[:-1],
    "This end was written by somebody who went home early.",
]
ANOTHER_END = "Somebody has written another end to it since."
STORE = Path(".scrapy/dedup/news/store")
JOURNALS = STORE / "journal"


def make_two_runs(folder: Path) -> Path:
    """Make the store in a folder; return the folder."""
    fill_with_two_runs(folder / STORE)
    return folder


def fill_with_two_runs(store: Path | str) -> None:
    drops = {"near": "drop"}  # near copies of other sites, too
    with Deduplicator(store, run=NEWS, spider="news", map_size=1 << 30, cross_host=drops) as dedup:
        dedup.process(Page(url=FIRST, html=html(ARTICLE)))
        near = [*ARTICLE[:-1], ANOTHER_END]
        assert dedup.process(Page(url=NEAR, html=html(near))).kind == "near"
        assert dedup.process(Page(url=EXACT, html=html(ARTICLE))).kind == "exact"
        assert dedup.process(Page(url=HOSTILE, html=html(ARTICLE))).kind == "exact"
    with Deduplicator(store, run=SHOP, spider="shop", map_size=1 << 30) as dedup:
        dedup.process(Page(url=FORMULA, html=html(article(9, 400))))
        assert dedup.process(Page(url=FIRST, html=html(ARTICLE))).kind == "unchanged"
