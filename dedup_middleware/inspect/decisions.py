"""Decisions as stores and journals record them: typed access, the meaning of their terms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from dedup_middleware.urls import host_of
from dedup_middleware.verdict import Kind, Lost

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    "units": "all sentences, items and cells were compared, each in its place",
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

SKIPPED = b'"verdict":null,"action":"skip",'
"""The bytes by which lines about requests that were not sent are recognised: they are no decisions
about pages."""
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # `loads` looks for encodings first
_HEAD = re.compile(rb'\{"v":\d+,"seq":([1-9]\d{0,14}),"time":"[^"\\]*","run":"([ -~]*?)",')
"""How our own lines begin; other lines are parsed as JSON."""
_HIGHEST = 1 << 53
"""The largest integer that browsers count exactly."""
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
    def lost(self) -> Lost | None:
        """What the original does not have of the page; None if that is not known."""
        told = self.entry.get("lost")
        if not isinstance(told, dict):
            return None
        words, units, of = (int(_finite(told.get(name)) or 0) for name in ("words", "units", "of"))
        return Lost(
            _finite(told.get("share")) or 0.0,
            words,
            units,
            of,
            tuple(_texts(told.get("sentences"))),
            tuple(_pairs(told.get("facts"))),
            tuple(_texts(told.get("moved"))),
            _finite(told.get("bound")),
        )

    @property
    def changed(self) -> float:
        """The share of the main text that changed since the URL was last seen; 0 if unknown."""
        return min(1.0, max(0.0, _finite(self.scores.get("changed")) or 0.0))

    @property
    def changes(self) -> dict[str, list[str]]:
        """The first sentences that were `added` and `removed` since then; empty if unknown."""
        told = self.entry.get("changes")
        names = ("removed", "added")
        return {name: _texts(told.get(name)) for name in names} if isinstance(told, dict) else {}

    @property
    def change_classes(self) -> list[str]:
        """Of what classes these changes are; empty if unknown."""
        told = self.entry.get("changes")
        return _texts(told.get("classes")) if isinstance(told, dict) else []

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
    def is_dry(self) -> bool:
        """Whether its run dropped nothing; the first decision of a run says so for all."""
        return self.entry.get("dry_run") is True

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
        if self.line and self.line.isascii() and b"\x7f" not in self.line:
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


def _texts(values: object) -> list[str]:
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []


def _pairs(values: object) -> Iterator[tuple[str, str]]:
    for one in values if isinstance(values, list) else ():
        match _texts(one):
            case [here, there]:
                yield here, there


def escaped(text: str) -> bytes:
    """Return a text as a journal writes it, without the quotes around it."""
    return json.dumps(text)[1:-1].encode()


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
    decision = Decision.parse(line)
    sequence = decision.entry.get("seq") if decision else None
    if decision is None or type(sequence) is not int or not 0 < sequence < _HIGHEST:
        return None
    return decision.run, sequence
