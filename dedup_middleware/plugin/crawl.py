"""What the components of one crawl share: the deduplicator, the book of delivery, counts."""

from __future__ import annotations

import logging
import weakref
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.group import Case
from dedup_middleware.settings import Settings
from dedup_middleware.store.prune import prune
from dedup_middleware.store.runs import new_run_id
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action

from . import signals
from .circuit_breaker import CircuitBreaker
from .delivery import MOST_UNSETTLED, Deliveries, Delivery, taken
from .output import Output
from .queue import DEADLINE, Event, JobQueue, OverdueError
from .reading import reading_of
from .report import Counts, DedupLogStats, fail, summary, warn_of_failed_run
from .site_questions import SiteQuestions
from .skipped_requests import QUEUE, SkippedRequests
from .skipping import Skipping
from .store_location import is_no_crawl, locate_store

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from scrapy.crawler import Crawler

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page

    from .skipping import Skipped

logger = logging.getLogger(__name__)

T = TypeVar("T")

POLL_SECONDS = 0.25
SETTLE_SECONDS = 1.0  # how long another run may wait for a delivery to be written down
LARGEST_AT_ONCE = 1 << 19  # bytes or characters of a page that may hold the event loop
_ATTRIBUTE = "_dedup_crawl"


class Crawl:
    """One for each crawler; pipeline and spider middleware use the same."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        if is_no_crawl():
            raise NotConfigured  # without a word: nobody asked for dedup here
        self.counts = Counts(crawler)
        self.deliveries = Deliveries(self.settings.url_field, self.counts, self._page_ended)
        self._crawler = crawler
        self._new = 0
        """Pages that show something new."""
        stop = self.settings.on_store_error == "stop"
        self._breaker = CircuitBreaker(crawler, self.counts, stop=stop)
        spider, run = crawler.spidercls.name or "spider", new_run_id()
        self._location = locate_store(self.settings, crawler.settings, spider, run)
        self.dedup = self._location.open(self.settings, spider, self.settings.run or run)
        # a crawler may fail at start, or be ended by force
        self._abandon = weakref.finalize(self, self.dedup.close, succeeded=False)
        self._queue = JobQueue()
        self._at_once = self._location.is_own and self.settings.method == "cascade"
        """Whether judging is short: no other run can hold the store, and nothing slow is used."""
        self._skips = self.settings.skip == "on" and not self.settings.dry_run
        self._skipped = self._open_skipped()
        self.skipping = self._skipping() if self.settings.skip != "off" else None
        self.dedup.warm_up()
        self._output = Output(crawler, self._item_ended, self._all_ended)
        self._tasks = [create_looping_call(self._settle)]
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

    async def judge_item(self, item: object, page: Page) -> Delivery:
        """Judge the page of an item; items with the same URL and content share the judgement."""
        delivery, is_new = self.deliveries.enter(item, page)
        if is_new:
            await self.judge(delivery, page)
        elif delivery.is_judging:
            await delivery.wait(self.settings.patience)
        return delivery

    async def judge(self, delivery: Delivery, page: Page) -> bool:
        """Judge a page for all its items, anew if its original is gone.

        Return False if its original is no other one, or there is no verdict: that must not cost the
        page.
        """
        if not self._breaker.allows:
            self.counts.count("unjudged")
            return False
        if self.deliveries.withdrawn:  # such pages must not match
            self._settle()
        # what is delivered, a later run should know after a crash
        delivered = self._take_delivered() if self._location.is_shared else []
        before, requested = delivery.receipt, delivery.requested
        response = None if before else delivery.response
        reading = reading_of(response, self.dedup) if response else None
        subjects: list[Subject] = []

        def judged(subject: Subject) -> None:
            subjects.append(subject)
            if reading:
                reading.judged(subject)

        case = Case(
            (reading and reading.subject) or page,
            requested=requested,
            overrules=before.sequence if before else None,
            delivered=delivered,
            judged=judged,
        )
        job = self._queue.run_case(
            self.dedup.judge_all,
            case,
            at_once=self._at_once and len(page.html or page.text or "") <= LARGEST_AT_ONCE,
            late=partial(self._undo, page),
        )
        receipt: Receipt | None = None
        delivery.is_judging = True
        try:
            receipt = await self._ask(job, page.url)
        except Exception:
            logger.exception("Not judged, passed on: %s", printable(page.url))
            self.counts.count("errors")
        finally:
            self._decided(delivery, page, receipt)
        if receipt is None:
            self.counts.count("unjudged")
            self.deliveries.delivered.extend(delivered)
            return False
        self._breaker.succeeded()
        if self.skipping:
            await self.skipping.judged(delivery, page, subjects[-1], receipt.verdict)
        if before is None and not receipt.verdict.redundant:
            self._count_new()
        self._crawler.signals.send_catch_log(
            signals.page_judged,
            verdict=receipt.verdict,
            url=page.url,
            response=delivery.response,
            spider=self._crawler.spider,
        )
        return before is None or receipt.original != before.original

    def _count_new(self) -> None:
        """Count a page that shows something new, and end a crawl that has found enough."""
        self._new += 1
        if self._new == self.settings.close_after_new and self._crawler.engine:
            # not awaited: closing waits for the responses that are being judged
            closed = self._crawler.engine.close_spider_async(reason="dedup_close_after_new")
            deferred_from_coro(closed)

    def _decided(self, delivery: Delivery, page: Page, receipt: Receipt | None) -> None:
        """Put another verdict, if there is one, in the place of that before; items wait for it."""
        delivery.is_judging = False
        if receipt:
            if delivery.verdict:
                self.counts.decided(page, delivery.verdict, times=-1)
            self.counts.decided(page, receipt.verdict)
            self.deliveries.judged(delivery, receipt)
        if delivery.waiting:
            delivery.wake()

    async def confirm(self, delivery: Delivery) -> bool:
        """Make sure that a page is dropped only for one that is delivered, else judge it again.

        Its original may still be in the pipelines, of this run or of another, and be lost there, or
        be one of this run that the store has but nobody follows, as its answer did not come;
        then it is not known from anywhere. False if waiting for that takes too long: the page
        passes, and the journal says so.
        """
        while delivery.page and delivery.receipt and delivery.is_dropped:
            page, receipt = delivery.page, delivery.receipt
            if delivery.is_judging:
                await delivery.wait(self.settings.patience)
                continue
            status = await self._status(delivery, receipt)
            if status == "delivered":
                break
            is_renewed = delivery.is_judging or delivery.receipt is not receipt  # by another item
            if status == "pending":
                self.counts.count("unconfirmed")
                if not is_renewed:
                    await self._overrule(delivery, page, receipt)
                return False
            if not is_renewed and not await self.judge(delivery, page):
                return False
        return True

    async def _status(self, delivery: Delivery, receipt: Receipt) -> str:
        """Wait until a page's original is delivered or gone; pending if that takes too long."""
        number, left = receipt.original, self.settings.patience
        original = self.deliveries.pending(number)
        if original and original is not delivery:
            await original.wait(left)
            return self.deliveries.status(number) or "pending"
        status = self.deliveries.status(number)
        if status or number is None or not receipt.in_doubt:
            return status or "delivered"
        while True:  # as a rule it is of another run
            status = await self._ask(self._queue.run(partial(self.dedup.status, number)))
            if status != "pending" or left <= 0:
                return status or "pending"
            await Event().wait(min(left, POLL_SECONDS))
            left -= POLL_SECONDS

    async def _overrule(self, delivery: Delivery, page: Page, receipt: Receipt) -> None:
        """Let a page pass whose original was not delivered in time, and overrule the drop."""
        reason = (
            f"It passes: {printable(receipt.verdict.original or 'its original')} was not delivered "
            f"within {self.settings.patience:g} seconds. {receipt.verdict.reason}"
        )
        job = partial(self.dedup.overrule, page.url, receipt, reason, page.size)
        renewed: Receipt | None = None
        delivery.is_judging = True
        try:
            renewed = await self._ask(self._queue.run(job, at_once=self._at_once))
        finally:
            self._decided(delivery, page, renewed)

    async def _ask(self, job: Awaitable[T], url: str = "") -> T | None:
        """Return what the store says (of a page if it has a URL); None if it fails, or is slow."""
        try:
            return await job
        except (StoreError, OverdueError) as error:
            self._failed(error, url)
        return None

    def _failed(self, error: StoreError | OverdueError, url: str) -> None:
        if isinstance(error, StoreError):
            self._breaker.failed(error)
        elif url:
            logger.error("Not judged within %g seconds, passed on: %s", DEADLINE, printable(url))
            self.counts.count("overdue")
        else:
            logger.error("%s", error)

    def _undo(self, page: Page, receipt: Receipt) -> None:
        """Overrule a verdict that came too late: the page has passed, and nobody follows it."""
        with suppress(StoreError):  # it fails again for the next page
            if receipt.verdict.action is Action.DROP:
                reason = f"It passes: judging took too long. {receipt.verdict.reason}"
                self.dedup.overrule(page.url, receipt, reason, page.size)
            self.dedup.settle(withdrawn=[receipt.number])

    def _page_ended(self, delivery: Delivery) -> None:
        if self.skipping:
            self.skipping.page_ended(delivery)

    def _open_skipped(self) -> SkippedRequests | None:
        """Open the queue of skipped requests; what an earlier run of the job left there is sent."""
        job, settings = job_dir(self._crawler.settings), self.settings
        path = Path(job, QUEUE) if job else None
        keeps_salt = path and settings.skip != "off" and not settings.dry_run
        if not (self._skips or keeps_salt or (path and path.exists())):
            return None
        found = SkippedRequests(self._crawler, self.counts, path)
        left = 0 if self._skips else found.release_all()
        if left:
            logger.info("Requests of this job that were skipped before are sent: %d", left)
        return found

    def _skipping(self) -> Skipping:
        questions = SiteQuestions(self._queue, self._breaker, self.counts, at_once=self._at_once)
        return Skipping(
            self._crawler,
            self.settings,
            self.dedup.store,
            self.counts,
            questions,
            self._skipped,
            is_on=self._skips,
        )

    def _note_skipped(self, lines: list[Skipped]) -> None:
        with suppress(StoreError):  # it fails again for the next page
            for line in lines:
                self.dedup.note_skipped(**line._asdict())

    def _settle(self) -> None:
        """Tell the store what was delivered and withdrawn since the last time."""
        if self._skipped:
            self._skipped.send_released()
        # the first line is about a page
        if self.skipping and self.skipping.lines and self.counts.tally.pages:
            lines, self.skipping.lines = self.skipping.lines, []
            self._queue.submit(partial(self._note_skipped, lines), at_once=self._at_once)
        book = self.deliveries
        # not all at once: a store that is nearly full takes some
        for _ in range(0, max(len(book.delivered), len(book.withdrawn)), MOST_UNSETTLED):
            job = partial(self._write, self._take_delivered(), taken(book.withdrawn))
            self._queue.submit(job, at_once=self._at_once)
        self._tell_superseded()

    def _take_delivered(self) -> list[int]:
        """Return pages that were delivered since the last time."""
        book = self.deliveries.delivered
        # what others are to rely on from now on must not be lost with this process
        is_safe = book and (not self._location.is_shared or self._output.flush())
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
            self._crawler.signals.send_catch_log(
                signals.page_superseded, url=one.url, by=one.by, spider=self._crawler.spider
            )

    def _item_ended(self, item: object, response: object, got_through: bool) -> None:
        book = self.deliveries.delivered
        before = len(book)
        self.deliveries.ended(item, response, got_through)
        if len(book) > before and len(book) % MOST_UNSETTLED == 0:  # more, if the store fails
            self._settle()

    def _all_ended(self) -> None:
        """Note that all pipelines are closed; whoever hears of the end may read the stats."""
        self.deliveries.close_all()
        self._settle()
        self.counts.write()

    def _spider_opened(self) -> None:
        self._tasks[0].start(SETTLE_SECONDS, now=False)
        self._output.start()
        log_stats = self._crawler.get_extension(DedupLogStats)
        if log_stats:
            self._tasks.append(log_stats.start(self.counts, self._crawler.spider))

    async def _spider_closed(self) -> None:
        for task in self._tasks:
            if task.running:
                task.stop()
        if self.skipping:
            await self.skipping.close()
        if self._skipped:
            self._skipped.close()
            self._skipped = None
        self._settle()
        # behind all that is still to be written; who sums up the crawl reads the journal next
        await self._ask(self._queue.run(self.dedup.flush))
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
        logger.log(level, "\n".join(lines), extra={"spider": self._crawler.spider})

    async def _engine_stopped(self) -> None:
        """End the run: all pipelines are closed and all feeds stored, as far as they can be."""
        failures = list(self._output.failures())
        self._abandon.detach()
        noted = await self._ask(self._queue.run(partial(self._close, succeeded=not failures)))
        if self._location.is_shared:
            warn_of_failed_run(self.dedup, failures, noted=noted is not None)
        try:
            await self._queue.run(partial(self._location.forget, self.settings))
        except (StoreError, OverdueError) as error:
            logger.warning("%s: not all old pages are forgotten; the next crawl goes on", error)
        self._queue.stop()
        self.counts.write()
        delattr(self._crawler, _ATTRIBUTE)

    def _close(self, *, succeeded: bool) -> bool:
        """Close the store, which waits for the disk; return True.

        What a crawl delivered is known to be lost if it did not succeed, so that even pages which
        have counted at once must pass again.
        """
        location = self._location
        if location.runs:  # before: what is in use stays, whatever the clock says
            prune(location.runs, self.settings.keep_runs)
        self.dedup.close(
            succeeded=succeeded,
            revoke=not succeeded and location.is_shared,
            requests_saved=self.counts.numbers["links_not_followed"]
            + self.counts.numbers["skip/requests"],
            sites=self.counts.sites().as_json(),
        )
        return True
