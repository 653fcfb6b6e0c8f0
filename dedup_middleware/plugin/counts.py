"""Counts of a crawl: its stats `dedup/…`, and the tally of verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dedup_middleware.journal import Tally

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.page import Page


class Counts:
    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats
        self.tally = Tally()

    def count(self, name: str, number: int = 1) -> None:
        if self._stats and number:
            self._stats.inc_value(f"dedup/{name}", number)

    def set(self, name: str, value: Any) -> None:
        if self._stats:
            self._stats.set_value(f"dedup/{name}", value)

    def get(self, name: str) -> int:
        return self._stats.get_value(f"dedup/{name}", 0) if self._stats else 0

    def decided(self, page: Page, receipt: Receipt, times: int = 1) -> None:
        """Count a verdict; -1 times if it is taken back."""
        verdict = receipt.verdict
        decided = str(verdict.kind), str(verdict.action), verdict.evidence.stage
        self.tally.add(
            *decided, url=page.url, original=verdict.original, size=page.size, times=times
        )
        for name, number in self.tally.stats(*decided).items():
            self.set(name, number)
