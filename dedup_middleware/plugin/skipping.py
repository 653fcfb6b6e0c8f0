"""Requests that need not be sent: decided, kept until that is known to be right, or released."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http.request import NO_CALLBACK

from dedup_middleware.errors import StoreError
from dedup_middleware.sites import Sites
from dedup_middleware.sites.exchange import installed_rules, read_rules
from dedup_middleware.sites.values import SEND
from dedup_middleware.text import printable
from dedup_middleware.urls import host_of

from .exceptions import SkippedRequest
from .observing import fetched, with_markup
from .waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page
    from dedup_middleware.settings import Settings
    from dedup_middleware.sites import Decision, Notice
    from dedup_middleware.store import Store
    from dedup_middleware.verdict import Verdict

    from .circuit_breaker import CircuitBreaker
    from .delivery import Delivery
    from .report import Counts

logger = logging.getLogger(__name__)

T = TypeVar("T")

META = "dedup_steps"
"""The key in `meta` of requests that are put into the queue by us: how often they were demoted."""
QUEUE = "dedup-skipped.sqlite"
PRIORITY_STEP = 100
MOST_AT_ONCE = 100  # requests that are released in one go
MOST_LINES = 1_000  # of the journal for each rule
MOST_TEXTS = 10_000  # that are remembered
_LEVELS = {
    "swallowed": logging.WARNING,
    "wall": logging.WARNING,
    "rule": logging.DEBUG,
    "back": logging.DEBUG,
}


class Skipped(NamedTuple):
    """A line of the journal about a request that was not sent."""

    url: str
    canonical: str
    rule: str
    reason: str
    more: int = 0
    """Requests skipped by the rule that have no line."""


class Skipping:
    """Decide about the requests of one crawl by what is known of their sites.

    A request is sent, skipped or demoted where it leaves the spider, and again before it is
    downloaded, as more may be known by then. What was skipped waits for the page that stands for
    it: it is sent if that page does not come, or if the rule turns out to be wrong.
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: Settings,
        store: Store,
        counts: Counts,
        breaker: CircuitBreaker,
        job: Path | None,
    ) -> None:
        self.sees_responses = False
        """Whether the spider middleware is there, by which the outcome of requests is known."""
        self.lines: list[Skipped] = []
        """What the journal is to say."""
        self._crawler = crawler
        self._counts = counts
        self._breaker = breaker
        self._is_on = settings.skip == "on" and not settings.dry_run
        # not among the files of a store: that may be elsewhere
        self._waiting = Waiting(job and job / QUEUE) if self._is_on or job else None
        paths = crawler.settings.getlist("DUD_LOAD_RULE_PATHS")
        self._sites = Sites(
            store,
            explore=settings.explore,
            salt=self._waiting.salt() if self._waiting else "",
            shape_budget=settings.shape_budget or None,
            priors=[*installed_rules(), *chain.from_iterable(map(read_rules, paths))],
        )
        self._sent: dict[str, bool] = {}
        """URLs of requests whose outcome is not known yet; True: they would have been skipped."""
        self._patterns: dict[bytes, str] = {}
        """What short pages show."""
        self._bare: dict[bytes, str] = {}
        """Pages without items by what they show: the store forgets them, but those that show the
        same are no other pages."""
        self._by_rule: Counter[str] = Counter()
        crawler.signals.connect(self._request_dropped, signals.request_dropped)
        crawler.signals.connect(self._spider_idle, signals.spider_idle)

    def from_spider(self, request: Request, response: Response) -> Request | None:
        """Return a request that a callback has yielded, demoted if need be; None to skip it."""
        if not self._is_on or not _may_skip(request):
            return request
        decision = self._consider(request, response.url)
        # other hosts may be turned away behind us
        if decision.action == "skip" and host_of(request.url) == host_of(response.url):
            return self._skip_unseen(request, decision)
        return self._demoted(request, decision.steps) if decision.steps else request

    def before_download(self, request: Request) -> Request | None:
        """Note that a request is sent, or return it with a lower priority.

        Raise SkippedRequest if it is not to be sent.
        """
        if not self.sees_responses or not _is_of_page(request):
            return None
        steps = request.meta.pop(META, None)
        if steps is not None:
            request.dont_filter = False
        decision = self._consider(request) if _may_skip(request) else SEND
        is_skip = decision.action == "skip"
        if is_skip and not self._is_on:
            self._count(request, decision)
        elif is_skip and self._skip(request, decision):
            raise SkippedRequest(decision.reason)
        elif self._is_on and decision.steps > (steps or 0):
            return self._demoted(request, decision.steps, steps or 0, dont_filter=True)
        self._counts.count("skip/explored", int(decision.explored))
        # nothing stands for the page of a trap, which may differ in digits only
        self._sent[request.url] = bool(decision.canonical) and (is_skip or decision.explored)
        if "redirect_urls" not in request.meta:  # else the first of them is on its way
            self._ask(partial(self._sites.sent, request.url))
        return None

    def failed(self, request: Request) -> None:
        """Note that a request brought no page: what waits for it is sent when all is quiet."""
        for url in _urls(request):
            self._failed(url)

    def judged(self, delivery: Delivery, page: Page, subject: Subject, verdict: Verdict) -> None:
        """Keep what is learned from a page until its items have ended."""
        request = delivery.response.request if delivery.response else None
        found = fetched(page, subject, verdict, _referrer(request) if request else "")
        if found.pattern and _add(self._patterns, found.pattern):
            found = with_markup(found, page.body)
            wall = self._ask(partial(self._sites.wall, found))
            delivery.cluster = (wall.looks_like or "one text under many URLs") if wall else ""
        delivery.digest = subject.fingerprint.digest if subject.comparable else b""
        if found.is_new and delivery.digest in self._bare:
            found = replace(found, page=self._bare[delivery.digest], kind="exact")
        delivery.fetched = found

    def page_ended(self, delivery: Delivery) -> None:
        """Learn from a page all of whose items have left the pipelines.

        Not before: what is known to be fetched, in this process or the next, must not get lost.
        """
        request = delivery.response.request if delivery.response else None
        page, delivery.fetched = delivery.fetched, None
        if page is None or delivery.is_lost:
            if request:
                self.failed(request)
            return
        if delivery.digest and page.is_new and not delivery.had_items:
            _add(self._bare, delivery.digest, page.page)
        urls = _urls(request)
        checks = [self._ended(url) for url in urls]
        if (
            len(urls) > 1 and (first := urls[0]) != page.url
        ):  # it was asked for, and led elsewhere: nothing stands for it
            self._ask(partial(self._sites.failed, first))
        if any(checks):
            self._counts.count("skip/checked")
            self._counts.count("skip/wrong", int(page.is_new))
        for notice in self._ask(partial(self._sites.observe, page)) or ():
            self._tell(notice)

    def send_released(self) -> None:
        """Send some of the requests that are released."""
        engine = self._crawler.engine
        if self._waiting and engine and engine.spider:
            for request in self._waiting.take(MOST_AT_ONCE, engine.spider):
                self._counts.count("skip/released")
                engine.crawl(request)

    def close(self) -> None:
        """Write what was learned, and count what has no lines in the journal."""
        for rule, number in self._by_rule.items():
            if number > MOST_LINES:
                self.lines.append(Skipped("", "", rule, "Not one by one.", number - MOST_LINES))
        self._ask(self._sites.flush)
        if self._waiting:
            self._waiting.close()
            self._waiting = None

    def _tell(self, notice: Notice) -> None:
        self._counts.count(f"sites/{notice.what}")
        self._counts.noted.note(notice)
        level = _LEVELS.get(notice.what, logging.INFO)
        logger.log(level, "%s", printable(notice.reason), extra={"spider": self._crawler.spider})
        if self._waiting and notice.rule and notice.what in ("refuted", "back"):
            self._waiting.release_rule(notice.rule.key)
            self.send_released()

    def _spider_idle(self) -> None:
        """Release what waits for pages that did not come; nothing is on its way."""
        for url in list(self._sent):
            self._failed(url)
        waiting = self._waiting
        if waiting is None:
            return
        self._ask(self._sites.flush)  # pages of other processes may speak against a rule
        for number, url, canonical in waiting.unsettled():
            # which is the page that linked to it, where that decides
            waiting.settle(number, is_there=self._decision(url, canonical).action == "skip")
        if waiting.to_send:
            self.send_released()
            raise DontCloseSpider

    def _request_dropped(self, request: Request) -> None:
        """Note that a redirect led to a request that the scheduler did not take."""
        for url in request.meta.get("redirect_urls", ()):
            self._failed(url)

    def _failed(self, url: str) -> None:
        if self._ended(url) is not None:
            self._ask(partial(self._sites.failed, url))

    def _ended(self, url: str) -> bool | None:
        """Note that the outcome of a request is known; return None if it was not sent."""
        if self._waiting:
            self._waiting.forget_sent(url)
        return self._sent.pop(url, None)

    def _consider(self, request: Request, referrer: str = "") -> Decision:
        return self._decision(request.url, referrer or _referrer(request))

    def _decision(self, url: str, referrer: str = "") -> Decision:
        return self._ask(partial(self._sites.consider, url, referrer)) or SEND

    def _ask(self, question: Callable[[], T]) -> T | None:
        """Return what is known of a site; None while the store fails."""
        if self._breaker.allows:
            try:
                return question()
            except StoreError as error:
                self._breaker.failed(error)
            except Exception:  # what is learned of a site must not break its crawl
                self._counts.count("sites/errors")
                logger.exception("Learning about a site failed; please report this")
        return None

    def _skip_unseen(self, request: Request, decision: Decision) -> Request | None:
        """Skip a request as if it came out of the queue: Scrapy's filter of duplicates knows it.

        So it is counted once, and not fetched again after it was released.
        """
        slot, spider = getattr(self._crawler.engine, "_slot", None), self._crawler.spider
        duplicates = getattr(getattr(slot, "scheduler", None), "df", None)
        if duplicates is None or spider is None:
            return request  # decided when it comes out of the queue
        if duplicates.request_seen(request):
            duplicates.log(request, spider)
            return None
        return None if self._skip(request, decision) else _marked(request, 0, dont_filter=True)

    def _skip(self, request: Request, decision: Decision) -> bool:
        """Keep a request instead of sending it; return False if it can't be kept."""
        rule, spider = decision.rule, self._crawler.spider
        if self._waiting is None or rule is None:
            return False
        key, canonical, reason = rule.key, decision.canonical, decision.reason
        # what the user limits is never released
        if rule.kind != "budget" and not self._waiting.add(key, canonical, request, spider):
            self._counts.count("skip/unkept")
            return False
        self._count(request, decision)
        logger.debug("Skipped %s: %s", printable(request.url), printable(reason))
        self._by_rule[key] += 1
        if self._by_rule[key] <= MOST_LINES:
            self.lines.append(Skipped(request.url, canonical, key, reason))
        return True

    def _count(self, request: Request, decision: Decision) -> None:
        tally = self._counts.tally
        usual = self._ask(partial(self._sites.usual_size, request.url))
        self._counts.count("skip/requests" if self._is_on else "skip/suggested")
        self._counts.count("skip/bytes", usual or tally.size // max(tally.pages, 1))
        if decision.rule:
            self._counts.count(f"skip/by/{decision.rule.kind}")

    def _demoted(
        self, request: Request, steps: int, before: int = 0, *, dont_filter: bool = False
    ) -> Request:
        self._counts.count("skip/demoted")
        marked = _marked(request, steps, dont_filter=dont_filter)
        return marked.replace(priority=request.priority - PRIORITY_STEP * (steps - before))


def _is_of_page(request: Request) -> bool:
    """Return True if the response is a page for the spider that is judged."""
    return not (
        request.method != "GET"
        or request.body
        or request.callback is NO_CALLBACK
        or request.meta.get("dedup") is False
    )


def _may_skip(request: Request) -> bool:
    return _is_of_page(request) and not (
        request.dont_filter
        or request.meta.get("is_start_request")
        or "redirect_urls" in request.meta  # the request that led to it is on its way
    )


def _add(texts: dict[bytes, str], text: bytes, url: str = "") -> bool:
    """Remember a text, and forget the oldest; return True if it was known."""
    is_known = text in texts
    texts[text] = url
    if len(texts) > MOST_TEXTS:
        del texts[next(iter(texts))]
    return is_known


def _urls(request: Request | None) -> list[str]:
    """Return the URL of a request, and of those that were redirected to it."""
    return [*request.meta.get("redirect_urls", ()), request.url] if request else []


def _referrer(request: Request) -> str:
    return (request.headers.get("Referer") or b"").decode("latin-1")


def _marked(request: Request, steps: int, *, dont_filter: bool) -> Request:
    meta = {**request.meta, META: steps}
    return request.replace(meta=meta, dont_filter=dont_filter)
