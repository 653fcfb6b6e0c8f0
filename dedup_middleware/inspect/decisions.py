"""Decisions as journals record them: fast reading, typed access, the meaning of their terms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.jsonl import BLOCK, blocks, lines_of, lines_with
from dedup_middleware.urls import host_of
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

VERDICTS = {
    "unique": "nothing like it is known",
    "exact": "all its visible text equals that of another page",
    "near": "it and another page are nearly the same",
    "contained": "another page contains it",
    "contains": "it contains pages that were known before, and more",
    "unchanged": "its text is the same as when the URL was last seen",
    "updated": "the text at this URL has changed",
}
STAGES = {
    "read": "reading the page was enough",
    "digest": "by a hash of the whole text",
    "main": "by the main text alone: what is around it has changed",
    "lookup": "no known page shared enough to be a candidate",
    "estimate": "by samples of the texts",
    "shingles": "all word sequences were compared",
    "sentences": "all words, sentences and nodes of the two pages were compared",
    "method": "by the published method that DEDUP_METHOD names",
}
SCORES = {
    "simhash_distance": "bits of 64 in which the fingerprints differ",
    "resemblance": "share of both texts together that is in both",
    "containment": "share of this page's text that is in the other page",
    "contained_by": "share of the other page's text that is in this one",
    "rs": "share of sentences found in the other: of this page, of the other",
    "odds_ratio": "odds that they are the same page, from the two shares of sentences; up to 100",
    "tree": "share of content in matched nodes that keep their order: of this page, of the other",
    "covered": "share of words in runs of four that both pages have: of this page, of the other",
    "aligned": "share of words that both pages have in the same order: of this page, of the other",
    "sentence_share": "share of content in matched sentences: of this page, of the other",
    "swapped": "places where the pages have different numbers or names",
    "subject": "how often each page names something that the other never mentions",
    "replaced": "words of passages for which the other page has a passage on something else",
    "words": "words of the main text: of this page, of the other",
    "common": "share of words that the other has too, wherever: of this page, of the other",
    "facts": "share of numbers and names that the other has too: of this page, of the other",
    "numbers": "amounts, telephone and account numbers that differ",
    "chain": "share of content in sentences that are alike, in the same order in both pages",
    "negated": "sentences that the other page denies",
    "changed": "share of the main text that changed since this URL was last seen",
    "known": "share of this page known from the other, and the reverse: the basis of the verdict",
}

LONGEST_LINE = 64 << 20
_ODD = re.compile(rb"\n(?:(?!\{)|(?<!\}\n))")  # a line ends without }, or begins without {
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # `loads` looks for encodings first
OVERRULES = b'"overrules":'
_SAME = frozenset({Kind.EXACT, Kind.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a page, as a line of a journal says it."""

    line: bytes = field(repr=False)
    entry: dict[str, Any] = field(repr=False)
    url: str
    verdict: str
    action: str

    @classmethod
    def parse(cls, line: bytes) -> Decision | None:
        """Parse a line; return None if it is not a decision."""
        try:
            text = line.decode().strip()
            entry, end = _scan(text, 0)
        except (ValueError, RecursionError, StopIteration):
            return None
        return cls.of(entry, line) if end == len(text) else None

    @classmethod
    def of(cls, entry: object, line: bytes = b"") -> Decision | None:
        if not isinstance(entry, dict):
            return None
        url, verdict, action = entry.get("url"), entry.get("verdict"), entry.get("action")
        if not (isinstance(url, str) and isinstance(verdict, str) and isinstance(action, str)):
            return None
        return cls(line, entry, url, verdict, action)

    @property
    def original(self) -> str | None:
        """The known page that it repeats or contains."""
        original = self.entry.get("original")
        return original if isinstance(original, str) else None

    @property
    def supersedes(self) -> str | None:
        """The delivered page whose place it took."""
        return self._text("supersedes") or None

    @property
    def reason(self) -> str:
        return self._text("reason")

    @property
    def scores(self) -> dict[str, Any]:
        scores = self.entry.get("scores")
        return scores if isinstance(scores, dict) else {}

    @property
    def score(self) -> float | None:
        """The share of the page that its original has; None if it has no original."""
        if self.verdict in _SAME:
            return 1.0
        known = self.scores.get("known")
        if isinstance(known, list | tuple) and known:
            share = known[0]
        else:
            share = self.scores.get("containment")
        return None if self.original is None else _finite(share)

    @property
    def changed(self) -> float:
        """The share of the main text that changed since the URL was last seen; 0 if unknown."""
        return min(1.0, max(0.0, _finite(self.scores.get("changed")) or 0.0))

    @property
    def run(self) -> str:
        return self._text("run")

    @property
    def spider(self) -> str:
        return self._text("spider")

    @property
    def stage(self) -> str:
        return self._text("stage")

    @property
    def closest(self) -> str | None:
        """The most similar known page, where none was similar enough."""
        return self._text("closest") or None

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def when(self) -> datetime | None:
        """The time of the decision; None if it is missing or not valid."""
        try:
            when = datetime.fromisoformat(self._text("time"))
        except ValueError:
            return None
        return when if when.tzinfo else when.replace(tzinfo=UTC)

    @property
    def sequence(self) -> int:
        return int(self._number("seq"))

    @property
    def overrules(self) -> int:
        """The number of an earlier decision of the run that no longer holds; 0 if there is none."""
        return int(self._number("overrules"))

    @property
    def milliseconds(self) -> float:
        return self._number("ms")

    @property
    def size(self) -> int:
        """Bytes of the page as downloaded; 0 if unknown."""
        return int(self._number("bytes"))

    @property
    def json(self) -> str:
        """The line as in the journal, but always in ASCII without control characters."""
        if self.line.isascii() and b"\x7f" not in self.line:
            return self.line.decode("ascii").strip()
        return json.dumps(self.entry, separators=(",", ":"))

    def _text(self, key: str) -> str:
        value = self.entry.get(key)
        return value if isinstance(value, str) else ""

    def _number(self, key: str) -> float:
        return _finite(self.entry.get(key)) or 0


def _finite(value: object) -> float | None:
    """Return a value if it is a finite number; a line may hold an integer beyond all floats."""
    try:
        return value if isinstance(value, int | float) and isfinite(value) else None
    except OverflowError:
        return None


def escaped(text: str) -> bytes:
    """Return a text as a journal writes it, without the quotes around it."""
    return json.dumps(text)[1:-1].encode()


class Journals:
    """Journals to read, more than once if needed.

    What can't be read is reported to `complain` once, and listed in `problems`; `watch` is called
    with the number of bytes whenever some have been read.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        complain: Callable[[str], object] | None = None,
        watch: Callable[[int], object] | None = None,
    ) -> None:
        self.paths = paths
        self._watch = watch
        self.problems: list[str] = []
        self._report = complain
        self._complained: set[Path] = set()

    def decisions(
        self, *needles: Iterable[bytes], any_case: Iterable[bytes] = ()
    ) -> Iterator[Decision]:
        """Yield the decisions whose lines hold one of each group of needles.

        The group `any_case` is in lower case and ignores the case of lines. Needles keep most
        lines of a big journal from the JSON parser; one may also occur where it means something
        else, so the caller still has to check. Decisions that a later line of the journal overrules
        are left out.
        """
        finder = _Finder([tuple(group) for group in needles], tuple(any_case))
        for path in self.paths:
            damage = _Damage(path)
            try:
                with path.open("rb") as file:
                    overruled = overruled_by_later(file)
                    for decision in _read(file, finder, damage, self._watch):
                        if not overruled or decision.sequence not in overruled:
                            yield decision
            except OSError as error:
                problem = f"Can't read the journal {path}: {error.strerror}"
                if len(self.paths) == 1:
                    raise StoreError(problem) from error
                self._complain(path, problem)
            if damage.count:
                self._complain(path, damage.message())

    def _complain(self, path: Path, problem: str) -> None:
        if path in self._complained:
            return
        self._complained.add(path)
        self.problems.append(problem)
        if self._report:
            self._report(problem)


def overruled_by_later(file: BinaryIO) -> set[int]:
    """Return the numbers of the decisions that later lines of a journal overrule."""
    finder = _Finder([(OVERRULES,)], ())
    found = {
        number
        for block in blocks(file, LONGEST_LINE)
        if block is not None
        for start, end in finder.lines(block)
        if (decision := Decision.parse(block[start:end])) and (number := decision.overrules)
    }
    file.seek(0)
    return found


def _read(
    file: BinaryIO,
    finder: _Finder,
    damage: _Damage,
    watch: Callable[[int], object] | None,
) -> Iterator[Decision]:
    for block in blocks(file, LONGEST_LINE):
        if watch and block:
            watch(len(block))
        if block is None:
            damage.add(file.tell() - 1)
            continue
        begin = file.tell() - len(block)
        odd = _is_odd(block)
        if odd:
            for start, end in lines_of(block):
                if not _looks_complete(block[start:end]):
                    damage.add(begin + start)
        for start, end in finder.lines(block):
            line = block[start:end]
            if finder.wants(line) and not (odd and not _looks_complete(line)):
                decision = Decision.parse(line)
                if decision:
                    yield decision
                else:
                    damage.add(begin + start)


class _Finder:
    """Search for lines that hold one of each group of needles."""

    def __init__(self, groups: list[tuple[bytes, ...]], any_case: tuple[bytes, ...]) -> None:
        self._any_case = any_case
        # the longest needles are probably the rarest
        groups.sort(key=lambda group: min(map(len, group)), reverse=True)
        self._first = () if any_case or not groups else groups[0]
        self._others = groups[1:] if self._first else groups

    def lines(self, block: bytes) -> Iterator[tuple[int, int]]:
        if self._any_case:
            return lines_with(block.lower(), self._any_case)
        return lines_with(block, self._first) if self._first else lines_of(block)

    def wants(self, line: bytes) -> bool:
        for group in self._others:
            for needle in group:  # no generators: this runs for each line of a big journal
                if needle in line:
                    break
            else:
                return False
        return True


class _Damage:
    """Lines of a journal that can't be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first = 0
        self.count = 0

    def add(self, offset: int) -> None:
        """Record a line by the offset of its first byte, or of any other."""
        self._first = min(self._first, offset) if self.count else offset
        self.count += 1

    def message(self) -> str:
        more = f", and {self.count - 1:,} more lines" if self.count > 1 else ""
        return f"{self._path}:{self._number()}: torn or not a decision; skipped{more}"

    def _number(self) -> int:
        number, left = 1, self._first
        with self._path.open("rb") as file:
            while left and (piece := file.read(min(left, BLOCK))):
                number += piece.count(b"\n")
                left -= len(piece)
        return number


def _is_odd(block: bytes) -> bool:
    """Return True if some line of a block does not look complete."""
    end = len(block) - block.endswith(b"\n")
    return block[:1] != b"{" or block[end - 1 : end] != b"}" or bool(_ODD.search(block, 0, end))


def _looks_complete(line: bytes) -> bool:
    return line[:1] == b"{" and (line[-2:] == b"}\n" or line.rstrip()[-1:] == b"}")
