"""Feedback of people: drops that were wrong, and answers about pairs of pages."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.files import append
from dedup_middleware.inspect.overrides import restore, restored_in
from dedup_middleware.verdict import Action

from .server import HTTPError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision

ANSWERS = "answers.jsonl"
"""The name of the file in its folder."""
_VERSION = 1


class Pair(NamedTuple):
    """Two pages by their URLs; the first was crawled earlier."""

    first: str
    second: str

    @property
    def swapped(self) -> Pair:
        return Pair(self.second, self.first)


class Answer(StrEnum):
    """What somebody says about a pair: whether each page says anything that the other does not."""

    SAME = "same"
    FIRST_IN_SECOND = "first-in-second"
    SECOND_IN_FIRST = "second-in-first"
    DIFFERENT = "different"
    OPEN = "open"

    @property
    def swapped(self) -> Answer:
        """The same answer about the swapped pair.

        >>> Answer.FIRST_IN_SECOND.swapped
        <Answer.SECOND_IN_FIRST: 'second-in-first'>
        """
        return _SWAPPED.get(self, self)

    @property
    def alike(self) -> bool | None:
        """Whether one page makes the other redundant; None if that was left open."""
        return None if self is Answer.OPEN else self is not Answer.DIFFERENT


_SWAPPED = {
    Answer.FIRST_IN_SECOND: Answer.SECOND_IN_FIRST,
    Answer.SECOND_IN_FIRST: Answer.FIRST_IN_SECOND,
}
MEANINGS = {
    Answer.SAME: "they say the same",
    Answer.DIFFERENT: "they are different",
    Answer.SECOND_IN_FIRST: "the page is contained in the other",
    Answer.FIRST_IN_SECOND: "the page contains the other",
    Answer.OPEN: "can't tell",
}
"""What answers about the other page (first) and the page (second) mean."""


class Given(NamedTuple):
    """An answer about a pair, as a line of the file of answers says it."""

    pair: Pair
    judge: str
    answer: Answer
    resolves: bool = False
    """Whether it resolves a conflict, and overrules all judges."""

    @property
    def line(self) -> bytes:
        entry = {
            "v": _VERSION,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "judge": self.judge,
            **self.pair._asdict(),
            "answer": str(self.answer),
            **({"resolves": True} if self.resolves else {}),
        }
        return json.dumps(entry).encode()

    @classmethod
    def parse(cls, line: bytes) -> Given | None:
        """Parse a line; return None if there is no answer in it."""
        try:
            entry = json.loads(line)
            pair = Pair(entry["first"], entry["second"])
            judge, answer = entry["judge"], Answer(entry["answer"])
        except (ValueError, TypeError, LookupError, RecursionError):
            return None
        if not all(isinstance(text, str) for text in (*pair, judge)):
            return None
        return cls(pair, judge, answer, entry.get("resolves") is True)


def save_answer(path: Path, given: Given) -> None:
    """Append an answer to a file."""
    try:
        append(path, given.line)
    except OSError as error:
        raise DedupError(
            f"Can't save the answer in {path}: {error.strerror}; earlier ones are saved"
        ) from error


def read_answers(path: Path) -> Iterator[tuple[int, Given | None]]:
    """Yield the numbers of the lines of a file of answers, and what they say; None if nothing."""
    try:
        with path.open("rb") as file:
            yield from ((at, Given.parse(line)) for at, line in enumerate(file, 1) if line.strip())
    except FileNotFoundError:
        pass
    except OSError as error:
        raise DedupError(f"Can't read {path}: {error.strerror}") from error


class Feedback:
    """Keeps what a person says about decisions; threads may share it.

    Answers are kept in a folder that others may write to, as `python -m lab.judge` does.
    """

    def __init__(self, store: Path | str, folder: Path, person: str) -> None:
        self.problems: list[str] = []
        """What could not be read at the last call of `restored`."""
        self._store = store
        self._folder = folder
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
        if answer not in MEANINGS:
            raise HTTPError(
                HTTPStatus.BAD_REQUEST,
                f"{answer[:100]!r} is not an answer; send one of {', '.join(MEANINGS)}",
            )
        other = decision.original or decision.closest
        if other is None or other == decision.url:
            raise HTTPError(HTTPStatus.CONFLICT, "There is no other page to compare it with")
        with self._lock:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise DedupError(
                    f"Can't keep answers in {self._folder}: {error.strerror}; name another folder "
                    "with --answers"
                ) from error
            given = Given(Pair(other, decision.url), self._person, Answer(answer))
            save_answer(self._folder / ANSWERS, given)
        return f"Saved: {MEANINGS[Answer(answer)]}"

    def restored(self) -> list[tuple[str, str]]:
        """Return restored pages, each with its original."""
        found = restored_in(self._store)
        self.problems = found.damaged
        return [(one.url, one.original) for one in found.all]

    def answers(self) -> list[tuple[str, str, str]]:
        """Return pages, the others, and what was answered about them, both ways round."""
        given: dict[Pair, Answer] = {}
        for _, one in read_answers(self._folder / ANSWERS):
            if one and one.judge == self._person and not one.resolves:
                given |= {one.pair: one.answer, one.pair.swapped: one.answer.swapped}
        return [(pair.second, pair.first, str(answer)) for pair, answer in given.items()]
