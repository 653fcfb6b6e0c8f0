"""Where the lines of decisions begin: numbers in columns, of a million decisions some megabytes."""

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

from dedup_middleware.inspect.decisions import LONGEST_LINE, Decision
from dedup_middleware.jsonl import blocks, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO


_HEAD = re.compile(rb'\{"v":\d+,"seq":([1-9]\d{0,14}),"time":"[^"\\]*","run":"([ -~]*?)",')
"""How our own lines begin; those of others are parsed."""
_HIGHEST = 1 << 53
"""Numbers up to which a browser counts."""


@dataclass(slots=True)
class _Run:
    number: int
    highest: int = 0
    seen: set[int] | None = None
    """All its sequence numbers, once they did not come in order."""


@dataclass(slots=True)
class Place:
    """A decision by the file that holds it, and where in it."""

    file: int
    offset: int
    run: str
    sequence: int


@dataclass(slots=True)
class Places:
    """All decisions in the order in which they were read, each once."""

    _files: array[int] = field(default_factory=lambda: array("q"))
    _offsets: array[int] = field(default_factory=lambda: array("q"))
    _runs: array[int] = field(default_factory=lambda: array("q"))
    _sequences: array[int] = field(default_factory=lambda: array("q"))
    _known: dict[str, _Run] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, number: int) -> Place:
        run = self._names[self._runs[number]]
        return Place(self._files[number], self._offsets[number], run, self._sequences[number])

    @property
    def runs(self) -> Collection[str]:
        return self._known.keys()

    def add(self, file: int, offset: int, line: bytes) -> bool:
        """Note where a line begins; tell whether it is a decision."""
        head = head_of(line)
        if head is None:
            return False
        name, sequence = head
        run = self._known.get(name)
        if run is None:
            run = self._known[name] = _Run(len(self._names))
            self._names.append(name)
        if sequence <= run.highest and self._is_known(run, sequence):
            return True  # the same journal under two names
        run.highest = max(run.highest, sequence)
        if run.seen is not None:
            run.seen.add(sequence)
        self._files.append(file)
        self._offsets.append(offset)
        self._runs.append(run.number)
        self._sequences.append(sequence)
        return True

    def find(self, run: str, sequence: int) -> Place | None:
        """Find a decision by its run and number."""
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


def head_of(line: bytes) -> tuple[str, int] | None:
    """Tell the run and number of a decision; None if it is none.

    >>> head_of(b'{"v":1,"seq":7,"time":"2026-11-16T08:30:00+00:00","run":"r","url":""}')
    ('r', 7)
    >>> head_of(b'{"seq":7,"run":"r"')
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


PATIENCE = 5.0
"""Seconds after which the rest of a line is not expected any more."""


class Followed:
    r"""One journal, read on from where it was last read.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "run.jsonl"
    ...     path.write_bytes(b"one\ntwo\nthr") and None
    ...     followed = Followed(path)
    ...     first = [*followed.lines()]
    ...     with path.open("ab") as file:
    ...         file.write(b"ee\nfour\n") and None
    ...     first, [*followed.lines()]
    ([(0, b'one\n'), (4, b'two\n')], [(8, b'three\n'), (14, b'four\n')])
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """Lines that can't be read."""
        self._at = 0
        self._size = 0
        self._place: tuple[int, int] | None = None
        self._grown = time.monotonic()
        self._trouble = ""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Give the whole lines that are new, with the places where they begin."""
        try:
            with self.path.open("rb") as file:
                stat = os.fstat(file.fileno())
                size, place = stat.st_size, (stat.st_dev, stat.st_ino)
                if size < self._at or place != (self._place or place):
                    self._trouble = "was cut or replaced; start the server again to read it anew"
                    return
                self._place = place
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
                    begin, whole = self._at, block.rfind(b"\n") + 1
                    self._at += whole
                    for start, end in lines_of(block[:whole]):
                        yield begin + start, block[start:end]
                    if whole < len(block):
                        return  # the rest may come
            self._trouble = ""
        except OSError as error:
            self._trouble = f"can't be read: {error.strerror}"

    @property
    def problems(self) -> list[str]:
        found = [self._trouble] if self._trouble else []
        if self.damaged:
            lines = "a line is" if self.damaged == 1 else f"{self.damaged:,} lines are"
            found.append(f"{lines} torn or not a decision; skipped")
        if self._size > self._at and time.monotonic() - self._grown > PATIENCE:
            found.append("its last line is torn; the rest is shown")
        return [f"{self.path}: {problem}" for problem in found]


MOST_ROWS = 25_000
"""Decisions that are given at once: more would keep others waiting."""


class Fresh(NamedTuple):
    """Decisions that somebody does not have yet."""

    decisions: Iterator[Decision]
    last: dict[str, int]
    """What to ask for next, by a name."""
    more: bool
    """Whether there are others."""


class Unknown(Exception):
    """Somebody asks for what comes after something that is not known here."""


class Live:
    """All decisions of some journals, read on whenever somebody asks; threads may share it."""

    def __init__(self, paths: Callable[[], Iterable[Path]]) -> None:
        self.name = f"since-{secrets.token_hex(4)}"
        """Names the order in which this one has read the decisions."""
        self._paths = paths
        self._files: list[Followed] = []
        self._places = Places()
        self._lock = threading.Lock()

    def fresh(self, after: Mapping[str, int]) -> Fresh:
        """Give what comes after the rows that are known: by number here, or by runs."""
        with self._lock:
            self._read_on()
            count = len(self._places)
            start = min(after.get(self.name, 0), count)
            others = [name for name in after if name != self.name]
            for name in others:
                if name not in self._places.runs:
                    raise Unknown(name)
            stop = min(start + MOST_ROWS, count)
            places = [self._places[number] for number in range(start, stop)]
        if others:
            places = [one for one in places if one.sequence > after.get(one.run, 0)]
        return Fresh(self._decisions(places), {self.name: stop}, stop < count)

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Look a decision up; None if there is none."""
        with self._lock:
            place = self._places.find(run, sequence)
            if place is None:
                self._read_on()
                place = self._places.find(run, sequence)
        return next(self._decisions([place]), None) if place else None

    @property
    def problems(self) -> list[str]:
        """What can't be read."""
        with self._lock:
            return [problem for file in self._files for problem in file.problems]

    def _read_on(self) -> None:
        known = {file.path for file in self._files}
        self._files += [Followed(path) for path in self._paths() if path not in known]
        for number, file in enumerate(self._files):
            for offset, line in file.lines():
                if line.strip() and not self._places.add(number, offset, line):
                    file.damaged += 1

    def _decisions(self, places: Iterable[Place]) -> Iterator[Decision]:
        """Read lines again; what has changed meanwhile is left out."""
        number, file, at = -1, None, 0
        try:
            for place in places:
                if place.file != number:
                    if file:
                        file.close()
                    number, file, at = place.file, self._open(place.file), 0
                if file is None:
                    continue
                if place.offset != at:
                    file.seek(place.offset)
                line = file.readline(LONGEST_LINE)
                at = place.offset + len(line)
                decision = Decision.parse(line)
                if decision and _is_at(decision, place):
                    yield decision
        finally:
            if file:
                file.close()

    def _open(self, number: int) -> BinaryIO | None:
        try:
            return self._files[number].path.open("rb")
        except OSError:  # it was there before; the next look says what is wrong
            return None


def _is_at(decision: Decision, place: Place) -> bool:
    return decision.run == place.run and decision.entry.get("seq") == place.sequence
