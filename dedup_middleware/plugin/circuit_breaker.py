"""The circuit breaker: a store that fails in mid-crawl is left alone for a while, then retried."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypeVar

from scrapy.utils.defer import deferred_from_coro

from dedup_middleware.errors import StoreError
from dedup_middleware.text import printable

from .queue import DEADLINE, OverdueError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from scrapy.crawler import Crawler

    from dedup_middleware.settings import Settings

    from .report import Counts

logger = logging.getLogger(__name__)

T = TypeVar("T")

SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 64.0  # seconds until a store that failed is tried again


class CircuitBreaker:
    """Open while the store of a crawl fails; a setting ends the crawl at the first failure."""

    def __init__(self, crawler: Crawler, counts: Counts, settings: Settings) -> None:
        self._crawler = crawler
        self._counts = counts
        self._stop = settings.on_store_error == "stop"
        self._opened: float | None = None
        self._pause = SHORTEST_PAUSE
        self._until = 0.0

    @property
    def allows(self) -> bool:
        """Whether the store may be asked: it works, or it is time to try it again."""
        return self._opened is None or time.monotonic() >= self._until

    async def ask(self, job: Awaitable[T], url: str = "") -> T | None:
        """Return what the store says (of a page if it has a URL); None if it fails, or is slow."""
        try:
            return await job
        except StoreError as error:
            self.failed(error)
        except OverdueError as error:
            self._counts.count("overdue", int(bool(url)))
            late = f"Not judged within {DEADLINE:g} seconds, passed on: {printable(url)}"
            logger.error("%s", late if url else error)  # noqa: TRY400 - one line says it all
        return None

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
        if self._stop:
            close_spider(self._crawler, "dedup_store_error")

    def succeeded(self) -> None:
        """Note that the store has answered."""
        if self._opened is not None:
            seconds, self._opened = time.monotonic() - self._opened, None
            self._counts.count("store_recoveries")
            logger.info("The store works again after %.0f seconds; pages are judged", seconds)


def close_spider(crawler: Crawler, reason: str) -> None:
    """Have a crawl end; nobody waits for it, as it waits for the responses that are judged."""
    if crawler.engine:
        deferred_from_coro(crawler.engine.close_spider_async(reason=reason))
