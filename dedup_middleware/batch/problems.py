"""What is wrong with the input, for whoever reads the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, and what becomes of it."""

    where: str
    text: str
    what: str = "skipped"
    of_record: bool = False
    """Whether a record of an archive is damaged; an archive may have many of these."""


class Problems:
    """Problems as they come; those of an archive's records are told together."""

    def __init__(self, complain: Callable[[str], object]) -> None:
        self.count = 0
        self._complain = complain
        self._damaged: list[Problem] = []

    def add(self, problem: Problem) -> None:
        if self._damaged and self._damaged[0].where != problem.where:
            self.flush()
        if problem.of_record:
            self._damaged.append(problem)
        else:
            self._tell(problem)

    def flush(self) -> None:
        """Tell what was gathered of an archive."""
        if self._damaged:
            first, *others = self._damaged
            more = f", and {len(others):,} more records" if others else ""
            self._damaged = []
            self._tell(first, more)

    def _tell(self, problem: Problem, more: str = "") -> None:
        self.count += 1
        self._complain(f"{problem.where}: {problem.text}{more}; {problem.what}")
