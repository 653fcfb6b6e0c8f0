"""What people said about pairs of pages: a file that only grows, so that no answer gets lost."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import DedupError
from dedup_middleware.jsonl import append

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from pathlib import Path


VERSION = 1


class Pair(NamedTuple):
    """Two pages by their URLs; the first was met earlier."""

    first: str
    second: str

    @property
    def turned(self) -> Pair:
        return Pair(self.second, self.first)


class Answer(str, Enum):
    """Whether a reader of one page would learn anything from the other."""

    SAME = "same"
    FIRST_IN_SECOND = "first-in-second"
    SECOND_IN_FIRST = "second-in-first"
    DIFFERENT = "different"
    OPEN = "open"

    def __str__(self) -> str:
        return self.value

    @property
    def turned(self) -> Answer:
        """What it says about the pair the other way round.

        >>> Answer.FIRST_IN_SECOND.turned
        <Answer.SECOND_IN_FIRST: 'second-in-first'>
        """
        return _TURNED.get(self, self)

    @property
    def alike(self) -> bool | None:
        """Whether one page makes the other redundant; None if that was left open."""
        return None if self is Answer.OPEN else self is not Answer.DIFFERENT


_TURNED = {
    Answer.FIRST_IN_SECOND: Answer.SECOND_IN_FIRST,
    Answer.SECOND_IN_FIRST: Answer.FIRST_IN_SECOND,
}


class Answers:
    """The answers in a file of JSON lines; of what a judge said about a pair, the last counts.

    Any pair can be answered, in a pool or not, and either way round:

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     answers = Answers(pathlib.Path(folder) / "answers.jsonl")
    ...     answers.record(Pair("a", "b"), "ann", Answer.FIRST_IN_SECOND)
    ...     Answers(answers.path).of(Pair("b", "a"))
    {'ann': <Answer.SECOND_IN_FIRST: 'second-in-first'>}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: list[int] = []
        """Lines that are no answer."""
        self._given: dict[Pair, dict[str, Answer]] = {}
        self._resolved: dict[Pair, Answer] = {}
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if line.strip() and not self._read(line):
                        self.damaged.append(number)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise DedupError(f"Can't read {path}: {error.strerror}") from error

    def record(self, pair: Pair, judge: str, answer: Answer, *, resolves: bool = False) -> None:
        """Keep an answer; it is on the disk when this returns.

        One that resolves speaks for all judges who have disagreed.
        """
        entry = {
            "v": VERSION,
            "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
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
                f"Can't keep the answer in {self.path}: {error.strerror}; those before are kept"
            ) from error
        self._take(pair, judge, answer, resolves=resolves)

    def of(self, pair: Pair) -> dict[str, Answer]:
        """Give each judge's answer to a pair."""
        key, turned = _key(pair)
        given = self._given.get(key, {})
        return {judge: answer.turned if turned else answer for judge, answer in given.items()}

    def resolution(self, pair: Pair) -> Answer | None:
        """Give the answer that ended a conflict of judges."""
        key, turned = _key(pair)
        answer = self._resolved.get(key)
        return answer.turned if answer and turned else answer

    @property
    def judges(self) -> Counter[str]:
        """Who has answered, and how many pairs."""
        return Counter(judge for given in self._given.values() for judge in given)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that have an answer; which page is the first is lost."""
        return [*dict.fromkeys((*self._given, *self._resolved))]

    def _take(self, pair: Pair, judge: str, answer: Answer, *, resolves: bool) -> None:
        key, turned = _key(pair)
        answer = answer.turned if turned else answer
        if resolves:
            self._resolved[key] = answer
        else:
            given = self._given.setdefault(key, {})
            given.pop(judge, None)  # the last answer stands last
            given[judge] = answer

    def _read(self, line: bytes) -> bool:
        """Take the answer in a line, if it is one."""
        try:
            entry = json.loads(line)
            pair = Pair(entry["first"], entry["second"])
            judge, answer = entry["judge"], Answer(entry["answer"])
        except (ValueError, TypeError, LookupError, RecursionError):
            return False
        if not all(isinstance(text, str) for text in (*pair, judge)):
            return False
        self._take(pair, judge, answer, resolves=entry.get("resolves") is True)
        return True


def _key(pair: Pair) -> tuple[Pair, bool]:
    """Put a pair in one order, and tell whether that turned it."""
    return (pair.turned, True) if pair.first > pair.second else (pair, False)


_READINGS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


class Agreement(NamedTuple):
    """How two judges' answers to the same questions go together."""

    pairs: int
    observed: float
    """P(a): the share of questions that both answered alike."""
    chance: float
    """P(c): what it would be if each had given as many of each answer, but at random."""
    kappa: float | None
    """Agreement beyond chance, 1 at most; None if chance alone would make all answers agree."""

    @property
    def reading(self) -> str:
        """What kappa is commonly called (Landis and Koch)."""
        if self.kappa is None:
            return "undefined: both gave one and the same answer throughout"
        if self.kappa < 0:
            return "less than by chance"
        return next((name for most, name in _READINGS if self.kappa <= most), "almost perfect")


def agreement(answers: Iterable[tuple[Hashable, Hashable]]) -> Agreement | None:
    """Compare two judges, given both answers to each question; None without questions.

    >>> both = [("yes", "yes")] * 40 + [("yes", "no")] * 20 + [("no", "yes")] * 10
    >>> agreement(both + [("no", "no")] * 30)
    Agreement(pairs=100, observed=0.7, chance=0.5, kappa=0.4)
    """
    given = list(answers)
    total = len(given)
    if not total:
        return None
    agreed = sum(one == other for one, other in given)
    first, second = (Counter(column) for column in zip(*given, strict=True))
    by_chance = sum(count * second[answer] for answer, count in first.items())
    # whole numbers as long as possible: equal answers give exactly 1
    beyond, most = agreed * total - by_chance, total * total - by_chance
    return Agreement(total, agreed / total, by_chance / total**2, beyond / most if most else None)
