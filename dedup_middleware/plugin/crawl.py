"""What the components of one crawl share: the deduplicator, the book of delivery, counts."""

from __future__ import annotations

import logging
import weakref
from functools import partial
from typing import TYPE_CHECKING

from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.plugin.store_location import prune
from dedup_middleware.settings import Settings
from dedup_middleware.store import Ending
from dedup_middleware.store.runs import new_run_id

from . import signals
from .circuit_breaker import CircuitBreaker
from .delivery import MOST_UNSETTLED, Deliveries, taken
from .judging import Judging
from .output import Output
from .queue import JobQueue, OverdueError
from .report import Counts, fail, summary, warn_of_failed_run
from .skipped_requests import SkippedRequests
from .skipping import Skipping
from .store_location import is_no_crawl, locate_store

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

SETTLE_SECONDS = 1.0  # how long another run may wait for a delivery to be written down
_ATTRIBUTE = "_dedup_crawl"


class Crawl:
    """One for each crawler: it opens the parts, writes down what became of pages, and closes."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        if is_no_crawl():
            raise NotConfigured  # without a message: this project has not enabled dedup
        self.crawler = crawler
        self.counts = Counts(crawler)
        self.breaker = CircuitBreaker(crawler, self.counts, self.settings)
        spider, run = crawler.spidercls.name or "spider", new_run_id()
        self.location = locate_store(self.settings, crawler.settings, spider, run)
        self.dedup = self.location.open(self.settings, spider, self.settings.run or run)
        # a crawler may fail at start, or be ended by force
        self._abandon = weakref.finalize(self, self.dedup.close, Ending(succeeded=False))
        self.queue = JobQueue()
        self.at_once = self.location.is_own and self.settings.method == "cascade"
        """Whether judging is short: no other run can hold the store, and nothing slow is used."""
        self.skipped = SkippedRequests.of_crawl(self)
        self.skipping = Skipping(self) if self.settings.skip != "off" else None
        self.deliveries = Deliveries(self.settings.url_field, self.counts, self.skipping)
        self.judging = Judging(self)
        self.dedup.warm_up()
        self._output = Output(crawler, self._item_ended, self._all_ended)
        self._task = create_looping_call(self._every_second)
        connect = crawler.signals.connect
        connect(self._spider_opened, scrapy_signals.spider_opened)
        connect(self._spider_closed, scrapy_signals.spider_closed)
        # here, because feeds are stored while the spider is closed
        connect(self._engine_stopped, scrapy_signals.engine_stopped)
        self.counts.set("store", self.dedup.store.name)
        self.counts.set("journal", str(self.dedup.journal.path))
        logger.debug("Judging pages, store: %s", self.dedup.store.name)
        if self.settings.method != "cascade":
            from dedup_middleware.methods import method_class  # brings numpy with it

            place = "the store" if method_class(self.settings.method).in_store else "memory"
            logger.info("Pages are compared by %s; index in %s", self.settings.method, place)

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl:
        """Return the one of a crawler, opened now if this is the first time."""
        crawl: Crawl | None = getattr(crawler, _ATTRIBUTE, None)
        if crawl is None:
            try:
                crawl = cls(crawler)
            except DedupError as error:
                fail(error)
            # there, and in no table of ours: a crawler that fails at start must be freed
            setattr(crawler, _ATTRIBUTE, crawl)
        return crawl

    def settle(self) -> None:
        """Tell the store what was delivered and withdrawn since the last time."""
        if self.skipped:
            self.skipped.send_released()
        book = self.deliveries
        # not all at once: a store that is nearly full takes some
        for _ in range(0, max(len(book.delivered), len(book.withdrawn)), MOST_UNSETTLED):
            job = partial(self._write, self.take_delivered(), taken(book.withdrawn))
            self.queue.submit(job, at_once=self.at_once)
        self._tell_superseded()

    def take_delivered(self) -> list[int]:
        """Return pages that were delivered since the last time."""
        book = self.deliveries.delivered
        # what others are to rely on from now on must not be lost with this process
        is_safe = book and (not self.location.is_shared or self._output.flush())
        return taken(book) if is_safe else []

    def _write(self, delivered: list[int], withdrawn: list[int]) -> None:
        try:
            self.dedup.settle(delivered=delivered, withdrawn=withdrawn)
        except StoreError:  # it fails again for the next page, too
            self.deliveries.delivered.extend(delivered)
            self.deliveries.withdrawn.extend(withdrawn)

    def _tell_superseded(self) -> None:
        """Tell of pages whose places better ones have taken; the thread may have found them."""
        while self.dedup.superseded:
            one = self.dedup.superseded.popleft()
            self.counts.count("superseded")
            self.crawler.signals.send_catch_log(
                signals.page_superseded, url=one.url, by=one.by, spider=self.crawler.spider
            )

    def _item_ended(self, item: object, response: object, got_through: bool) -> None:
        book = self.deliveries.delivered
        before = len(book)
        self.deliveries.ended(item, response, got_through)
        if len(book) > before and len(book) % MOST_UNSETTLED == 0:  # more, if the store fails
            self.settle()

    def _all_ended(self) -> None:
        """Note that all pipelines are closed; handlers of the signal may read the stats."""
        self.deliveries.close_all()
        self.settle()
        self.counts.write()

    def _spider_opened(self) -> None:
        self._task.start(SETTLE_SECONDS, now=False)
        self._output.start()

    def _every_second(self) -> None:
        self.settle()
        self.counts.write()

    async def _spider_closed(self) -> None:
        if self._task.running:
            self._task.stop()
        if self.skipping:
            await self.skipping.close()
        if self.skipped:
            self.skipped.close()
        self.settle()
        # behind all that is still to be written; who sums up the crawl reads the journal next
        await self.breaker.ask(self.queue.run(self.dedup.flush))
        self._tell_superseded()
        for name in ("unreadable", "without_words", "capped", "canonical_refuted"):
            self.counts.count(name, self.dedup.counts[name])
        tally, seconds = self.counts.tally, self.dedup.seconds
        tally.milliseconds = 1000 * seconds
        if tally.pages:
            self.counts.set("seconds", round(seconds, 3))
        self.counts.write()
        unjudged, dry_run = self.counts.numbers["unjudged"], self.settings.dry_run
        name, sites = self.dedup.store.name, self.counts.sites()
        lines = summary(tally, name, unjudged=unjudged, dry_run=dry_run, sites=sites)
        level = logging.getLevelNamesMapping()[self.settings.summary]
        logger.log(level, "\n".join(lines), extra={"spider": self.crawler.spider})

    async def _engine_stopped(self) -> None:
        """End the run: all pipelines are closed and all feeds stored, as far as they can be."""
        failures = list(self._output.failures())
        self._abandon.detach()
        noted = await self.breaker.ask(self.queue.run(partial(self._close, succeeded=not failures)))
        if self.location.is_shared:
            warn_of_failed_run(self.dedup, failures, noted=noted is not None)
        try:
            await self.queue.run(partial(self.location.forget, self.settings))
        except (StoreError, OverdueError) as error:
            logger.warning("%s: not all old pages are forgotten; the next crawl goes on", error)
        self.queue.stop()
        self.counts.write()
        delattr(self.crawler, _ATTRIBUTE)

    def _close(self, *, succeeded: bool) -> bool:
        """Close the store, which waits for the disk; return True.

        What a crawl delivered is known to be lost if it did not succeed, so that even pages which
        have counted at once must pass again.
        """
        location = self.location
        if location.runs:  # before: what is in use stays, whatever the clock says
            prune(location.runs, self.settings.keep_runs)
        numbers = self.counts.numbers
        ending = Ending(
            succeeded=succeeded,
            revoke=not succeeded and location.is_shared,
            requests_saved=numbers["links_not_followed"] + numbers["skip/requests"],
            sites=self.counts.sites().as_json(),
        )
        self.dedup.close(ending)
        return True
