"""Settling: telling the store, from time to time, which pages were delivered and which lost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import create_looping_call

from dedup_middleware.errors import StoreError

from . import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from dedup_middleware.deduplicator import Deduplicator

    from .counts import Counts
    from .feeds import Feeds
    from .job_queue import JobQueue
    from .outage import StoreWatch
    from .tracking import Tracker

SECONDS = 1.0  # how long another run may wait for a delivery to be written down
MOST_UNSETTLED = 32  # deliveries that a crash of the process may forget: those pages pass again


class Settling:
    """Takes what the tracker has found out to the store.

    `at_once` if the store is quick to write, `is_shared` if other runs rely on what it says.
    """

    def __init__(
        self,
        crawler: Crawler,
        dedup: Deduplicator,
        tracker: Tracker,
        queue: JobQueue,
        watch: StoreWatch,
        counts: Counts,
        feeds: Feeds,
        *,
        at_once: bool,
        is_shared: bool,
    ) -> None:
        self._crawler = crawler
        self._dedup = dedup
        self._tracker = tracker
        self._queue = queue
        self._watch = watch
        self._counts = counts
        self._feeds = feeds
        self._at_once = at_once
        self._is_shared = is_shared
        self._not_written: list[tuple[list[int], list[int]]] = []
        """What the store could not be told."""
        self._call = create_looping_call(self.settle)

    def start(self) -> None:
        self._call.start(SECONDS, now=False)

    def stop(self) -> None:
        """Settle for the last time."""
        if self._call.running:
            self._call.stop()
        self.settle()

    def settle_many(self) -> None:
        """Settle if a crash would forget too much."""
        if len(self._tracker.delivered) >= MOST_UNSETTLED:
            self.settle()

    def settle(self) -> None:
        """Tell the store what was delivered and withdrawn since the last time."""
        tracker = self._tracker
        delivered: list[int] = []
        withdrawn, tracker.withdrawn = tracker.withdrawn, []
        # what others are to rely on from now on must not be lost with this process
        if not self._is_shared or self._feeds.flush():
            delivered, tracker.delivered = tracker.delivered, []
        self._counts.count("delivered", len(delivered))
        self._counts.count("withdrawn", len(withdrawn))
        portions = [self._not_written.pop() for _ in range(len(self._not_written))]
        if delivered or withdrawn:
            portions.append((delivered, withdrawn))
        for portion in portions:  # not all at once: a store that is nearly full takes some
            job = partial(self._write, *portion)
            if self._at_once and self._queue.is_idle:
                try:
                    job()
                except StoreError as error:
                    self._watch.failed(error)
            else:
                # what fails here fails again for the next page
                self._queue.submit(job, at_once=self._at_once)
        self.tell_superseded()

    def tell_superseded(self) -> None:
        """Tell of pages whose places better ones have taken; the thread may have found them."""
        superseded = self._dedup.superseded
        while superseded:
            one = superseded.popleft()
            self._counts.count("superseded")
            self._crawler.signals.send_catch_log(
                signals.page_superseded, url=one.url, by=one.by, spider=self._crawler.spider
            )

    def _write(self, delivered: list[int], withdrawn: list[int]) -> None:
        try:
            self._dedup.settle(delivered=delivered, withdrawn=withdrawn)
        except StoreError:
            self._not_written.append((delivered, withdrawn))
            raise
