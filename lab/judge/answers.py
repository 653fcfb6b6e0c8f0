"""The answers of people about pairs of pages, in a file of JSON lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.viewer.feedback import Answer, Given, Pair, read_answers, save_answer

if TYPE_CHECKING:
    from pathlib import Path


class Answers:
    """The answers in a file of JSON lines; the last answer of a judge about a pair counts.

    Any pair can be answered, in a pool or not, in either order:

    >>> import tempfile, pathlib
    >>> from dedup_middleware.viewer.feedback import ANSWERS
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
