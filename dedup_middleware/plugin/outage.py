"""A store that fails in mid-crawl: what is said of it, and when it is tried again."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from dedup_middleware.errors import StoreError

    from .counts import Counts

logger = logging.getLogger(__name__)

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 64.0  # seconds until a store that failed is tried again


class StoreWatch:
    """Knows whether the store of a crawl works; `stop` ends the crawl where it does not."""

    def __init__(self, crawler: Crawler, counts: Counts, *, stop: bool) -> None:
        self._crawler = crawler
        self._counts = counts
        self._stop = stop
        self._outage: _Outage | None = None

    @property
    def may_be_asked(self) -> bool:
        return self._outage is None or self._outage.is_over

    def failed(self, error: StoreError) -> None:
        if self._outage:
            self._outage.go_on()
            return
        self._outage = _Outage()
        self._counts.count("store_errors")
        way = (
            "the crawl stops"
            if self._stop
            else "the crawl goes on, pages pass without being judged"
        )
        logger.error("%s: %s", error, way)
        if self._stop and self._crawler.engine:
            # not awaited: closing waits for the responses that are being judged
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="dedup_store_error"))

    def works(self) -> None:
        if self._outage:
            seconds, self._outage = self._outage.seconds, None
            self._counts.count("store_recoveries")
            logger.info("The store works again after %.0f seconds; pages are judged", seconds)


class _Outage:
    """A time in which the store fails; it is tried again after pauses that grow."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._pause = SHORTEST_PAUSE
        self._until = self._began + self._pause

    @property
    def is_over(self) -> bool:
        """Whether the store may be tried again."""
        return time.monotonic() >= self._until

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def go_on(self) -> None:
        """Note that the store has failed again."""
        if self.is_over:  # else it was asked before
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._until = time.monotonic() + self._pause
