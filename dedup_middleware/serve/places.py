"""Where the lines of decisions begin: numbers in columns, of a million decisions some megabytes."""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.review.decisions import Decision

if TYPE_CHECKING:
    from collections.abc import Collection

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
