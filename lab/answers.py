"""What people say about pairs of pages, in a file of JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.files import append

if TYPE_CHECKING:
    from collections.abc import Iterator
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
        for number, given in read_answers(path):
            if given is None:
                self.damaged.append(number)
            else:
                self._add(given)

    def record(self, pair: Pair, judge: str, answer: Answer, *, resolves: bool = False) -> None:
        """Save an answer to disk; one that resolves a conflict overrules all judges."""
        given = Given(pair, judge, answer, resolves)
        save_answer(self.path, given)
        self._add(given)

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

    def _add(self, one: Given) -> None:
        key, swapped = _key(one.pair)
        answer = one.answer.swapped if swapped else one.answer
        if one.resolves:
            self._resolved[key] = answer
        else:
            given = self._given.setdefault(key, {})
            given.pop(one.judge, None)  # the last answer goes to the end
            given[one.judge] = answer


def _key(pair: Pair) -> tuple[Pair, bool]:
    """Return a pair in alphabetical order, and whether that swapped it."""
    return (pair.swapped, True) if pair.first > pair.second else (pair, False)
