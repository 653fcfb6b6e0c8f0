"""The line that shows how far a crawl is."""

from __future__ import annotations

from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from crawler.progress import progress_line


def stats(**verdicts: int) -> StatsCollector:
    collector = StatsCollector(get_crawler())
    collector.set_stats({f"dedup/verdict/{kind}": count for kind, count in verdicts.items()})
    collector.set_value("dedup/pages", sum(verdicts.values()))
    collector.set_value("dedup/action/drop", verdicts.get("near", 0))
    return collector


def test_the_line_has_as_many_verdicts_as_there_is_room_for():
    found = stats(unique=1200, near=30, exact=7, updated=1)
    assert progress_line(found, 10, 79) == (
        "1,238 pages (123.8/s) · 30 dropped · unique 1,200, near 30 and 2 more · 10.0 s"
    )
    assert "unique 1,200, near 30, exact 7, updated 1" in progress_line(found, 10, 120)
    assert progress_line(found, 10, 50) == "1,238 pages (123.8/s) · 30 dropped · 10.0 s"
    assert len(progress_line(found, 10, 20)) == 20


def test_the_line_before_the_first_page():
    assert progress_line(stats(), 0, 79) == "0 pages (0.0/s) · 0 dropped · 0 ms"
