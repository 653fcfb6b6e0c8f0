"""Feedback of people on decisions: drops that were wrong, and whether two pages are the same."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from dedup_middleware.inspect.overrides import restore, restored_in
from dedup_middleware.verdict import Action

from .http import HTTPError

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision

ANSWERS = {
    "same": "they say the same",
    "different": "they are different",
    "second-in-first": "the page is contained in the other",
    "first-in-second": "the page contains the other",
    "open": "can't tell",
}
"""Answers about the other page (first) and the page (second), and what they mean."""


class AnswerStore(Protocol):
    """Keeps what one person answers about pairs of pages."""

    def record(self, first: str, second: str, answer: str) -> None:
        """Keep an answer about two URLs, the one that was known earlier first."""

    def all(self) -> list[tuple[str, str, str]]:
        """Return first URL, second URL and answer, for each pair both ways round."""


class Feedback:
    """Keeps what a person says about decisions; threads may share it."""

    def __init__(self, store: Path | str | None, answers: AnswerStore, person: str) -> None:
        self.problems: list[str] = []
        """What could not be read at the last call of `restored`."""
        self._store = store
        self._answers = answers
        self._person = person
        self._lock = threading.Lock()

    def restore(self, decision: Decision) -> str:
        """Let a dropped page pass from now on; return a message about that."""
        if decision.action != Action.DROP:
            raise HTTPError(
                HTTPStatus.CONFLICT,
                f"It was not dropped: it is {decision.verdict}, and its action was "
                f"{decision.action}. There is nothing to restore",
            )
        if decision.original is None:
            raise HTTPError(
                HTTPStatus.CONFLICT,
                f"All pages that are {decision.verdict} are dropped; change DEDUP_ACTIONS",
            )
        with self._lock:
            new = restore(self._store, decision.url, decision.original, by=self._person)
        if new is None:
            return f"{decision.url} was restored before"
        if decision.url == decision.original:
            return f"{decision.url} passes from now on, even if its text stays the same"
        return f"{decision.url} passes from now on, and never matches {decision.original} again"

    def answer(self, decision: Decision, answer: str) -> str:
        """Keep an answer about a page and the one it was compared with; return a message."""
        if answer not in ANSWERS:
            raise HTTPError(
                HTTPStatus.BAD_REQUEST,
                f"{answer[:100]!r} is not an answer; send one of {', '.join(ANSWERS)}",
            )
        other = decision.original or decision.closest
        if other is None or other == decision.url:
            raise HTTPError(HTTPStatus.CONFLICT, "There is no other page to compare it with")
        with self._lock:
            self._answers.record(other, decision.url, answer)
        return f"Saved: {ANSWERS[answer]}"

    def restored(self) -> list[tuple[str, str]]:
        """Return restored pages, each with its original."""
        found = restored_in(self._store)
        self.problems = found.damaged
        return [(one.url, one.original) for one in found.all]

    def answers(self) -> list[tuple[str, str, str]]:
        """Return pages, the others, and what was answered about them, both ways round."""
        with self._lock:
            return [(second, first, answer) for first, second, answer in self._answers.all()]
