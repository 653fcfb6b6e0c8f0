"""What one crawl shares: the process that judges its pages, the items on their way, counts."""

from __future__ import annotations

import logging
import re
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.figures import Figures
from dedup_middleware.inspect.overrides import project_list
from dedup_middleware.settings import Settings
from dedup_middleware.store.runs import new_run_id
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action

from . import signals
from .summary import summary
from .tracking import Judged, Tracker
from .worker import Signal, Worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.page import Page
    from dedup_middleware.verdict import Kind, Verdict

logger = logging.getLogger(__name__)

MOST_UNTOLD = 32  # deliveries that a crash of the process may forget: those pages pass again
_RESERVED = {"scan", "shared"}
_ATTRIBUTE = "_dedup_crawl"


class Crawl:
    """One for each crawler; pipeline and spider middleware use the same."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        self.tracker = Tracker(self.settings.url_field)
        self._crawler = crawler
        self._failed = False
        spider = crawler.spidercls.name or "spider"
        run = new_run_id()
        store = self._store_path(spider, run)
        self._worker = Worker(
            store=store, run=run, spider=spider, restored=project_list(), settings=self.settings
        )
        self._figures = Figures()
        weakref.finalize(self, self._worker.abandon)
        for handler, signal in (
            (self._item_scraped, scrapy_signals.item_scraped),
            (self._item_lost, scrapy_signals.item_dropped),
            (self._item_lost, scrapy_signals.item_error),
            (self._spider_closed, scrapy_signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        self._set("store", self._worker.store)
        self._set("journal", self._worker.journal)
        logger.info("Judging pages, store: %s", self._worker.store)
        if self.settings.method != "cascade":
            from dedup_middleware.methods import method_class  # brings numpy with it

            place = "the store" if method_class(self.settings.method).in_store else "memory"
            logger.info("Alike is what %s finds; index in %s", self.settings.method, place)

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl:
        """Give the one of a crawler, opened now if this is the first time."""
        crawl: Crawl | None = getattr(crawler, _ATTRIBUTE, None)
        if crawl is None:
            crawl = cls(crawler)
            # there, and in no table of ours: a crawler that fails at start must be let go
            setattr(crawler, _ATTRIBUTE, crawl)
        return crawl

    async def judge_response(
        self, page: Page, response: Response, actions: Mapping[Kind, Action]
    ) -> Judged | None:
        """Judge the page of a response, for all its items; None if that can't be done."""
        verdict = await self._judge(page, response, actions)
        if verdict is None:
            return None
        judged = Judged(page, verdict, actions)
        self.tracker.add(judged, response)
        return judged

    def let_be(self, response: Response) -> Judged:
        """Follow the items of a response that is not to be judged."""
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
            verdict = await self._judge(page, None, {})
            if verdict:
                self.tracker.renew(judged, verdict)
            judged.renewal.set()
            judged.renewal = None
            return judged
        self.tracker.expect(item, judged)
        if judged.renewal:
            await judged.renewal.wait(self.settings.patience)
        return judged

    async def confirm(self, judged: Judged, page: Page) -> bool:
        """Make sure that a page is dropped only for one that is delivered, else judge it again.

        Its original may still be in the pipelines, and be lost there; then it is not known from
        anywhere. False if the answer takes too long, or lies with another run: the page passes.
        """
        while judged.verdict and judged.action is Action.DROP and judged.redundant:
            number = judged.verdict.original_number
            original = self.tracker.unsettled(number)
            if judged.renewal:
                await judged.renewal.wait(self.settings.patience)
            elif original and original is not judged:
                if not await original.settled.wait(self.settings.patience):
                    self.count("unconfirmed")
                    return False
            elif self.tracker.is_gone(number):
                judged.renewal = Signal()
                verdict = await self._judge(page, None, judged.actions)
                if verdict:
                    self._enter(page, judged.verdict, -1)  # it was not dropped
                    self.tracker.renew(judged, verdict)
                judged.renewal.set()
                judged.renewal = None
                if not verdict or verdict.original_number == number:
                    return False
            elif judged.verdict.original_in_doubt:
                self.count("unconfirmed")
                return False
            else:
                break
        return True

    def count(self, name: str) -> None:
        self._add(name, 1)

    async def _judge(
        self, page: Page, response: Response | None, actions: Mapping[Kind, Action]
    ) -> Verdict | None:
        """Judge a page; None if that can't be done, which must not cost the page."""
        if self._failed:
            self.count("unjudged")
            return None
        try:
            self._settle()
            verdict: Verdict = await self._worker.ask("judge", page, actions)
        except StoreError as error:
            self._store_failed(error)
            self.count("unjudged")
            return None
        except Exception:
            logger.exception("Not judged, passed on: %s", printable(page.url))
            self.count("errors")
            self.count("unjudged")
            return None
        self._count_page(page, verdict)
        self._crawler.signals.send_catch_log(
            signals.page_judged,
            verdict=verdict,
            url=page.url,
            response=response,
            spider=self._crawler.spider,
        )
        return verdict

    def _settle(self) -> None:
        """Tell the store what was delivered and withdrawn since the last time."""
        tracker = self.tracker
        delivered, tracker.delivered = tracker.delivered, []
        withdrawn, tracker.withdrawn = tracker.withdrawn, []
        if delivered or withdrawn:
            self._add("delivered", len(delivered))
            self._add("withdrawn", len(withdrawn))
            self._worker.tell("settle", delivered, withdrawn)

    def _item_scraped(self, item: object, response: object) -> None:
        self.tracker.scraped(item, response)
        if len(self.tracker.delivered) >= MOST_UNTOLD:
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
        try:
            self._settle()
            counts = await self._worker.ask("close")
            for name in ("unreadable", "without_words", "capped"):
                self._add(name, counts.get(name, 0))
            self._figures.milliseconds = 1000 * counts["seconds"]
            if self._figures.pages:
                self._set("seconds", counts["seconds"])
        except StoreError as error:
            self._store_failed(error)
        await run_in_thread(self._worker.finish)
        if self.settings.summary:
            self._sum_up()
        delattr(self._crawler, _ATTRIBUTE)

    def _sum_up(self) -> None:
        stats = self._crawler.stats
        lines = summary(
            self._figures,
            self._worker.store,
            unjudged=stats.get_value("dedup/unjudged", 0) if stats else 0,
            dry_run=self.settings.dry_run,
        )
        logger.info("\n".join(lines), extra={"spider": self._crawler.spider})

    def _count_page(self, page: Page, verdict: Verdict) -> None:
        self._enter(page, verdict, 1)
        self.count("pages")
        self.count(f"verdict/{verdict.kind}")
        self.count(f"action/{verdict.action}")
        self.count(f"stage/{verdict.evidence.stage}")

    def _enter(self, page: Page, verdict: Verdict, times: int) -> None:
        """Enter a page into what the end of the crawl tells, or take it out: it is judged again."""
        size, figures = times * page.size, self._figures
        figures.pages += times
        figures.verdicts[str(verdict.kind)] += times
        figures.size += size
        self._add("bytes/judged", size)
        if verdict.action is Action.DROP:
            figures.dropped[str(verdict.kind)] += times
            figures.saved += size
            self._add("bytes/dropped", size)

    def _add(self, name: str, number: int) -> None:
        if self._crawler.stats and number:
            self._crawler.stats.inc_value(f"dedup/{name}", number)

    def _set(self, name: str, value: object) -> None:
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
        return Path(data_path(f"dedup/{folder}{'_' * (folder in _RESERVED)}/{run}"))
