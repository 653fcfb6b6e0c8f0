"""Requests that need not be sent: decided, kept until that is known to be right, or released."""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http.request import NO_CALLBACK

from dedup_middleware.sites import Sites
from dedup_middleware.sites.values import SEND
from dedup_middleware.text import printable

from .exceptions import SkippedRequest
from .sites import Observer, SiteQuestions
from .skipped_requests import skips

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page
    from dedup_middleware.sites import Decision, Fetched, Notice
    from dedup_middleware.verdict import Verdict

    from .crawl import Crawl
    from .delivery import Delivery

logger = logging.getLogger(__name__)

META = "dedup_steps"
"""The key in `meta` of requests that are put into the queue again: by how many steps demoted."""
PRIORITY_STEP = 100
MOST_LINES = 1_000  # of the journal for each rule
_LEVELS = {
    "swallowed": logging.WARNING,
    "wall": logging.WARNING,
    "rule": logging.DEBUG,
    "back": logging.DEBUG,
}


class Skipping:
    """Decide about the requests of one crawl by what is known of their sites.

    A request is sent, skipped or demoted right before it would be downloaded, when most is known.
    What was skipped waits for the page that stands for it: it is sent if that page does not come,
    or if the rule turns out to be wrong.
    """

    def __init__(self, crawl: Crawl) -> None:
        settings = crawl.settings
        self.sees_responses = False
        """Whether the spider middleware is there, by which the outcome of requests is known."""
        self._crawler = crawl.crawler
        self._dedup = crawl.dedup
        self._counts = crawl.counts
        self._questions = SiteQuestions(crawl)
        self._skipped = crawl.skipped
        self._is_on = skips(settings)
        self._sites = Sites(
            crawl.dedup.store,
            explore=settings.explore,
            salt=crawl.skipped.salt if crawl.skipped else "",
            shape_budget=settings.shape_budget or None,
        )
        self._lines: list[tuple[Any, ...]] = []
        """What the journal is to say, as arguments of `Deduplicator.note_skipped`."""
        self._sent: dict[str, str] = {}
        """URLs of requests whose outcome is not known yet, and the kind of the rule by which they
        would have been skipped; empty if there is none."""
        self._observer = Observer()
        self._by_rule: Counter[str] = Counter()
        self._releases = 0
        """How often what was skipped by a rule has been released."""
        self._is_looking = False
        """Whether it is being asked for what skipped requests wait."""
        self._crawler.signals.connect(self._request_dropped, signals.request_dropped)
        self._crawler.signals.connect(self._spider_idle, signals.spider_idle)

    async def before_download(self, request: Request) -> Request | None:
        """Note that a request is sent, or return it with a lower priority.

        Raise SkippedRequest if it is not to be sent.
        """
        if not self.sees_responses or not _is_of_page(request):
            return None
        steps = request.meta.pop(META, None)
        if steps is not None:
            request.dont_filter = False
        question = partial(
            self._send,
            request.url,
            may_skip=_may_skip(request),
            is_first="redirect_urls" not in request.meta,  # else that is on its way
            steps=steps or 0,
        )
        if not self._is_on:  # nothing keeps it from being sent
            self._sent[request.url] = ""
            self._questions.ask(question, partial(self._suggest, request.url))
            return None
        found = await self._consider(question)
        if found.action == "skip":
            if self._skip(request, found):
                raise SkippedRequest(found.reason)
            self._questions.ask(partial(self._sites.sent, request.url))
        elif found.steps > (steps or 0):
            return self._demoted(request, found.steps, steps or 0)
        self._note_sent(request.url, found)
        return None

    def failed(self, request: Request) -> None:
        """Note that a request brought no page: what waits for it is sent when all is quiet."""
        for url in _urls(request):
            self._failed(url)

    async def judged(
        self, delivery: Delivery, page: Page, subject: Subject, verdict: Verdict
    ) -> None:
        """Keep what is learned from a page until its items have ended."""
        request = delivery.response.request if delivery.response else None
        referrer = _referrer(request) if request else ""
        found, may_be_wall = self._observer.judged(page, subject, verdict, referrer)
        if may_be_wall:
            wall = await self._questions.answer(partial(self._sites.wall, found))
            delivery.cluster = (wall.looks_like or "one text under many URLs") if wall else ""
        delivery.digest = subject.fingerprint.digest if subject.comparable else b""
        delivery.fetched = self._observer.without_bare(found, delivery.digest)

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
        if not delivery.had_items:
            self._observer.note_bare(page, delivery.digest)
        urls = _urls(request)
        checks = [kind for url in urls if (kind := self._ended(url))]
        if urls[1:] and urls[0] != page.url:  # it led elsewhere: nothing stands for it
            self._questions.ask(partial(self._sites.failed, urls[0]))
        question = partial(self._learn, page, delivery.links)
        self._questions.ask(question, partial(self._learned, checks))

    async def close(self) -> None:
        """Write what was learned, and count what has no lines in the journal."""
        for rule, number in self._by_rule.items():
            if number > MOST_LINES:
                self._note("", "", rule, "Not one by one.", number - MOST_LINES)
        await self._questions.answer(self._sites.flush)

    def _send(self, url: str, *, may_skip: bool, is_first: bool, steps: int) -> Decision:
        """Ask what is known of a URL, and note that it is sent unless that speaks against it."""
        found = self._sites.consider(url) if may_skip else SEND
        is_held = found.action == "skip" or found.steps > steps
        if is_first and not (self._is_on and is_held):
            self._sites.sent(url)
        return found

    async def _consider(self, question: Callable[[], Decision]) -> Decision:
        """Return what is done with a request; it is sent while the store fails."""
        while True:
            releases = self._releases
            found = await self._questions.answer(question)
            # or nobody would release it any more
            if found is None or found.action != "skip" or self._releases == releases:
                return found or SEND

    def _suggest(self, url: str, found: Decision | None) -> None:
        """Count a request that was sent, though it need not have been."""
        if found and found.action == "skip":
            self._count(url, found)
        if found and url in self._sent:
            self._note_sent(url, found)

    def _note_sent(self, url: str, found: Decision) -> None:
        self._counts.count("skip/explored", int(found.explored))
        is_check = found.action == "skip" or found.explored
        self._sent[url] = found.rule.kind if found.rule and is_check else ""

    def _learn(self, page: Fetched, links: set[str]) -> tuple[bool, list[Notice]]:
        """Learn from a page and its links; return True if it is new, too."""
        page = self._sites.followed(page, links)
        return page.is_new, self._sites.observe(page)

    def _learned(self, checks: list[str], learned: tuple[bool, list[Notice]] | None) -> None:
        is_new, notices = learned or (False, [])
        if learned and checks and "budget" not in checks:
            # a page of a trap may differ in digits only, and show nothing new
            is_wrong = any(one.what == "back" for one in notices) if "trap" in checks else is_new
            self._counts.count("skip/checked")
            self._counts.count("skip/wrong", int(is_wrong))
        self._tell(notices)

    def _tell(self, notices: list[Notice]) -> None:
        for notice in notices:
            self._counts.count(f"sites/{notice.what}")
            self._counts.noted.note(notice)
            level = _LEVELS.get(notice.what, logging.INFO)
            spider = self._crawler.spider
            logger.log(level, "%s", printable(notice.reason), extra={"spider": spider})
            if self._skipped and notice.rule and notice.what in ("refuted", "back"):
                self._releases += 1
                self._skipped.release_rule(notice.rule.key)
                self._skipped.send_released()

    def _spider_idle(self) -> None:
        """Release what waits for pages that did not come, some at a time."""
        for url in list(self._sent):  # nothing is on its way
            self._failed(url)
        if self._skipped is None or not self._is_on:
            return
        if not self._is_looking:
            waiting = self._skipped.next_waiting()
            if not waiting:
                return
            self._is_looking = True
            self._questions.ask(partial(self._look, waiting), partial(self._release, waiting))
        raise DontCloseSpider

    def _look(self, waiting: list[tuple[int, str]]) -> list[int]:
        """Return the numbers of requests that wait for pages which are not there."""
        self._sites.flush()  # pages of other processes may speak against a rule
        return [number for number, url in waiting if self._sites.consider(url).action != "skip"]

    def _release(self, waiting: list[tuple[int, str]], missing: list[int] | None) -> None:
        """Release some requests; all that were asked for while the store fails."""
        for number in [one for one, _ in waiting] if missing is None else missing:
            if self._skipped:
                self._skipped.release(number)
        self._is_looking = False
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot:  # else the engine looks by itself, after some seconds
            slot.nextcall.schedule()

    def _request_dropped(self, request: Request) -> None:
        """Note that a redirect led to a request that the scheduler did not take."""
        for url in request.meta.get("redirect_urls", ()):
            self._failed(url)

    def _failed(self, url: str) -> None:
        if self._ended(url) is not None:
            self._questions.ask(partial(self._sites.failed, url))

    def _ended(self, url: str) -> str | None:
        """Note that the outcome of a request is known; return None if it was not sent."""
        if self._skipped:
            self._skipped.forget_sent(url)
        return self._sent.pop(url, None)

    def _skip(self, request: Request, found: Decision) -> bool:
        """Keep a request instead of sending it; return False if it can't be kept."""
        rule = found.rule
        if self._skipped is None or rule is None:
            return False
        # what the user limits is never released
        if rule.kind != "budget" and not self._skipped.add(rule.key, found.canonical, request):
            self._counts.count("skip/unkept")
            return False
        self._count(request.url, found)
        logger.debug("Skipped %s: %s", printable(request.url), printable(found.reason))
        self._by_rule[rule.key] += 1
        if self._by_rule[rule.key] <= MOST_LINES:
            self._note(request.url, found.shown, rule.key, found.reason)
        return True

    def _note(self, *line: Any) -> None:
        """Write a line of the journal, but none before the first one, which is about a page."""
        self._lines.append(line)
        if self._counts.tally.pages:
            for one in self._lines:
                self._questions.ask(partial(self._dedup.note_skipped, *one))
            self._lines.clear()

    def _count(self, url: str, found: Decision) -> None:
        self._counts.count("skip/requests" if self._is_on else "skip/suggested")
        if found.rule:
            self._counts.count(f"skip/by/{found.rule.kind}")
        self._questions.ask(partial(self._sites.usual_size, url), self._count_bytes)

    def _count_bytes(self, usual: int | None) -> None:
        tally = self._counts.tally
        self._counts.count("skip/bytes", usual or tally.size // max(tally.pages, 1))

    def _demoted(self, request: Request, steps: int, before: int) -> Request:
        self._counts.count("skip/demoted")
        return request.replace(
            meta={**request.meta, META: steps},
            dont_filter=True,
            priority=request.priority - PRIORITY_STEP * (steps - before),
        )


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


def _urls(request: Request | None) -> list[str]:
    """Return the URL of a request, and of those that were redirected to it."""
    return [*request.meta.get("redirect_urls", ()), request.url] if request else []


def _referrer(request: Request) -> str:
    return (request.headers.get("Referer") or b"").decode("latin-1")


def link_of(request: Request) -> str:
    """Return where a request leads; with a body that is more than its URL."""
    if request.method == "GET" and not request.body:
        return request.url
    return f"{request.method} {request.url} {hash(request.body)}"
