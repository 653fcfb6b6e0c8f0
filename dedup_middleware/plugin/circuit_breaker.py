"""The circuit breaker: a store that fails in mid-crawl is left alone for a while, then retried."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from dedup_middleware.errors import StoreError

    from .report import Counts

logger = logging.getLogger(__name__)

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 64.0  # seconds until a store that failed is tried again


class CircuitBreaker:
    """Open while the store of a crawl fails; `stop` ends the crawl at the first failure."""

    def __init__(self, crawler: Crawler, counts: Counts, *, stop: bool) -> None:
        self._crawler = crawler
        self._counts = counts
        self._stop = stop
        self._opened: float | None = None
        self._pause = SHORTEST_PAUSE
        self._until = 0.0

    @property
    def allows(self) -> bool:
        """Whether the store may be asked: it works, or it is time to try it again."""
        return self._opened is None or time.monotonic() >= self._until

    def failed(self, error: StoreError) -> None:
        """Note that the store has failed; the pauses grow while it goes on failing."""
        now = time.monotonic()
        if self._opened is not None:
            if now >= self._until:  # else it was asked before
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
                self._until = now + self._pause
            return
        self._opened, self._pause = now, SHORTEST_PAUSE
        self._until = now + self._pause
        self._counts.count("store_errors")
        goes_on = "the crawl goes on, pages pass without being judged"
        logger.error("%s: %s", error, "the crawl stops" if self._stop else goes_on)
        if self._stop and self._crawler.engine:
            # not awaited: closing waits for the responses that are being judged
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="dedup_store_error"))

    def succeeded(self) -> None:
        """Note that the store has answered."""
        if self._opened is not None:
            seconds, self._opened = time.monotonic() - self._opened, None
            self._counts.count("store_recoveries")
            logger.info("The store works again after %.0f seconds; pages are judged", seconds)
