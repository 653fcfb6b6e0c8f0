"""Decisions that are read on while crawls make them: those of a store, or of journal files."""

from __future__ import annotations

import os
import secrets
import threading
from array import array
from contextlib import ExitStack, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.inspect.journals import LONGEST_LINE, JournalFile, decisions_with
from dedup_middleware.jsonl import blocks, lines_of
from dedup_middleware.store import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

MOST_ROWS = 25_000
"""Decisions that are returned at once: more would keep others waiting."""


class Log(Protocol):
    """Numbered lines, each a decision, to which others may be added at any time."""

    @property
    def problems(self) -> list[str]:
        """Return what could not be read."""

    def after(self, number: int, most: int) -> tuple[list[bytes], int, bool]:
        """Return the lines above a number, the number of the last, and whether others follow."""

    def find(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is no such one."""


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

    def find(self, run: str, sequence: int) -> Decision | None:
        with open_reader(self._place) as reader, reader.snapshot() as view:
            is_there = 0 < sequence <= view.last_sequence()
            line = next(view.decisions(after=sequence - 1), b"") if is_there else b""
        return Decision.parse(line) if key_of(line) == (run, sequence) else None


class FileLog:
    """The decisions of journal files, numbered in the order of reading, each once."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._tails = [_Tail(path) for path in paths]
        self._files, self._offsets = array("q"), array("q")
        self._known: set[int] = set()
        """Hashes of runs and numbers; there may be millions."""
        self._lock = threading.Lock()

    @property
    def problems(self) -> list[str]:
        return [problem for tail in self._tails for problem in tail.problems]

    def after(self, number: int, most: int) -> tuple[list[bytes], int, bool]:
        with self._lock:
            for file, tail in enumerate(self._tails):
                for offset, line in tail.lines():
                    key = key_of(line)
                    if key is None:
                        tail.damaged += bool(line.strip())
                    elif hash(key) not in self._known:
                        self._known.add(hash(key))
                        self._files.append(file)
                        self._offsets.append(offset)
            last = min(number + most, len(self._offsets))
            return self._lines(number, last), max(last, number), last < len(self._offsets)

    def _lines(self, first: int, last: int) -> list[bytes]:
        """Read lines again; those that have changed since are left out."""
        found = []
        with suppress(OSError), ExitStack() as stack:  # the next call of `after` reports it
            files: dict[int, BinaryIO] = {}
            for at in range(first, last):
                number = self._files[at]
                if number not in files:
                    files[number] = stack.enter_context(self._tails[number].path.open("rb"))
                files[number].seek(self._offsets[at])
                line = files[number].readline(LONGEST_LINE)
                if hash(key_of(line)) in self._known:
                    found.append(line)
        return found

    def find(self, run: str, sequence: int) -> Decision | None:
        for tail in self._tails:
            try:
                for one in decisions_with(JournalFile(tail.path), b"%d" % sequence):
                    if (one.run, one.entry.get("seq")) == (run, sequence):
                        return one
            except OSError:  # the next call of `after` reports it
                continue
        return None


class _Tail:
    """A file that is read on from where it was last read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """How many lines can't be read."""
        self._file: tuple[int, int] | None = None
        self._at = 0
        self._size = 0
        self._problem = ""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield new lines that are complete, with their offsets."""
        try:
            with self.path.open("rb") as file:
                yield from self._new_lines(file)
        except OSError as error:
            self._problem = f"can't be read: {error.strerror}"

    def _new_lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        stat = os.fstat(file.fileno())
        found = stat.st_dev, stat.st_ino
        if stat.st_size < self._at or found != (self._file or found):
            self._problem = "was cut or replaced; restart the server to read it again"
            return
        is_torn = self._at < stat.st_size == self._size
        self._problem = "its last line is torn; the rest is shown" if is_torn else ""
        self._file, self._size = found, stat.st_size
        file.seek(self._at)
        for block in blocks(file, LONGEST_LINE):
            begin, complete = self._at, (block or b"").rfind(b"\n") + 1
            if block is None:
                self.damaged += 1
                self._at = file.tell()
                continue
            self._at += complete
            for start, end in lines_of(block[:complete]):
                yield begin + start, block[start:end]
            if complete < len(block):
                return  # the rest may be written later

    @property
    def problems(self) -> list[str]:
        found = [self._problem] if self._problem else []
        if self.damaged:
            lines = "a line is" if self.damaged == 1 else f"{self.damaged:,} lines are"
            found.append(f"{lines} torn or not a decision; skipped")
        return [f"{self.path}: {problem}" for problem in found]


class NewDecisions(NamedTuple):
    """Decisions after a position."""

    decisions: list[Decision]
    last: dict[str, int]
    """The position behind them."""
    more: bool
    """Whether others follow."""
    overruled: list[tuple[str, int]]
    """Run and number of the decisions that they overrule, which may have been given before."""


class UnknownPosition(Exception):
    """A position is of something else than what is read here."""


class LiveDecisions:
    """All decisions of a log, which is read on at each call; threads may share it."""

    def __init__(self, log: Log) -> None:
        self.name = f"since-{secrets.token_hex(4)}"
        """Names the log in positions."""
        self.runs: dict[str, None] = {}
        """The runs that have decisions, as far as they were read."""
        self._log = log

    def after(self, position: Mapping[str, int]) -> NewDecisions:
        """Return what follows a position, at most so many decisions at a time."""
        for name in position:
            if name != self.name:
                raise UnknownPosition(name)
        lines, last, more = self._log.after(position.get(self.name, 0), MOST_ROWS)
        found = [decision for line in lines if (decision := Decision.parse(line))]
        self.runs |= dict.fromkeys(one.run for one in found)
        overruled = {(one.run, one.overrules): None for one in found if one.overrules}
        holding = [one for one in found if (one.run, one.sequence) not in overruled]
        return NewDecisions(holding, {self.name: last}, more, list(overruled))

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is no such one."""
        return self._log.find(run, sequence)

    @property
    def problems(self) -> list[str]:
        return self._log.problems
