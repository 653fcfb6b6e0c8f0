"""Decisions that are read on while crawls make them: those of a store, or of journal files."""

from __future__ import annotations

import secrets
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.inspect.journals import JournalFile
from dedup_middleware.store import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST_ROWS = 25_000
"""Decisions that are returned at once: more would keep others waiting."""


class Log(Protocol):
    """Numbered lines, each a decision, to which others may be added at any time."""

    @property
    def problems(self) -> list[str]:
        """Return what could not be read."""

    def after(self, number: int, most: int) -> tuple[list[bytes], int, bool]:
        """Return the lines above a number, the number of the last, and whether others follow."""

    def find(self, run: str, sequence: int) -> tuple[int, bytes] | None:
        """Return the number and the line of a decision; None if there is none."""


class StoreLog:
    """The decisions of a store, by their own numbers."""

    def __init__(self, place: str | Path) -> None:
        self.problems: list[str] = []
        self._place = place

    def after(self, number: int, most: int) -> tuple[list[bytes], int, bool]:
        try:
            with open_reader(self._place) as reader, reader.snapshot() as view:
                lines = [*islice(filter(None, view.decisions(after=number)), most + 1)]
                last = view.last_sequence()
        except StoreError as error:  # what was shown stays, and it may come back
            self.problems = [str(error)]
            return [], number, False
        self.problems = []
        if len(lines) > most:
            _, last = key_of(lines[most - 1]) or ("", last)
        return lines[:most], max(last, number), len(lines) > most

    def find(self, run: str, sequence: int) -> tuple[int, bytes] | None:
        with open_reader(self._place) as reader, reader.snapshot() as view:
            is_there = 0 < sequence <= view.last_sequence()
            line = next(view.decisions(after=sequence - 1), b"") if is_there else b""
        return (sequence, line) if key_of(line) == (run, sequence) else None


class FileLog:
    """The decisions of journal files, numbered in their order, each once.

    Files that have changed are read from their beginning: what grows has a store, as a rule.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.problems: list[str] = []
        self._paths = paths
        self._read: tuple[object, int] | None = None
        """How the files were when they were last read to the end, and how many lines they had."""

    def after(self, number: int, most: int) -> tuple[list[bytes], int, bool]:
        state = [_state(path) for path in self._paths]
        if self._read == (state, number):
            return [], number, False
        lines = self._lines()
        before = sum(1 for _ in islice(lines, number))
        found = [*islice(lines, most)]
        more = next(lines, None) is not None
        if not more:
            self._read = state, before + len(found)
        if before < number:
            self.problems += ["A journal was cut or replaced; reload the page"]
        return found, number + len(found), more

    def find(self, run: str, sequence: int) -> tuple[int, bytes] | None:
        numbered = enumerate(self._lines(), 1)
        return next((one for one in numbered if key_of(one[1]) == (run, sequence)), None)

    def _lines(self) -> Iterator[bytes]:
        known: set[tuple[str, int]] = set()
        problems = []
        for path in self._paths:
            damaged = 0
            try:
                for block in JournalFile(path).blocks():
                    for line in (block or b"too long").splitlines():
                        key = key_of(line)
                        damaged += key is None and bool(line.strip())
                        if key and key not in known:
                            known.add(key)
                            yield line
            except OSError as error:
                problems.append(f"{path}: can't be read: {error.strerror}")
            if damaged:
                lines = "a line is" if damaged == 1 else f"{damaged:,} lines are"
                problems.append(f"{path}: {lines} torn or not a decision; skipped")
        self.problems = problems


def _state(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


class NewDecisions(NamedTuple):
    """Decisions after a position."""

    decisions: list[Decision]
    last: int
    """The position after the last of them."""
    more: bool
    """Whether more decisions follow."""
    overruled: list[tuple[str, int]]
    """Run and number of the decisions that they overrule, which may have been given before."""


class LiveDecisions:
    """All decisions of a log, which is read on at each call; threads may share it."""

    def __init__(self, log: Log) -> None:
        self.name = f"since-{secrets.token_hex(4)}"
        """The name of the log in positions."""
        self.runs: dict[str, None] = {}
        """The runs that have decisions, as far as they were read."""
        self._log = log

    def after(self, position: int) -> NewDecisions:
        """Return what follows a position, at most so many decisions at a time."""
        lines, last, more = self._log.after(position, MOST_ROWS)
        found = [decision for line in lines if (decision := Decision.parse(line))]
        self.runs |= dict.fromkeys(one.run for one in found)
        overruled = {(one.run, one.overrules): None for one in found if one.overrules}
        holding = [one for one in found if (one.run, one.sequence) not in overruled]
        return NewDecisions(holding, last, more, list(overruled))

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is none."""
        found = self._log.find(run, sequence)
        return Decision.parse(found[1]) if found else None

    def position(self, name: str, number: int) -> int | None:
        """Return the position that is named so, or that of a decision of a run."""
        if name == self.name:
            return number
        found = self._log.find(name, number)
        return found[0] if found else None

    @property
    def problems(self) -> list[str]:
        return self._log.problems
