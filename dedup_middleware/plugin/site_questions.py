"""Questions about sites, answered where pages are judged: in the event loop, or in the thread.

What is known of sites is in the store, so it may take a while to find out, or to write down. Those
who ask go on, or wait without holding the event loop.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from dedup_middleware.errors import StoreError

from .queue import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from .crawl import Crawl

logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_TOGETHER = 64  # questions that are one job
MOST_WAITING = 1_000  # of more, nothing is known


class SiteQuestions:
    """Questions of one crawl, answered in their order, with None while the store fails.

    In the thread they are answered together, because each job between two pages keeps these from
    being judged together.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._queue = crawl.queue
        self._breaker = crawl.breaker
        self._counts = crawl.counts
        self._at_once = crawl.at_once
        self._waiting: deque[tuple[Callable[[], Any], Callable[[Any], object]]] = deque()
        self._is_asking = False

    def ask(
        self,
        question: Callable[[], T],
        then: Callable[[T | None], object] = lambda _: None,
    ) -> None:
        """Have a question answered; `then` gets the answer, at once where that is possible."""
        if len(self._waiting) >= MOST_WAITING or not self._breaker.allows:
            then(None)
            return
        self._waiting.append((question, then))
        self._go_on()

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

    def _go_on(self) -> None:
        if self._waiting and not self._is_asking:
            self._is_asking = True
            self._queue.submit(self._answers, then=self._answered, at_once=self._at_once)

    def _answers(self) -> list[tuple[Callable[[Any], object], Any]]:
        """Answer some questions, as a job of the queue; an answer may be an exception."""
        found = list[tuple["Callable[[Any], object]", Any]]()
        has_failed = False
        while self._waiting and len(found) < MOST_TOGETHER:
            question, then = self._waiting.popleft()
            answer: Any = None
            if not has_failed:
                try:
                    answer = question()
                except Exception as error:  # noqa: BLE001 - the event loop is told of it
                    answer = error
                    has_failed = isinstance(error, StoreError)
            found.append((then, answer))
        return found

    def _answered(self, found: list[tuple[Callable[[Any], object], Any]]) -> None:
        self._is_asking = False
        for then, answer in found:
            if not isinstance(answer, Exception):
                then(answer)
                continue
            if isinstance(answer, StoreError):
                self._breaker.failed(answer)
            else:  # what is learned of a site must not break its crawl
                self._counts.count("sites/errors")
                logger.error("Learning about a site failed; please report this", exc_info=answer)
            then(None)
        self._go_on()
