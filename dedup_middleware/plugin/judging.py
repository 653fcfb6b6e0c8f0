"""The judgement of a page for all its items, and the proof that a dropped page has an original."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.group import Case
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action

from . import signals
from .circuit_breaker import close_spider
from .queue import Event
from .reading import reading_of

if TYPE_CHECKING:
    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page

    from .crawl import Crawl
    from .delivery import Delivery

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
LARGEST_AT_ONCE = 1 << 19  # bytes or characters of a page that may hold the event loop


class Judging:
    """Judge the pages of one crawl, in the order in which they arrive."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._crawler = crawl.crawler
        self._settings = crawl.settings
        self._counts = crawl.counts
        self._deliveries = crawl.deliveries
        self._dedup = crawl.dedup
        self._queue = crawl.queue
        self._breaker = crawl.breaker
        self._skipping = crawl.skipping
        self._new = 0
        """Pages that show something new."""

    async def judge_item(self, item: object, page: Page) -> Delivery:
        """Judge the page of an item; items with the same URL and content share the judgement."""
        delivery, is_new = self._deliveries.enter(item, page)
        if is_new:
            await self.judge(delivery, page)
        elif delivery.is_judging:
            await delivery.wait(self._settings.patience)
        return delivery

    async def judge(self, delivery: Delivery, page: Page) -> bool:
        """Judge a page for all its items, anew if its original is gone.

        Return False if its original is no other one, or there is no verdict: that must not cost the
        page.
        """
        if not self._breaker.allows:
            self._counts.count("unjudged")
            return False
        if self._deliveries.withdrawn:  # such pages must not match
            self._crawl.settle()
        # what is delivered, a later run should know after a crash
        delivered = self._crawl.take_delivered() if self._crawl.location.is_shared else []
        before, requested = delivery.receipt, delivery.requested
        response = None if before else delivery.response
        reading = reading_of(response, self._dedup) if response else None
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
            self._dedup.judge_all,
            case,
            at_once=self._crawl.at_once and len(page.html or page.text or "") <= LARGEST_AT_ONCE,
            late=partial(self._undo, page),
        )
        receipt: Receipt | None = None
        delivery.is_judging = True
        try:
            receipt = await self._breaker.ask(job, page.url)
        except Exception:
            logger.exception("Not judged, passed on: %s", printable(page.url))
            self._counts.count("errors")
        finally:
            self._decided(delivery, page, receipt)
        if receipt is None:
            self._counts.count("unjudged")
            self._deliveries.delivered.extend(delivered)
            return False
        self._breaker.succeeded()
        if self._skipping:
            await self._skipping.judged(delivery, page, subjects[-1], receipt.verdict)
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
        if self._new == self._settings.close_after_new:
            close_spider(self._crawler, "dedup_close_after_new")

    def _decided(self, delivery: Delivery, page: Page, receipt: Receipt | None) -> None:
        """Put another verdict, if there is one, in the place of that before; items wait for it."""
        delivery.is_judging = False
        if receipt:
            if delivery.verdict:
                self._counts.decided(page, delivery.verdict, times=-1)
            self._counts.decided(page, receipt.verdict)
            self._deliveries.judged(delivery, receipt)
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
                await delivery.wait(self._settings.patience)
                continue
            status = await self._status(delivery, receipt)
            if status == "delivered":
                break
            is_renewed = delivery.is_judging or delivery.receipt is not receipt  # by another item
            if status == "pending":
                self._counts.count("unconfirmed")
                if not is_renewed:
                    await self._overrule(delivery, page, receipt)
                return False
            if not is_renewed and not await self.judge(delivery, page):
                return False
        return True

    async def _status(self, delivery: Delivery, receipt: Receipt) -> str:
        """Wait until a page's original is delivered or gone; pending if that takes too long."""
        number, left = receipt.original, self._settings.patience
        original = self._deliveries.pending(number)
        if original and original is not delivery:
            await original.wait(left)
            return self._deliveries.status(number) or "pending"
        status = self._deliveries.status(number)
        if status or number is None or not receipt.in_doubt:
            return status or "delivered"
        while True:  # as a rule it is of another run
            status = await self._breaker.ask(self._queue.run(partial(self._dedup.status, number)))
            if status != "pending" or left <= 0:
                return status or "pending"
            await Event().wait(min(left, POLL_SECONDS))
            left -= POLL_SECONDS

    async def _overrule(self, delivery: Delivery, page: Page, receipt: Receipt) -> None:
        """Let a page pass whose original was not delivered in time, and overrule the drop."""
        reason = (
            f"It passes: {printable(receipt.verdict.original or 'its original')} was not delivered "
            f"within {self._settings.patience:g} seconds. {receipt.verdict.reason}"
        )
        job = partial(self._dedup.overrule, page.url, receipt, reason, page.size)
        renewed: Receipt | None = None
        delivery.is_judging = True
        try:
            renewed = await self._breaker.ask(self._queue.run(job, at_once=self._crawl.at_once))
        finally:
            self._decided(delivery, page, renewed)

    def _undo(self, page: Page, receipt: Receipt) -> None:
        """Overrule a verdict that came too late: the page has passed, and nobody follows it."""
        with suppress(StoreError):  # it fails again for the next page
            if receipt.verdict.action is Action.DROP:
                reason = f"It passes: judging took too long. {receipt.verdict.reason}"
                self._dedup.overrule(page.url, receipt, reason, page.size)
            self._dedup.settle(withdrawn=[receipt.number])
