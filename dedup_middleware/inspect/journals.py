"""Journals to search, and filters: the decisions of a store, or files where no store is left."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dedup_middleware.errors import StoreError
from dedup_middleware.files import blocks, lines_of, lines_with
from dedup_middleware.urls import host_needles, is_within

from .decisions import SKIPPED, Decision, escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    Watch = Callable[[int], object]

LONGEST_LINE = 64 << 20
_AT_ONCE = 512  # decisions of a store that are searched together
_ODD = re.compile(rb"\n(?:(?!\{)|(?<!\}\n))")  # a line ends without }, or begins without {


class Source(Protocol):
    """Lines of a journal, which can be read more than once."""

    name: str
    watch: Watch | None
    """Called with how much more was read."""

    @property
    def size(self) -> int:
        """How much there is to read."""

    def blocks(self) -> Iterator[bytes | None]:
        """Yield whole lines, many at a time; None for a line that is too long."""


class JournalFile:
    """A journal as a file of JSON lines."""

    watch: Watch | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)

    @property
    def size(self) -> int:
        return 2 * self.path.stat().st_size  # what is overruled is looked for first

    def blocks(self) -> Iterator[bytes | None]:
        with self.path.open("rb") as file:
            for block in blocks(file, LONGEST_LINE):
                if self.watch and block:
                    self.watch(len(block))
                yield block


class StoreJournal:
    """The decisions of a store, or of one of its runs.

    They are read in once, and kept compressed: a crawl may be using the store, and could not reuse
    its space while somebody looks at a long list.
    """

    watch: Watch | None = None

    def __init__(self, place: str | Path, name: str, run: str | None = None, size: int = 0) -> None:
        self.name = name
        self.size = size
        self._place = place
        self._run = run

    def blocks(self) -> Iterator[bytes | None]:
        import zstandard

        unpack = zstandard.ZstdDecompressor().decompress
        return map(unpack, self._packed)

    @cached_property
    def _packed(self) -> list[bytes]:
        import zstandard

        from dedup_middleware.journal import lines_of_run  # imports numpy
        from dedup_middleware.store import open_reader

        pack = zstandard.ZstdCompressor(level=1).compress
        packed = []
        with open_reader(self._place) as reader, reader.snapshot() as view:
            every = lines_of_run(view, self._run) if self._run else view.decisions()
            lines = filter(None, every)  # one that can't be read is empty
            for some in iter(lambda: [*islice(lines, _AT_ONCE)], []):
                packed.append(pack(b"\n".join([*some, b""])))
                if self.watch:
                    self.watch(len(some))
        return packed


class Journals:
    """Journals to search, more than once if needed.

    What can't be read is reported to `warn` once, and listed in `problems`.
    """

    def __init__(
        self,
        sources: Sequence[Source | Path],
        warn: Callable[[str], object] | None = None,
    ) -> None:
        self._sources = [JournalFile(one) if isinstance(one, Path) else one for one in sources]
        self._overruled: dict[int, set[int]] = {}
        self.problems: list[str] = []
        self._report = warn
        self._warned: set[str] = set()

    def decisions(
        self, *needles: Iterable[bytes], any_case: Iterable[bytes] = ()
    ) -> Iterator[Decision]:
        """Yield the decisions whose lines hold one of each group of needles.

        The group `any_case` is in lower case and ignores the case of lines. Needles keep most
        lines of a big journal from the JSON parser; one may also occur where it means something
        else, so the caller still has to check. Decisions that a later line of the journal overrules
        are left out.
        """
        groups, ignoring_case = [*map(tuple, needles)], tuple(any_case)
        for number, source in enumerate(self._sources):
            search = _Search(groups, ignoring_case)
            try:
                if number not in self._overruled:
                    self._overruled[number] = overruled_in(source)
                overruled = self._overruled[number]
                for decision in search.decisions(source.blocks()):
                    if not overruled or decision.sequence not in overruled:
                        yield decision
            except OSError as error:
                problem = f"Can't read the journal {source.name}: {error.strerror}"
                if len(self._sources) == 1:
                    raise StoreError(problem) from error
                self._warn(source.name, problem)
            if damage := search.damage(source.name):
                self._warn(source.name, damage)

    def skipped(self, urls: Iterable[str]) -> list[dict[str, Any]]:
        """Return the lines about requests to some URLs that were not sent, oldest first."""
        wanted = {*urls}
        needles = [b'"url":"%s"' % escaped(url) for url in wanted]
        found = []
        for block in filter(None, chain.from_iterable(one.blocks() for one in self._sources)):
            for start, end in lines_with(block, needles):
                if SKIPPED in block[start:end]:
                    with suppress(ValueError):  # a torn line
                        found.append(json.loads(block[start:end]))
        return [line for line in found if line["url"] in wanted]

    def _warn(self, name: str, problem: str) -> None:
        if name in self._warned:
            return
        self._warned.add(name)
        self.problems.append(problem)
        if self._report:
            self._report(problem)


@dataclass(frozen=True)
class Filter:
    """Conditions on a decision; empty ones do not apply.

    >>> from dedup_middleware.inspect.decisions import Decision
    >>> line = b'{"url": "https://www.example.org/a", "verdict": "exact", "action": "drop"}'
    >>> exact = Decision.parse(line)
    >>> Filter(host="example.org").matches(exact)
    True
    """

    verdicts: frozenset[str] | set[str] = frozenset()
    actions: frozenset[str] | set[str] = frozenset()
    runs: frozenset[str] | set[str] = frozenset()
    host: str = ""
    """A host or domain, as `named_host` returns it."""
    original: str = ""
    """A part of the original's URL."""
    since: datetime | None = None

    def matches(self, decision: Decision) -> bool:
        for test in self._tests:  # noqa: SIM110 - a generator is slower, this runs for millions
            if not test(decision):
                return False
        return True

    def select(self, journals: Journals) -> Iterator[Decision]:
        """Yield the decisions that match."""
        needles = host_needles(self.host) if self.host else ()
        for decision in journals.decisions(*self._needles, any_case=needles):
            if self.matches(decision):
                yield decision

    @cached_property
    def _tests(self) -> list[Callable[[Decision], bool]]:
        tests: list[Callable[[Decision], bool]] = []
        if self.verdicts:
            tests.append(lambda one: one.verdict in self.verdicts)
        if self.actions:
            tests.append(lambda one: one.action in self.actions)
        if self.runs:
            tests.append(lambda one: one.run in self.runs)
        if self.host:
            tests.append(lambda one: is_within(one.host, self.host))
        if self.original:
            tests.append(lambda one: self.original in (one.original or ""))
        if since := self.since:
            tests.append(lambda one: one.when is not None and one.when >= since)
        return tests

    @cached_property
    def _needles(self) -> list[list[bytes]]:
        """Lists of strings: a matching line holds one of each; quotes within texts are escaped."""
        needles = [
            [b'"%s"' % escaped(word) for word in words]
            for words in (self.verdicts, self.actions, self.runs)
            if words
        ]
        return [*needles, [escaped(self.original)]] if self.original else needles


def decisions_with(source: Source, needle: bytes) -> Iterator[Decision]:
    """Yield the decisions whose lines hold a needle, also those that were overruled."""
    for block in source.blocks():
        for start, end in lines_with(block, [needle]) if block else ():
            if block and (decision := Decision.parse(block[start:end])):
                yield decision


def first_decision(journal: Path) -> Decision | None:
    """Return the first decision of a journal; None if it can't be read."""
    try:
        with journal.open("rb") as file:
            return Decision.parse(file.readline(LONGEST_LINE))
    except OSError:
        return None


def first_decisions(source: Source) -> Iterator[Decision]:
    """Yield the first decision of each run, which tells what the others depend on."""
    return decisions_with(source, b'"thresholds":')


def overruled_in(source: Source) -> set[int]:
    """Return the numbers of the decisions that later lines of a journal overrule."""
    found = (one.overrules for one in decisions_with(source, b'"overrules":'))
    return {number for number in found if number}


class _Search:
    """A search in blocks of lines, for decisions whose lines hold one of each group of needles."""

    def __init__(self, groups: Iterable[Iterable[bytes]], any_case: Iterable[bytes]) -> None:
        # the longest needles are probably the rarest
        needles = sorted(map(tuple, groups), key=lambda group: min(map(len, group)), reverse=True)
        self._any_case = tuple(any_case)
        self._first = () if self._any_case or not needles else needles.pop(0)
        self._others = needles
        self._read = 0
        """Lines of earlier blocks."""
        self._damaged: list[int] = []
        """The numbers of the lines that can't be read."""

    def decisions(self, found: Iterable[bytes | None]) -> Iterator[Decision]:
        for block in found:
            if block is None:  # a line that is too long
                self._read += 1
                self._damaged.append(self._read)
                continue
            torn = _torn_lines(block)
            for start in torn:
                self._note_damage(block, start)
            for start, end in self._lines(block):
                line = block[start:end]
                if start in torn or not self._wants(line):
                    continue
                decision = Decision.parse(line)
                if decision:
                    yield decision
                elif SKIPPED not in line:
                    self._note_damage(block, start)
            self._read += block.count(b"\n")

    def damage(self, name: str) -> str:
        """Say which lines can't be read; return nothing if all can."""
        if not self._damaged:
            return ""
        others = len(self._damaged) - 1
        more = f", and {others:,} more lines" if others else ""
        return f"{name}:{min(self._damaged)}: torn or not a decision; skipped{more}"

    def _note_damage(self, block: bytes, start: int) -> None:
        self._damaged.append(self._read + block.count(b"\n", 0, start) + 1)

    def _lines(self, block: bytes) -> Iterator[tuple[int, int]]:
        if self._any_case:
            return lines_with(block.lower(), self._any_case)
        return lines_with(block, self._first) if self._first else lines_of(block)

    def _wants(self, line: bytes) -> bool:
        for group in self._others:
            for needle in group:  # no generators: this runs for each line of a big journal
                if needle in line:
                    break
            else:
                return False
        return True


def _torn_lines(block: bytes) -> set[int]:
    """Return where incomplete lines begin, such as a crash leaves behind; few blocks have one."""
    end = len(block) - block.endswith(b"\n")
    if block[:1] == b"{" and block[end - 1 : end] == b"}" and not _ODD.search(block, 0, end):
        return set()
    return {start for start, end in lines_of(block) if not _looks_complete(block[start:end])}


def _looks_complete(line: bytes) -> bool:
    return line[:1] == b"{" and line.rstrip()[-1:] == b"}"
