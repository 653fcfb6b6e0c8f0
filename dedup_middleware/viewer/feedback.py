"""Feedback of people: drops that were wrong, and answers about pairs of pages."""

from __future__ import annotations

import json
import threading
from collections import Counter
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.files import append
from dedup_middleware.inspect.overrides import restore, restored_in
from dedup_middleware.verdict import Action

from .http import HTTPError

if TYPE_CHECKING:
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


class Answers:
    """The answers in a file of JSON lines; the last answer of a judge about a pair counts.

    Any pair can be answered, in a pool or not, in either order:

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     answers = Answers(pathlib.Path(folder) / ANSWERS)
    ...     answers.record(Pair("a", "b"), "ann", Answer.FIRST_IN_SECOND)
    ...     Answers(answers.path).of(Pair("b", "a"))
    {'ann': <Answer.SECOND_IN_FIRST: 'second-in-first'>}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: list[int] = []
        """The numbers of lines that are no answers."""
        self._given: dict[Pair, dict[str, Answer]] = {}
        self._resolved: dict[Pair, Answer] = {}
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if line.strip() and not self._parse(line):
                        self.damaged.append(number)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise DedupError(f"Can't read {path}: {error.strerror}") from error

    def record(self, pair: Pair, judge: str, answer: Answer, *, resolves: bool = False) -> None:
        """Save an answer to disk; one that resolves a conflict overrules all judges."""
        entry = {
            "v": _VERSION,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "judge": judge,
            "first": pair.first,
            "second": pair.second,
            "answer": str(answer),
            **({"resolves": True} if resolves else {}),
        }
        try:
            append(self.path, json.dumps(entry).encode())
        except OSError as error:
            raise DedupError(
                f"Can't save the answer in {self.path}: {error.strerror}; earlier ones are saved"
            ) from error
        self._add(pair, judge, answer, resolves=resolves)

    def of(self, pair: Pair) -> dict[str, Answer]:
        """Return each judge's answer to a pair."""
        key, swapped = _key(pair)
        given = self._given.get(key, {})
        return {judge: answer.swapped if swapped else answer for judge, answer in given.items()}

    def resolution(self, pair: Pair) -> Answer | None:
        """Return the answer that resolved a conflict of judges."""
        key, swapped = _key(pair)
        answer = self._resolved.get(key)
        return answer.swapped if answer and swapped else answer

    @property
    def judges(self) -> Counter[str]:
        """How many pairs each judge has answered."""
        return Counter(judge for given in self._given.values() for judge in given)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that have an answer, each in an arbitrary order."""
        return [*dict.fromkeys((*self._given, *self._resolved))]

    def _add(self, pair: Pair, judge: str, answer: Answer, *, resolves: bool) -> None:
        key, swapped = _key(pair)
        answer = answer.swapped if swapped else answer
        if resolves:
            self._resolved[key] = answer
        else:
            given = self._given.setdefault(key, {})
            given.pop(judge, None)  # the last answer goes to the end
            given[judge] = answer

    def _parse(self, line: bytes) -> bool:
        """Add the answer in a line; return False if there is none."""
        try:
            entry = json.loads(line)
            pair = Pair(entry["first"], entry["second"])
            judge, answer = entry["judge"], Answer(entry["answer"])
        except (ValueError, TypeError, LookupError, RecursionError):
            return False
        if not all(isinstance(text, str) for text in (*pair, judge)):
            return False
        self._add(pair, judge, answer, resolves=entry.get("resolves") is True)
        return True


def _key(pair: Pair) -> tuple[Pair, bool]:
    """Return a pair in alphabetical order, and whether that swapped it."""
    return (pair.swapped, True) if pair.first > pair.second else (pair, False)


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
            Answers(self._folder / ANSWERS).record(
                Pair(other, decision.url), self._person, Answer(answer)
            )
        return f"Saved: {MEANINGS[Answer(answer)]}"

    def restored(self) -> list[tuple[str, str]]:
        """Return restored pages, each with its original."""
        found = restored_in(self._store)
        self.problems = found.damaged
        return [(one.url, one.original) for one in found.all]

    def answers(self) -> list[tuple[str, str, str]]:
        """Return pages, the others, and what was answered about them, both ways round."""
        with self._lock:
            answers = Answers(self._folder / ANSWERS)
            given = {pair: answers.of(pair).get(self._person) for pair in answers.pairs}
        return [
            found
            for pair, answer in given.items()
            if answer
            for found in (
                (pair.second, pair.first, str(answer)),
                (pair.first, pair.second, str(answer.swapped)),
            )
        ]
