"""What the components of one crawl share: the deduplicator, the items on their way, counts."""

from __future__ import annotations

import logging
import weakref
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.project import data_path

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.journal import journal_path
from dedup_middleware.judge.overrides import NAME as OVERRIDES
from dedup_middleware.page import Page
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.refine import refine
from dedup_middleware.store import copy_store
from dedup_middleware.store.runs import new_run_id
from dedup_middleware.text import printable
from dedup_middleware.urls import site_of
from dedup_middleware.verdict import Action

from . import ending, signals
from .closing import PipelineWatch
from .counts import Counts
from .failure import fail
from .feeds import Feeds
from .job_queue import DEADLINE, JobQueue, OverdueError
from .outage import StoreWatch
from .place import is_no_crawl, place_of
from .settling import Settling
from .summary import summary
from .tracking import Judged, Tracker
from .waiting import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.verdict import Kind

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
LARGEST_AT_ONCE = 1 << 18  # bytes or characters of a page that may hold the event loop
_ATTRIBUTE = "_dedup_crawl"


class Crawl:
    """One for each crawler; pipeline and spider middleware use the same."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        if is_no_crawl():
            raise NotConfigured  # without a word: nobody asked for dedup here
        self.tracker = Tracker(self.settings.url_field)
        self.counts = Counts(crawler)
        self._crawler = crawler
        self._watch = StoreWatch(crawler, self.counts, stop=self.settings.on_store_error == "stop")
        spider = crawler.spidercls.name or "spider"
        new_id = new_run_id()
        self._place = place_of(self.settings, crawler.settings, spider, new_id)
        if self._place.copy_of:
            copy_store(self._place.copy_of, self._place.path, map_size=self.settings.map_size)
        run = self.settings.run or new_id
        self._dedup = Deduplicator(
            self._place.url or self._place.path,
            run=run,
            spider=spider,
            journal=journal_path(self._place.path, run) if self._place.url else None,
            overrides=Path(data_path("dedup")) / OVERRIDES,
            is_sole=self._place.is_own,
            settings=replace(self.settings, commit=self._place.commit(self.settings)),
        )
        # a crawler may fail at start, or be ended by force
        self._abandon = weakref.finalize(self, self._dedup.close, well=False)
        self._queue = JobQueue()
        self._at_once = self._place.is_own and self.settings.method == "cascade"
        """Whether judging is short: no other run can hold the store, and nothing slow is used."""
        self._warm_up()
        self._pipelines, self._feeds = PipelineWatch(), Feeds(crawler)
        self._settling = Settling(
            crawler,
            self._dedup,
            self.tracker,
            self._queue,
            self._watch,
            self.counts,
            self._feeds,
            at_once=self._at_once,
            is_shared=self._place.is_shared,
        )
        for handler, signal in (
            (self._spider_opened, scrapy_signals.spider_opened),
            (self._item_lost, scrapy_signals.item_dropped),
            (self._item_lost, scrapy_signals.item_error),
            (self._spider_closed, scrapy_signals.spider_closed),
            # here, because feeds are stored while the spider is closed
            (self._engine_stopped, scrapy_signals.engine_stopped),
        ):
            crawler.signals.connect(handler, signal=signal)
        self.counts.set("store", self._dedup.store.name)
        self.counts.set("journal", str(self._dedup.journal.path))
        logger.debug("Judging pages, store: %s", self._dedup.store.name)
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

    async def judge_response(
        self, page: Page, response: Response, wishes: Mapping[Kind, Action]
    ) -> Judged:
        """Judge the page of a response, for all its items; without a verdict if that fails."""
        receipt = await self._judge(page, response, wishes)
        if receipt is None:
            return self.skip(response)  # its items would fail again
        judged = Judged(page, receipt, wishes)
        self.tracker.add(judged, response)
        return judged

    def skip(self, response: Response) -> Judged:
        """Track the items of a response that is not to be judged."""
        judged = Judged()
        self.tracker.add(judged, response)
        return judged

    async def judge_item(self, page: Page, item: object) -> Judged | None:
        """Judge the page of an item; items with the same URL and content share the judgement."""
        judged = self.tracker.of_content(page)
        if judged is None:
            judged = Judged(page)
            judged.renewal = Signal()
            self.tracker.add(judged)
            self.tracker.expect(item, judged)
            receipt = await self._judge(page, None, {})
            if receipt:
                self.tracker.renew(judged, receipt)
            judged.renewal.set()
            judged.renewal = None
            return judged
        self.tracker.expect(item, judged)
        if judged.renewal:
            await judged.renewal.wait(self.settings.patience)
        return judged

    async def confirm(self, judged: Judged, page: Page) -> bool:
        """Make sure that a page is dropped only for one that is delivered, else judge it again.

        Its original may still be in the pipelines, of this run or of another, and be lost there, or
        be one of this run that the store has but nobody follows, as its answer did not come;
        then it is not known from anywhere. False if waiting for that takes too long: the page
        passes, and the journal says so.
        """
        while judged.receipt and judged.action is Action.DROP and judged.redundant:
            receipt = judged.receipt
            original = self.tracker.unsettled(receipt.original)
            if judged.renewal:
                await judged.renewal.wait(self.settings.patience)
            elif original and original is not judged:
                if not await original.settled.wait(self.settings.patience):
                    await self._take_back(judged, page)
                    return False
            elif self.tracker.is_gone(receipt.original):
                if not await self._judge_again(judged, page):
                    return False
            elif self.tracker.is_delivered(receipt.original):
                break
            elif receipt.in_doubt and receipt.original is not None:
                status = await self._await_delivery(receipt.original)
                if status == "delivered":
                    break
                if status == "pending":
                    await self._take_back(judged, page)
                    return False
                if not await self._judge_again(judged, page):
                    return False
            else:
                break
        return True

    async def _judge_again(self, judged: Judged, page: Page) -> bool:
        """Judge a page whose original is gone; False if that can't be done."""
        before = judged.receipt
        judged.renewal = Signal()
        receipt = await self._judge(page, None, judged.wishes, overruled=before)
        if receipt:
            self.tracker.renew(judged, receipt)
        judged.renewal.set()
        judged.renewal = None
        return bool(receipt and before and receipt.original != before.original)

    async def _await_delivery(self, number: int) -> str:
        """Wait until a page is delivered or gone that is pending, in another run as a rule."""
        left = self.settings.patience
        while True:
            try:
                status = await self._queue.run(partial(self._dedup.status, number))
            except StoreError as error:
                self._watch.failed(error)
                return "pending"
            except OverdueError:
                return "pending"
            if status != "pending" or left <= 0:
                return status
            await Signal().wait(min(left, POLL_SECONDS))
            left -= POLL_SECONDS

    async def _take_back(self, judged: Judged, page: Page) -> None:
        """Let a page pass whose original was not delivered in time, and overrule the drop."""
        self.counts.count("unconfirmed")
        before = judged.receipt
        if before is None:
            return
        seconds = self.settings.patience
        reason = (
            f"It passes: {printable(before.verdict.original or 'its original')} was not delivered "
            f"within {seconds:g} seconds. {before.verdict.reason}"
        )
        job = partial(self._dedup.take_back, page.url, before, reason, page.size)
        try:
            judged.receipt = await self._queue.run(job, at_once=self._at_once)
        except StoreError as error:
            self._watch.failed(error)
            return
        except OverdueError:
            return
        self.counts.decided(page, before, times=-1)
        self.counts.decided(page, judged.receipt)

    def _warm_up(self) -> None:
        """Load what the first page and the first near match would have to wait for."""
        self._dedup.probe(Page(url="", html="<p>warm"))
        refine(["warm"], "en")  # nltk
        site_of("warm.example")  # the list of public suffixes

    async def _judge(
        self,
        page: Page,
        response: Response | None,
        wishes: Mapping[Kind, Action],
        overruled: Receipt | None = None,
    ) -> Receipt | None:
        """Judge a page; None if that can't be done, which must not cost the page."""
        if not self._watch.may_be_asked:
            self.counts.count("unjudged")
            return None
        # withdrawn pages must not match; what is delivered, a later run should know after a crash
        if self.tracker.withdrawn or not self._place.runs:
            self._settling.settle()
        sequence = overruled.sequence if overruled else None
        job = partial(self._dedup.receive, page, wishes=wishes, overrules=sequence)
        at_once = self._at_once and _length(page) <= LARGEST_AT_ONCE
        try:
            receipt: Receipt = await self._queue.run(
                job, at_once=at_once, late=partial(self._undo, page)
            )
        except StoreError as error:
            self._watch.failed(error)
            self.counts.count("unjudged")
            return None
        except OverdueError:
            logger.error(  # noqa: TRY400 - its traceback says nothing
                "Not judged within %g seconds, passed on: %s", DEADLINE, printable(page.url)
            )
            self.counts.count("overdue")
            self.counts.count("unjudged")
            return None
        except Exception:
            logger.exception("Not judged, passed on: %s", printable(page.url))
            self.counts.count("errors")
            self.counts.count("unjudged")
            return None
        self._watch.works()
        if overruled:
            self.counts.decided(page, overruled, times=-1)
        self.counts.decided(page, receipt)
        self._crawler.signals.send_catch_log(
            signals.page_judged,
            verdict=receipt.verdict,
            url=page.url,
            response=response,
            spider=self._crawler.spider,
        )
        return receipt

    def _undo(self, page: Page, receipt: Receipt) -> None:
        """Overrule a verdict that came too late: the page has passed, and nobody follows it."""
        with suppress(StoreError):  # it fails again for the next page
            if receipt.verdict.action is Action.DROP:
                reason = f"It passes: judging took too long. {receipt.verdict.reason}"
                self._dedup.take_back(page.url, receipt, reason, page.size)
            self._dedup.settle(withdrawn=[receipt.number])

    def _spider_opened(self) -> None:
        self._settling.start()
        self._pipelines.start(self._crawler)
        self._feeds.start()
        # only now: feeds have their turn with an item before it is known to be delivered
        self._crawler.signals.connect(self._item_scraped, signal=scrapy_signals.item_scraped)

    def _item_scraped(self, item: object, response: object) -> None:
        if self._feeds.took(item):
            self.tracker.scraped(item, response)
            self._settling.settle_many()
        else:
            self.tracker.lost(item, response)

    def _item_lost(self, item: object, response: object) -> None:
        self.tracker.lost(item, response)

    async def _spider_closed(self) -> None:
        self._settling.stop()
        try:
            # behind all that is still to be written; who sums up the crawl reads the journal next
            await self._queue.run(self._dedup.flush)
        except StoreError as error:
            self._watch.failed(error)
        except OverdueError:
            pass  # told when the store is closed
        self._settling.tell_superseded()
        for name in ("unreadable", "without_words", "capped", "canonical_refuted"):
            self.counts.count(name, self._dedup.counts[name])
        self.counts.tally.milliseconds = 1000 * self._dedup.seconds
        if self.counts.tally.pages:
            self.counts.set("seconds", round(self._dedup.seconds, 3))
        if self.settings.summary:
            self._log_summary()

    async def _engine_stopped(self) -> None:
        """End the run: all pipelines are closed and all feeds stored, as far as they can be."""
        failures = [*self._pipelines.failures(), *self._feeds.failures()]
        noted = False
        self._abandon.detach()
        try:
            saved = self.counts.get("links_not_followed")
            close = partial(
                ending.close, self._dedup, self._place, well=not failures, requests_saved=saved
            )
            await self._queue.run(close)
            noted = True
        except StoreError as error:
            self._watch.failed(error)
        except OverdueError:
            logger.error("The store was not closed within %g seconds", DEADLINE)  # noqa: TRY400 - no news
        if self._place.is_shared:
            ending.warn(self._dedup, failures, noted=noted)
        try:
            await self._queue.run(partial(ending.forget, self._place, self.settings))
        except StoreError as error:
            logger.error("%s: nothing was forgotten", error)  # noqa: TRY400 - no news
        except OverdueError:
            logger.warning("There was no time to forget all old pages; the next crawl goes on")
        self._queue.stop()
        delattr(self._crawler, _ATTRIBUTE)

    def _log_summary(self) -> None:
        lines = summary(
            self.counts.tally,
            self._dedup.store.name,
            unjudged=self.counts.get("unjudged"),
            dry_run=self.settings.dry_run,
        )
        logger.info("\n".join(lines), extra={"spider": self._crawler.spider})


def _length(page: Page) -> int:
    return len(page.html if page.html is not None else page.text or "")
