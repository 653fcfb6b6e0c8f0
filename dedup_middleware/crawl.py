"""What one crawl shares: deduplicator, worker thread, counts, and pages that await delivery."""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import signals as scrapy_signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from . import signals
from .compare.sentences import refine
from .deduplicator import Deduplicator, TooMuchWork
from .errors import StoreError
from .fingerprint.characters import tables
from .settings import Settings
from .store.records import url_key
from .store.runs import new_run_id
from .verdict import Action, Kind
from .worker import Worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from .page import Page
    from .verdict import Verdict

logger = logging.getLogger(__name__)

RECENT_PAGES = 10_000
SMALL_PAGE = 100_000  # characters; reading and judging it takes a few milliseconds
FEW_COMPARISONS = 2
_NO_ACTIONS: dict[Kind, Action] = {}


class Judged:
    """A page of this crawl: its verdict, and how its items fare."""

    def __init__(self, verdict: Verdict, action: Action) -> None:
        self.verdict = verdict
        self.action = action
        self.items = 0
        """Items on their way through the pipelines, and one while the callback may yield more."""
        self.settled = verdict.number is None
        """Whether it was delivered or withdrawn; what is not registered needs neither."""

    @property
    def tag(self) -> dict[str, Any]:
        """The verdict in the form in which items and meta carry it."""
        verdict = self.verdict
        return {
            "kind": str(verdict.kind),
            "original": verdict.original,
            "score": verdict.score,
            "reason": verdict.reason,
            "action": str(self.action),
        }


class Crawl:
    """One for each crawler; pipeline and spider middleware use the same."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = Settings.from_scrapy(crawler.settings)
        if not self.settings.enabled:
            raise NotConfigured("DEDUP_ENABLED is False")
        self._crawler = crawler
        self._worker = Worker(first=_warm_up)
        self._failed = False
        self._by_response: WeakKeyDictionary[Response, Judged] = WeakKeyDictionary()
        self._claims: dict[int, tuple[Any, Judged | None]] = {}
        self._recent: OrderedDict[bytes, tuple[Page, Judged]] = OrderedDict()
        self._delivered: list[int] = []
        self._lost: list[int] = []
        spider = crawler.spidercls.name or "spider"
        run = new_run_id()
        store = self._store_path(spider, run)
        self._dedup = Deduplicator(store, run=run, spider=spider, settings=self.settings)
        for handler, signal in (
            (self._item_scraped, scrapy_signals.item_scraped),
            (self._item_lost, scrapy_signals.item_dropped),
            (self._item_lost, scrapy_signals.item_error),
            (self._spider_closed, scrapy_signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        self._set("store", str(self._dedup.store.path))
        self._set("journal", str(self._dedup.journal.path))
        logger.info("Judging pages, store: %s", self._dedup.store.path)

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl:
        """Give the one of a crawler, opened now if this is the first time."""
        if crawler not in _crawls:
            _crawls[crawler] = cls(crawler)
        return _crawls[crawler]

    async def judge_response(
        self, page: Page, response: Response, actions: Mapping[Kind, Action]
    ) -> Judged | None:
        """Judge the page of a response; None if the store has failed."""
        judged = await self._judge(page, response, actions, once=False)
        if judged:
            judged.items += 1  # until the callback has ended
            self._by_response[response] = judged
        return judged

    async def judge_item(self, page: Page) -> Judged | None:
        """Judge the page of an item; items of one page share the judgement."""
        judged = await self._judge(page, None, _NO_ACTIONS, once=True)
        if judged:
            judged.items += 1
        return judged

    def expect(self, item: object, judged: Judged | None) -> None:
        """Note an item that will come to the pipeline, and what was said of its page."""
        self._claims[id(item)] = (item, judged)
        if judged:
            judged.items += 1

    def claim(self, item: object) -> tuple[bool, Judged | None]:
        """Tell whether an item was announced, and what was said of its page."""
        known, judged = self._claims.pop(id(item), (None, None))
        return known is item, judged

    def ended(self, judged: Judged, items: list[object]) -> None:
        """Note that a callback yields no more."""
        self._one_less(judged)
        if not judged.items:
            for item in items:  # those that a pipeline before ours has replaced or dropped
                self._claims.pop(id(item), None)

    def count(self, name: str) -> None:
        if self._crawler.stats:
            self._crawler.stats.inc_value(f"dedup/{name}")

    async def _judge(
        self, page: Page, response: Response | None, actions: Mapping[Kind, Action], *, once: bool
    ) -> Judged | None:
        if self._failed:
            self.count("unjudged")
            return None
        try:
            judged, new = await self._judge_somewhere(page, actions, once)
        except StoreError as error:
            self._store_failed(error)
            self.count("unjudged")
            return None
        if new:
            self._count_page(judged)
            self._crawler.signals.send_catch_log(
                signals.page_judged,
                verdict=judged.verdict,
                url=page.url,
                response=response,
                spider=self._crawler.spider,
            )
        return judged

    async def _judge_somewhere(
        self, page: Page, actions: Mapping[Kind, Action], once: bool
    ) -> tuple[Judged, bool]:
        """Judge a small page at once, if nobody is before it; others beside the event loop.

        Two threads that both want the interpreter get in each other's way, so that small pages
        cost a crawl less here. Pages are judged in the order of arrival either way.
        """
        if self._worker.idle and len(page.html or page.text or "") <= SMALL_PAGE:
            with suppress(TooMuchWork):
                return self._judge_now(page, actions, once, FEW_COMPARISONS)
        return await self._worker.ask(self._judge_now, page, actions, once)

    def _judge_now(
        self, page: Page, actions: Mapping[Kind, Action], once: bool, budget: int | None = None
    ) -> tuple[Judged, bool]:
        self._settle()
        key = url_key(page.url) if once else b""
        known, judged = self._recent.get(key, (None, None))
        if known and judged and (known.html, known.text) == (page.html, page.text):
            return judged, False
        verdict = self._dedup.process(page, pending=True, budget=budget)
        action = actions.get(verdict.kind, verdict.action)
        if self.settings.dry_run and action is Action.DROP:
            action = Action.TAG
        judged = Judged(verdict, action)
        if once:
            self._recent[key] = (page, judged)
            while len(self._recent) > RECENT_PAGES:
                self._recent.popitem(last=False)
        return judged, True

    def _item_scraped(self, item: object, response: Response | None) -> None:
        judged = self._judged_of(item, response)
        if judged:
            if not judged.settled and judged.verdict.number is not None:
                judged.settled = True
                self._delivered.append(judged.verdict.number)
                self.count("delivered")
            self._one_less(judged)

    def _item_lost(self, item: object, response: Response | None) -> None:
        judged = self._judged_of(item, response)
        if judged:
            self._one_less(judged)

    def _one_less(self, judged: Judged) -> None:
        judged.items -= 1
        if not judged.items and not judged.settled and judged.verdict.number is not None:
            judged.settled = True
            self._lost.append(judged.verdict.number)
            self.count("withdrawn")

    def _judged_of(self, item: object, response: Response | None) -> Judged | None:
        """Find the page of an item that has left the pipelines, perhaps as another object."""
        judged = self._by_response.get(response) if response is not None else None
        if judged:
            return judged
        urls: list[Any] = [response.url] if response is not None else []
        if ItemAdapter.is_item(item):
            urls.insert(0, ItemAdapter(item).get(self.settings.url_field))
        for url in urls:
            if isinstance(url, str) and (found := self._recent.get(url_key(url))):
                return found[1]
        return None

    def _settle(self) -> None:
        """Deliver and withdraw what has been decided since the last time."""
        delivered, self._delivered = self._delivered, []
        lost, self._lost = self._lost, []
        self._dedup.settle(delivered=delivered, withdrawn=lost)
        if lost:
            gone = set(lost)
            for key, (_, judged) in list(self._recent.items()):
                if judged.verdict.number in gone:
                    del self._recent[key]

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
        for job in (self._settle, self._dedup.close):
            try:
                await self._worker.ask(job)
            except StoreError as error:
                self._store_failed(error)
        self._worker.finish()
        _crawls.pop(self._crawler, None)

    def _count_page(self, judged: Judged) -> None:
        verdict = judged.verdict
        self.count("pages")
        self.count(f"verdict/{verdict.kind}")
        self.count(f"action/{judged.action}")
        self.count(f"stage/{verdict.evidence.stage}")
        for name in ("unreadable", "without_words", "capped"):
            if self._dedup.counts[name]:
                self._set(name, self._dedup.counts[name])

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
        return Path(data_path(f"dedup/{folder}/{run}"))


def _warm_up() -> None:
    """Load and make what the first page would have to wait for."""
    tables()
    refine("warm")


_crawls: WeakKeyDictionary[Crawler, Crawl] = WeakKeyDictionary()
