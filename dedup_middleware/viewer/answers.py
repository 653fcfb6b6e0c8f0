"""Answers of people about pairs of pages, in a file that only grows."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.jsonl import append

if TYPE_CHECKING:
    from pathlib import Path

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
