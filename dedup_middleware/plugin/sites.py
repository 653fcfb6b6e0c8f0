"""What a judged page tells about its site, and questions about sites.

Questions are answered where pages are judged: in the event loop, or in the thread. What is known of
sites is in the store, so it may take a while to find out, or to write down. Those who ask go on, or
wait without holding the event loop.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from scrapy.utils.datatypes import LocalCache

from dedup_middleware.errors import StoreError
from dedup_middleware.sites import Fetched
from dedup_middleware.sites.values import text_digests
from dedup_middleware.sites.walls import LONGEST
from dedup_middleware.verdict import Action, Kind

from .queue import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.page import Page
    from dedup_middleware.verdict import Verdict

    from .crawl import Crawl

MOST_TEXTS = 10_000  # that are remembered
_BEGINNING = 300  # characters
_LONGEST_AS_READ = 4 * LONGEST
_IS_MAIN = bytes([1]) + bytes(255)
logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_WAITING = 1_000  # questions; of more, nothing is known


class Observer:
    """What the pages of one crawl tell about their sites, beside those that it has seen before."""

    def __init__(self) -> None:
        self._patterns: LocalCache[bytes, None] = LocalCache(MOST_TEXTS)
        """What short pages show."""
        self._bare: LocalCache[bytes, str] = LocalCache(MOST_TEXTS)
        """Pages without items by what they show: the store forgets them, but those that show the
        same are no other pages."""

    def judged(
        self, page: Page, subject: Subject, verdict: Verdict, referrer: str
    ) -> tuple[Fetched, bool]:
        """Return what is learned from a page, and True if it may be a wall."""
        found = fetched(page, subject, verdict, referrer)
        may_be_wall = found.pattern in self._patterns
        if found.pattern:
            self._patterns[found.pattern] = None
        return (_with_markup(found, page.body) if may_be_wall else found), may_be_wall

    def without_bare(self, found: Fetched, digest: bytes) -> Fetched:
        """Return a page as a copy of one without items if it shows the same."""
        if found.is_new and digest in self._bare:
            return replace(found, page=self._bare[digest], kind="exact")
        return found

    def note_bare(self, page: Fetched, digest: bytes) -> None:
        """Remember a page without items."""
        if digest and page.is_new:
            self._bare[digest] = page.page


def fetched(page: Page, subject: Subject, verdict: Verdict, referrer: str = "") -> Fetched:
    """Return what is learned from a page about its site.

    Only the text of short pages counts. This is done for each page, so it is done in bytes.
    """
    is_same = verdict.kind in (Kind.EXACT, Kind.UNCHANGED) or (
        verdict.redundant and (verdict.action is Action.DROP or verdict.evidence.supersedes)
    )
    text = pattern = b""
    main = ""
    # one article under many URLs is known from the host before long, but is no short text
    if subject.words <= LONGEST and subject.fingerprint.words <= _LONGEST_AS_READ:
        lines, marks = subject.own.lines, subject.own.boilerplate
        main = b" ".join(compress(lines.split(b"\n"), marks.translate(_IS_MAIN))).decode()
        text, pattern = text_digests(main)
    return Fetched(
        url=_asked(page),
        page=(verdict.original if is_same else None) or page.url,
        kind=str(Kind.UNIQUE if _is_other(verdict) else verdict.kind),
        words=subject.words,
        is_comparable=subject.comparable,
        size=page.size,
        text=text,
        pattern=pattern,
        referrer=referrer,
        beginning=main[:_BEGINNING],
    )


def _asked(page: Page) -> str:
    """Return the URL that was asked for, unless that led to another path: a login, say."""
    first = page.redirected_from[0] if page.redirected_from else page.url
    paths = {urlsplit(url).path.rstrip("/") for url in (first, page.url)}
    return first if len(paths) == 1 else page.url


def _is_other(verdict: Verdict) -> bool:
    """Return True if a page is like another, but was kept for what it says: a price, a size."""
    lost = verdict.lost if verdict.action is not Action.DROP and verdict.redundant else None
    return lost is not None and bool(lost.facts)


def _with_markup(found: Fetched, html: bytes) -> Fetched:
    """Add what tells a login wall and a page for browsers with JavaScript from other pages."""
    html = html.lower()
    passwords = sum(html.count(b"type=%bpassword" % quote) for quote in (b"", b"'", b'"'))
    return replace(found, passwords=passwords, script_share=_script_share(html))


def _script_share(html: bytes) -> int:
    """Return how much of a page is script, in percent.

    >>> _script_share(b"<p>text</p><script>f()</script>")
    35
    """
    scripts = end = 0
    while (start := html.find(b"<script", end)) >= 0:
        end = html.find(b"</script", start)
        if end < 0:
            end = len(html)
        scripts += end - start
    return round(100 * scripts / max(len(html), 1))


class SiteQuestions:
    """Questions of one crawl, answered in their order, with None while the store fails."""

    def __init__(self, crawl: Crawl) -> None:
        self._queue = crawl.queue
        self._breaker = crawl.breaker
        self._counts = crawl.counts
        self._at_once = crawl.at_once
        self._waiting = 0

    def ask(
        self,
        question: Callable[[], T],
        then: Callable[[T | None], object] = lambda _: None,
    ) -> None:
        """Have a question answered; `then` gets the answer, at once where that is possible."""
        if self._waiting >= MOST_WAITING or not self._breaker.allows:
            then(None)
            return
        self._waiting += 1
        answered = partial(self._answered, then)
        self._queue.submit_case(_answers, question, at_once=self._at_once, then=answered)

    async def answer(self, question: Callable[[], T]) -> T | None:
        """Return the answer to a question, without suspending if it is there at once."""
        answers: list[T | None] = []
        there = Event()

        def then(answer: T | None) -> None:
            answers.append(answer)
            there.set()

        left = self._queue.left
        if left > 0:
            self.ask(question, then)
            await there.wait(left)
        return answers[0] if answers else None

    def _answered(self, then: Callable[[Any], object], answer: Any) -> None:
        self._waiting -= 1
        if isinstance(answer, StoreError):
            self._breaker.failed(answer)
        elif isinstance(answer, BaseException):  # what is learned of a site must not end its crawl
            self._counts.count("sites/errors")
            logger.error("Learning about a site failed; please report this", exc_info=answer)
        then(None if isinstance(answer, BaseException) else answer)


def _answers(questions: list[Callable[[], Any]]) -> list[Any]:
    """Answer some questions; an answer may be an exception, and that of a store is all others'."""
    found = list[Any]()
    failed: StoreError | None = None
    for question in questions:
        try:
            found.append(failed or question())
        except Exception as error:  # noqa: BLE001 - the event loop is told of it
            found.append(error)
            failed = error if isinstance(error, StoreError) else None
    return found
