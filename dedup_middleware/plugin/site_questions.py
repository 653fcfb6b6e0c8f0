"""Questions about sites, answered where pages are judged: in the event loop, or in the thread.

What is known of sites is in the store, so it may take a while to find out, or to write down. Those
who ask go on, or wait without holding the event loop.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from dedup_middleware.errors import StoreError

from .queue import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from .crawl import Crawl

logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_WAITING = 1_000  # questions; of more, nothing is known


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
