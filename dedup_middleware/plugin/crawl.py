"""What the components of one crawl share: the judging process, the items on their way, counts."""

from __future__ import annotations

import logging
import re
import sys
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call, run_in_thread
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.journal import Tally
from dedup_middleware.judge.overrides import NAME as OVERRIDES
from dedup_middleware.settings import Settings
from dedup_middleware.store.prune import RESERVED, prune
from dedup_middleware.store.runs import new_run_id
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action

from . import signals
from .failure import fail
from .summary import summary
from .tracking import Judged, Tracker
from .worker import Signal, Worker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.page import Page
    from dedup_middleware.verdict import Kind

logger = logging.getLogger(__name__)

MOST_UNSETTLED = 32  # deliveries that a crash of the process may forget: those pages pass again
SETTLE_SECONDS = 1.0  # how long another run may wait for a delivery to be written down
POLL_SECONDS = 0.25
NO_CRAWL = {f"scrapy.commands.{name}" for name in ("bench", "fetch", "parse", "shell")}
"""Commands that fetch a page or two, and for which no store is made."""
_ATTRIBUTE = "_dedup_crawl"


class Crawl:
    """One for each crawler; pipeline and spider middleware use the same."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        if _is_no_crawl():
            raise NotConfigured  # without a word: nobody asked for dedup here
        self.tracker = Tracker(self.settings.url_field)
        self.tally = Tally()
        self._crawler = crawler
        self._failed = False
        self._spider_folder: Path | None = None
        """Where the stores of this spider's runs are, if this run has one of its own."""
        spider = crawler.spidercls.name or "spider"
        run = new_run_id()
        self._worker = Worker(
            store=self._store_path(spider, run),
            run=run,
            spider=spider,
            overrides=Path(data_path("dedup")) / OVERRIDES,
            settings=self.settings,
        )
        weakref.finalize(self, self._worker.abandon)
        self._settling = create_looping_call(self._settle)
        for handler, signal in (
            (self._spider_opened, scrapy_signals.spider_opened),
            (self._item_scraped, scrapy_signals.item_scraped),
            (self._item_lost, scrapy_signals.item_dropped),
            (self._item_lost, scrapy_signals.item_error),
            (self._spider_closed, scrapy_signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        self._set("store", self._worker.store)
        self._set("journal", self._worker.journal)
        logger.debug("Judging pages, store: %s", self._worker.store)
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
    ) -> Judged | None:
        """Judge the page of a response, for all its items; None if that can't be done."""
        receipt = await self._judge(page, response, wishes)
        if receipt is None:
            return None
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

        Its original may still be in the pipelines, of this run or of another, and be lost there;
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
            elif receipt.in_doubt and receipt.original is not None:
                status = await self._await_other_run(receipt.original)
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

    async def _await_other_run(self, number: int) -> str:
        """Wait until a page that is pending in another run is delivered or gone."""
        left = self.settings.patience
        while True:
            try:
                status: str = await self._worker.ask("status", number)
            except StoreError as error:
                self._store_failed(error)
                return "pending"
            if status != "pending" or left <= 0:
                return status
            await Signal().wait(min(left, POLL_SECONDS))
            left -= POLL_SECONDS

    async def _take_back(self, judged: Judged, page: Page) -> None:
        """Let a page pass whose original was not delivered in time, and overrule the drop."""
        self.count("unconfirmed")
        before = judged.receipt
        if before is None:
            return
        seconds = self.settings.patience
        reason = (
            f"It passes: {printable(before.verdict.original or 'its original')} was not delivered "
            f"within {seconds:g} seconds. {before.verdict.reason}"
        )
        try:
            judged.receipt = await self._worker.ask("take_back", page, before, reason)
        except StoreError as error:
            self._store_failed(error)
            return
        self._count(page, before, times=-1)
        self._count(page, judged.receipt)

    def count(self, name: str, number: int = 1) -> None:
        if self._crawler.stats and number:
            self._crawler.stats.inc_value(f"dedup/{name}", number)

    async def _judge(
        self,
        page: Page,
        response: Response | None,
        wishes: Mapping[Kind, Action],
        overruled: Receipt | None = None,
    ) -> Receipt | None:
        """Judge a page; None if that can't be done, which must not cost the page."""
        if self._failed:
            self.count("unjudged")
            return None
        try:
            self._settle()
            sequence = overruled.sequence if overruled else None
            receipt: Receipt = await self._worker.ask("judge", page, wishes, sequence)
        except StoreError as error:
            self._store_failed(error)
            self.count("unjudged")
            return None
        except Exception:
            logger.exception("Not judged, passed on: %s", printable(page.url))
            self.count("errors")
            self.count("unjudged")
            return None
        if overruled:
            self._count(page, overruled, times=-1)
        self._count(page, receipt)
        self._crawler.signals.send_catch_log(
            signals.page_judged,
            verdict=receipt.verdict,
            url=page.url,
            response=response,
            spider=self._crawler.spider,
        )
        return receipt

    def _count(self, page: Page, receipt: Receipt, times: int = 1) -> None:
        verdict = receipt.verdict
        self.tally.add(
            str(verdict.kind),
            str(verdict.action),
            verdict.evidence.stage,
            size=page.size,
            times=times,
        )
        for name, number in self.tally.stats().items():
            self._set(name, number)

    def _settle(self) -> None:
        """Tell the store what was delivered and withdrawn since the last time."""
        tracker = self.tracker
        delivered, tracker.delivered = tracker.delivered, []
        withdrawn, tracker.withdrawn = tracker.withdrawn, []
        if delivered or withdrawn:
            self.count("delivered", len(delivered))
            self.count("withdrawn", len(withdrawn))
            self._worker.tell("settle", delivered, withdrawn)

    def _spider_opened(self) -> None:
        self._settling.start(SETTLE_SECONDS, now=False)

    def _item_scraped(self, item: object, response: object) -> None:
        self.tracker.scraped(item, response)
        if len(self.tracker.delivered) >= MOST_UNSETTLED:
            self._settle()

    def _item_lost(self, item: object, response: object) -> None:
        self.tracker.lost(item, response)

    def _store_failed(self, error: StoreError) -> None:
        if self._failed:
            return
        self._failed = True
        self.count("store_errors")
        stop = self.settings.on_store_error == "stop"
        way = "the crawl stops" if stop else "the crawl goes on, pages pass without being judged"
        logger.error("%s: %s", error, way)
        if stop and self._crawler.engine:
            # not awaited: closing waits for the responses that are being judged
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="dedup_store_error"))

    async def _spider_closed(self) -> None:
        if self._settling.running:
            self._settling.stop()
        try:
            self._settle()
            counts = await self._worker.ask("close")
            for name in ("unreadable", "without_words", "capped"):
                self.count(name, counts.get(name, 0))
            self.tally.milliseconds = 1000 * counts["seconds"]
            if self.tally.pages:
                self._set("seconds", counts["seconds"])
        except StoreError as error:
            self._store_failed(error)
        await run_in_thread(self._finish)
        if self.settings.summary:
            self._log_summary()
        delattr(self._crawler, _ATTRIBUTE)

    def _finish(self) -> None:
        self._worker.finish()
        if self._spider_folder:
            prune(self._spider_folder, self.settings.keep_runs)

    def _log_summary(self) -> None:
        stats = self._crawler.stats
        lines = summary(
            self.tally,
            self._worker.store,
            unjudged=stats.get_value("dedup/unjudged", 0) if stats else 0,
            dry_run=self.settings.dry_run,
        )
        logger.info("\n".join(lines), extra={"spider": self._crawler.spider})

    def _set(self, name: str, value: Any) -> None:
        if self._crawler.stats:
            self._crawler.stats.set_value(f"dedup/{name}", value)

    def _store_path(self, spider: str, run: str) -> Path:
        scope = "run" if self.settings.dry_run else self.settings.scope
        if scope == "shared":
            return Path(data_path("dedup/shared"))
        if scope != "run":
            return Path(scope)
        job = None if self.settings.dry_run else job_dir(self._crawler.settings)
        if job:
            return Path(job, "dedup")
        folder = re.sub(r"[^\w.-]", "_", spider)
        self._spider_folder = Path(data_path(f"dedup/{folder}{'_' * (folder in RESERVED)}"))
        return self._spider_folder / run


def _is_no_crawl() -> bool:
    """Return True below a Scrapy command that is no crawl: it is somewhere up the stack."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  # Scrapy does not say which command runs
    while frame:
        if frame.f_globals.get("__name__") in NO_CRAWL:
            return True
        frame = frame.f_back
    return False
