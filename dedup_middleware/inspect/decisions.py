"""Decisions as stores and journals record them: typed access, the meaning of terms, doubt.

Doubt is how much a decision needs a second look, by the judge's thresholds and measures.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dedup_middleware.settings import STRICTNESS, Level
from dedup_middleware.urls import host_of
from dedup_middleware.verdict import REDUNDANT, Kind, Lost

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    "units": "the sentences, items and cells were compared, each in its place",
    "sentences": "the words, sentences and nodes of the two pages were compared",
    "method": "by the published method that DEDUP_METHOD names",
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
Shares = tuple[float, float]
"""How much of a page is known from the other, and the reverse."""
_BOUNDED = frozenset({Kind.NEAR, Kind.CONTAINED})
_MEASURES = ("covered", "aligned", "sentence_share", "tree", "common")
_FACTS = ("swapped", "numbers", "negated")
_BY_CLOSENESS, _BY_LOSS, _BY_SPREAD, _BY_FACTS = 0.8, 0.8, 0.5, 0.5
"""How much doubt each cause can give by itself."""
_WIDEST = 0.5
"""Measures of two pages that are so far apart disagree as much as they can."""
_MOST_PLACES = 4.0
"""More places in a hundred words where facts differ don't make two pages more doubtful."""


DEFAULT = STRICTNESS["balanced"]


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
        return self.entry.get("original")

    @property
    def supersedes(self) -> str | None:
        """The delivered page whose place it took."""
        return self.entry.get("supersedes")

    @property
    def closest(self) -> str | None:
        """The most similar known page, where none was similar enough."""
        return self.entry.get("closest")

    @property
    def reason(self) -> str:
        return str(self.entry.get("reason", ""))

    @property
    def scores(self) -> dict[str, Any]:
        return self.entry.get("scores") or {}

    @property
    def score(self) -> float | None:
        """The share of the page that its original has; None if it has no original."""
        if self.verdict in _SAME:
            return 1.0
        known = self.scores.get("known") or [self.scores.get("containment")]
        return None if self.original is None else known[0]

    @property
    def lost(self) -> Lost | None:
        """What the original does not have of the page; None if that is not known."""
        told = self.entry.get("lost")
        if not told:
            return None
        facts = tuple((here, there) for here, there in told.get("facts", ()))
        lists = {name: tuple(told.get(name, ())) for name in ("sentences", "moved")}
        return Lost(**{**told, **lists, "facts": facts})

    @property
    def changed(self) -> float:
        """The share of the main text that changed since the URL was last seen; 0 if unknown."""
        return float(self.scores.get("changed", 0))

    @property
    def changes(self) -> dict[str, list[str]]:
        """The first sentences that were `added` and `removed` since then; empty if unknown."""
        told = self.entry.get("changes")
        return {name: told[name] for name in ("removed", "added")} if told else {}

    @property
    def change_classes(self) -> list[str]:
        """Of what classes these changes are; empty if unknown."""
        return list(self.entry.get("changes", {}).get("classes", ()))

    @property
    def run(self) -> str:
        return str(self.entry.get("run", ""))

    @property
    def spider(self) -> str:
        return str(self.entry.get("spider", ""))

    @property
    def stage(self) -> str:
        return str(self.entry.get("stage", ""))

    @property
    def host(self) -> str:
        return host_of(self.url)

    @property
    def when(self) -> datetime | None:
        """The time of the decision; None if it is missing."""
        told = self.entry.get("time")
        return datetime.fromisoformat(told) if told else None

    @property
    def sequence(self) -> int:
        return self.entry.get("seq") or 0

    @property
    def overrules(self) -> int:
        """The number of an earlier decision of the run that no longer holds; 0 if there is none."""
        return self.entry.get("overrules") or 0

    @property
    def is_dry(self) -> bool:
        """Whether its run dropped nothing; the first decision of a run says so for all."""
        return bool(self.entry.get("dry_run"))

    @property
    def milliseconds(self) -> float:
        return self.entry.get("ms") or 0.0

    @property
    def size(self) -> int:
        """Bytes of the page as downloaded; 0 if unknown."""
        return self.entry.get("bytes") or 0

    @property
    def json(self) -> str:
        """The line as it was stored, in ASCII."""
        return self.line.decode("ascii").strip() or json.dumps(self.entry, separators=(",", ":"))


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


def thresholds_of(entry: dict[str, Any]) -> Level | None:
    """Return the thresholds that the first decision of a run tells; None for others."""
    told = entry.get("thresholds")
    return Level(*(told[name] for name in Level._fields)) if told else None


def doubt(decision: Decision, thresholds: Level = DEFAULT) -> float:
    """Return how much a decision needs a second look: 0 sure … 1 doubtful.

    Four causes add up: the page is close to where it would be judged the other way; what would be
    lost is close to what may be; the measures of the two pages disagree; numbers or names differ.
    Equal texts leave no doubt.
    """
    if decision.verdict in _SAME:
        return 0.0
    known = known_shares(decision)
    if known is None or decision.stage == "method":  # its thresholds are not in the journal
        score = share(decision.score)
        return 0.0 if score is None else 1.0 - score
    sure = 1.0 - _BY_CLOSENESS * _closeness(decision, known, thresholds)
    sure *= 1.0 - _BY_LOSS * _closeness_of_loss(decision, thresholds)
    sure *= 1.0 - _BY_SPREAD * min(1.0, _spread(decision) / _WIDEST)
    sure *= 1.0 - _BY_FACTS * min(1.0, _differing_places(decision) / _MOST_PLACES)
    return 1.0 - sure


def known_shares(decision: Decision) -> Shares | None:
    """Return the shares that the judge compared with its thresholds; None if it compared none.

    Samples alone never make a match; where all word sequences were compared and no more, their
    shares are what is known.
    """
    scores, known = decision.scores, decision.scores.get("known")
    if known is None and decision.stage == "shingles" and "contained_by" in scores:
        known = [scores["containment"], scores["contained_by"]]
    return _both(known)


def share(value: float | None) -> float | None:
    """Return a number as a share."""
    return None if value is None else float(min(1, max(0, value)))


def _closeness(decision: Decision, known: Shares, thresholds: Level) -> float:
    """Return 1 for a page on the line between redundant and not, down to 0 far from it."""
    beyond_near = _beyond(min(known), thresholds.near)
    beyond = max(beyond_near, _beyond(known[0], thresholds.contained))
    if (beyond >= 0) != (decision.verdict in REDUNDANT):
        return 1.0  # names, facts or rewording have outweighed the shares
    return 1.0 - min(1.0, abs(beyond))


def _closeness_of_loss(decision: Decision, thresholds: Level) -> float:
    """Return 1 for a page that would lose all that it may, down to 0 for one that loses nothing."""
    lost = decision.lost
    if decision.verdict not in _BOUNDED or lost is None or not lost.share:
        return 0.0
    bound = thresholds.max_loss if lost.bound is None else lost.bound
    return max(0.0, min(lost.share, bound) / max(lost.share, bound))


def _beyond(value: float, threshold: float) -> float:
    """Return how far a share is beyond a threshold, as a part of the way from there to 1."""
    return (value - threshold) / max(1.0 - threshold, 1e-3)


def _spread(decision: Decision) -> float:
    """Return how far apart the measures are of how much one page has of the other."""
    pairs = [both for name in _MEASURES if (both := _both(decision.scores.get(name)))]
    if decision.verdict == Kind.CONTAINED:
        found = [forward for forward, _ in pairs]
    elif decision.verdict == Kind.CONTAINS:
        found = [backward for _, backward in pairs]
    else:
        found = [min(both) for both in pairs]
    return max(found) - min(found) if found else 0.0


def _differing_places(decision: Decision) -> float:
    """Return in how many places of a hundred words numbers, names or denials differ."""
    scores = decision.scores
    shortest: float = min(scores.get("words", (0, 0)))
    differing: float = sum(scores.get(name, 0) for name in _FACTS)
    return differing / (1.0 + shortest / 100)


def _both(values: Sequence[float] | None) -> Shares | None:
    if not values:
        return None
    forward, backward = (min(1.0, max(0.0, value)) for value in values)
    return forward, backward
