"""What people say about decisions: that a drop was wrong, and whether two pages are the same."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.overrides import restore, restored_in
from dedup_middleware.lab.answers import ANSWERS, Answer, Answers, Pair
from dedup_middleware.verdict import Action

from .http import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision

CONFLICT = 409


class Opinions:
    """Keeps what is said, where crawls and `scrapy dedup judge` look for it."""

    def __init__(self, store: Path | None, folder: Path, judge: str) -> None:
        self.folder = folder
        self.problems: list[str] = []
        """What could not be read when somebody last asked."""
        self._store = store
        self._judge = judge
        self._answers: Answers | None = None
        self._state: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def restore(self, decision: Decision) -> str:
        """Tell a page apart from the one that it was dropped for; say so."""
        if decision.action != Action.DROP:
            raise Refused(
                CONFLICT,
                f"It was not dropped: it is {decision.verdict}, and its action was "
                f"{decision.action}. There is nothing to restore",
            )
        if decision.original is None:
            raise Refused(
                CONFLICT,
                f"It was dropped because pages that are {decision.verdict} are; "
                "change DEDUP_ACTIONS",
            )
        with self._lock:
            new = restore(self._store, decision.url, decision.original, by=self._judge)
        if new is None:
            return f"{decision.url} was restored before"
        if decision.url == decision.original:
            return f"{decision.url} passes from now on, although its text stays as it is"
        return f"{decision.url} passes from now on, told apart from {decision.original}"

    def answer(self, decision: Decision, text: str) -> str:
        """Keep what somebody says of the page and the one that it was compared with."""
        try:
            answer = Answer(text)
        except ValueError:
            known = ", ".join(str(one) for one in Answer)
            raise Refused(400, f"{text[:100]!r} is no answer; say one of {known}") from None
        other = decision.original or decision.closest
        if other is None or other == decision.url:
            raise Refused(CONFLICT, "There is no other page to compare it with")
        with self._lock:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise DedupError(
                    f"Can't keep answers in {self.folder}: {error.strerror}; name another folder "
                    "with --answers"
                ) from error
            self._current().record(Pair(other, decision.url), self._judge, answer)
        return f"Kept: {_SAID[answer]}"

    def restored(self) -> list[tuple[str, str]]:
        """List the pairs that were told apart."""
        found = restored_in(self._store)
        self.problems = found.damaged
        return [(one.url, one.original) for one in found.all]

    def answered(self) -> list[tuple[str, str, str]]:
        """List pages, others, and what this judge said of them, either way round."""
        with self._lock:
            answers = self._current()
            found = []
            for pair in answers.pairs:
                answer = answers.of(pair).get(self._judge)
                if answer:
                    found.append((pair.second, pair.first, str(answer)))
                    found.append((pair.first, pair.second, str(answer.swapped)))
        return found

    def _current(self) -> Answers:
        """Read the answers again if somebody else has added some."""
        path = self.folder / ANSWERS
        try:
            found = path.stat()
            state = found.st_mtime_ns, found.st_size, found.st_ino
        except OSError:
            state = None
        if self._answers is None or state != self._state:
            self._answers, self._state = Answers(path), state
        return self._answers


_SAID = {
    Answer.SAME: "they say the same",
    Answer.DIFFERENT: "they are different",
    Answer.SECOND_IN_FIRST: "the page lies in the other",
    Answer.FIRST_IN_SECOND: "the page holds the other",
    Answer.OPEN: "can't tell",
}
