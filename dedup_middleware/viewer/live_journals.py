"""Journals that are read on while crawls write them."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.inspect.decisions import LONGEST_LINE, OVERRULES, Decision
from dedup_middleware.jsonl import blocks, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

MOST_ROWS = 25_000
"""Decisions that are returned at once: more would keep others waiting."""
PATIENCE = 5.0
"""Seconds to wait for the rest of a line."""
_HEAD = re.compile(rb'\{"v":\d+,"seq":([1-9]\d{0,14}),"time":"[^"\\]*","run":"([ -~]*?)",')
"""How our own lines begin; other lines are parsed as JSON."""
_HIGHEST = 1 << 53
"""The largest integer that browsers count exactly."""


@dataclass(slots=True)
class _Run:
    number: int
    highest: int = 0
    seen: set[int] | None = None
    """All its sequence numbers, as soon as they are out of order."""


@dataclass(slots=True)
class Location:
    """A decision by its file and the offset of its line."""

    file: int
    offset: int
    run: str
    sequence: int


@dataclass(slots=True)
class DecisionIndex:
    """The locations of all decisions in the order of reading, each once.

    Columns of numbers: a million decisions take some megabytes.
    """

    _files: array[int] = field(default_factory=lambda: array("q"))
    _offsets: array[int] = field(default_factory=lambda: array("q"))
    _runs: array[int] = field(default_factory=lambda: array("q"))
    _sequences: array[int] = field(default_factory=lambda: array("q"))
    _known: dict[str, _Run] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    overruled: dict[tuple[str, int], int] = field(default_factory=dict)
    """Run and number of decisions that a later one overrules, and where that one is here."""

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, number: int) -> Location:
        run = self._names[self._runs[number]]
        return Location(self._files[number], self._offsets[number], run, self._sequences[number])

    @property
    def runs(self) -> Collection[str]:
        return self._known.keys()

    def add(self, file: int, offset: int, line: bytes) -> bool:
        """Add the line at an offset; return False if it is not a decision."""
        key = key_of(line)
        if key is None:
            return False
        name, sequence = key
        run = self._known.get(name)
        if run is None:
            run = self._known[name] = _Run(len(self._names))
            self._names.append(name)
        if sequence <= run.highest and self._is_known(run, sequence):
            return True  # the same journal, given under two names
        run.highest = max(run.highest, sequence)
        if OVERRULES in line and (decision := Decision.parse(line)) and decision.overrules:
            self.overruled[name, decision.overrules] = len(self)
        if run.seen is not None:
            run.seen.add(sequence)
        self._files.append(file)
        self._offsets.append(offset)
        self._runs.append(run.number)
        self._sequences.append(sequence)
        return True

    def find(self, run: str, sequence: int) -> Location | None:
        """Return where a decision is; None if it is not known."""
        known = self._known.get(run)
        if known is None or not 0 < sequence < _HIGHEST:
            return None
        at = -1
        while True:
            try:
                at = self._sequences.index(sequence, at + 1)
            except ValueError:
                return None
            if self._runs[at] == known.number:
                return self[at]

    def _is_known(self, run: _Run, sequence: int) -> bool:
        if run.seen is None:
            pairs = zip(self._runs, self._sequences, strict=True)
            run.seen = {found for number, found in pairs if number == run.number}
        return sequence in run.seen


def key_of(line: bytes) -> tuple[str, int] | None:
    """Return run and number of the decision in a line; None if it holds none.

    >>> key_of(b'{"v":1,"seq":7,"time":"2026-11-16T08:30:00+00:00","run":"r","url":""}')
    ('r', 7)
    >>> key_of(b'{"seq":7,"run":"r"')
    """
    if not line.rstrip().endswith(b"}"):
        return None
    head = _HEAD.match(line)
    if head and b"\\" not in head[2]:
        return head[2].decode("ascii"), int(head[1])
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    decision = Decision.of(entry)
    sequence = entry.get("seq") if decision else None
    if decision is None or type(sequence) is not int or not 0 < sequence < _HIGHEST:
        return None
    return decision.run, sequence


class JournalTail:
    r"""One journal, read on from where it was last read.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "run.jsonl"
    ...     path.write_bytes(b"one\ntwo\nthr") and None
    ...     tail = JournalTail(path)
    ...     first = [*tail.lines()]
    ...     with path.open("ab") as file:
    ...         file.write(b"ee\nfour\n") and None
    ...     first, [*tail.lines()]
    ([(0, b'one\n'), (4, b'two\n')], [(8, b'three\n'), (14, b'four\n')])
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """How many lines can't be read."""
        self._at = 0
        self._size = 0
        self._file: tuple[int, int] | None = None
        self._grown = time.monotonic()
        self._problem = ""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield new lines that are complete, with their offsets."""
        try:
            with self.path.open("rb") as file:
                stat = os.fstat(file.fileno())
                size, file_id = stat.st_size, (stat.st_dev, stat.st_ino)
                if size < self._at or file_id != (self._file or file_id):
                    self._problem = "was cut or replaced; restart the server to read it again"
                    return
                self._file = file_id
                if size != self._size:
                    self._size, self._grown = size, time.monotonic()
                if size == self._at:
                    return
                file.seek(self._at)
                for block in blocks(file, LONGEST_LINE):
                    if block is None:
                        self.damaged += 1
                        self._at = file.tell()
                        continue
                    start_of_block, complete = self._at, block.rfind(b"\n") + 1
                    self._at += complete
                    for start, end in lines_of(block[:complete]):
                        yield start_of_block + start, block[start:end]
                    if complete < len(block):
                        return  # the rest may be written later
            self._problem = ""
        except OSError as error:
            self._problem = f"can't be read: {error.strerror}"

    @property
    def problems(self) -> list[str]:
        found = [self._problem] if self._problem else []
        if self.damaged:
            lines = "a line is" if self.damaged == 1 else f"{self.damaged:,} lines are"
            found.append(f"{lines} torn or not a decision; skipped")
        if self._size > self._at and time.monotonic() - self._grown > PATIENCE:
            found.append("its last line is torn; the rest is shown")
        return [f"{self.path}: {problem}" for problem in found]


class NewDecisions(NamedTuple):
    """Decisions after a position."""

    decisions: Iterator[Decision]
    last: dict[str, int]
    """The position behind them."""
    more: bool
    """Whether others follow."""
    overruled: list[tuple[str, int]]
    """Run and number of the decisions that they overrule, which may have been given before."""


class UnknownPosition(Exception):
    """A position names a run that is not known here."""


class LiveJournals:
    """All decisions of some journals, which are read on at each call; threads may share it."""

    def __init__(self, paths: Callable[[], Iterable[Path]]) -> None:
        self.name = f"since-{secrets.token_hex(4)}"
        """Names the order in which this object has read the decisions."""
        self._paths = paths
        self._files: list[JournalTail] = []
        self._index = DecisionIndex()
        self._lock = threading.Lock()

    def after(self, position: Mapping[str, int]) -> NewDecisions:
        """Return what follows a position: a number by `name`, or sequence numbers by run."""
        with self._lock:
            self._read_on()
            count = len(self._index)
            start = min(position.get(self.name, 0), count)
            runs = [name for name in position if name != self.name]
            for run in runs:
                if run not in self._index.runs:
                    raise UnknownPosition(run)
            stop = min(start + MOST_ROWS, count)
            found = [
                one
                for one in map(self._index.__getitem__, range(start, stop))
                if (one.run, one.sequence) not in self._index.overruled
            ]
            overruled = [key for key, at in self._index.overruled.items() if start <= at < stop]
        if runs:
            found = [one for one in found if one.sequence > position.get(one.run, 0)]
        return NewDecisions(self._decisions(found), {self.name: stop}, stop < count, overruled)

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is no such one."""
        with self._lock:
            location = self._index.find(run, sequence)
            if location is None:
                self._read_on()
                location = self._index.find(run, sequence)
        return next(self._decisions([location]), None) if location else None

    @property
    def runs(self) -> list[str]:
        """The runs that have decisions."""
        with self._lock:
            return list(self._index.runs)

    @property
    def problems(self) -> list[str]:
        """What can't be read."""
        with self._lock:
            return [problem for file in self._files for problem in file.problems]

    def _read_on(self) -> None:
        known = {file.path for file in self._files}
        self._files += [JournalTail(path) for path in self._paths() if path not in known]
        for number, file in enumerate(self._files):
            for offset, line in file.lines():
                if line.strip() and not self._index.add(number, offset, line):
                    file.damaged += 1

    def _decisions(self, locations: Iterable[Location]) -> Iterator[Decision]:
        """Read lines again; those that have changed since are left out."""
        number, file, at = -1, None, 0
        try:
            for location in locations:
                if location.file != number:
                    if file:
                        file.close()
                    number, file, at = location.file, self._open(location.file), 0
                if file is None:
                    continue
                if location.offset != at:
                    file.seek(location.offset)
                line = file.readline(LONGEST_LINE)
                at = location.offset + len(line)
                decision = Decision.parse(line)
                if decision and _is_at(decision, location):
                    yield decision
        finally:
            if file:
                file.close()

    def _open(self, number: int) -> BinaryIO | None:
        try:
            return self._files[number].path.open("rb")
        except OSError:  # the next call of `after` reports it
            return None


def _is_at(decision: Decision, location: Location) -> bool:
    return decision.run == location.run and decision.entry.get("seq") == location.sequence
