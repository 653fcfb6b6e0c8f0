"""The decisions of a store in order, filters for them, and how a page that users name is found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.urls import is_within, url_key
from dedup_middleware.verdict import Action

from .decisions import DEFAULT, SKIPPED, Decision, doubt, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

_AT_ONCE = 512
"""Decisions that are searched together."""
FEW = 5
MOST_HOLDING = 1000
LIST_ALL = (
    "`scrapy dedup drops --action all --all-runs` lists the pages that are known; --store names "
    "another store"
)
_SUGGESTED = 10


class _Survey(NamedTuple):
    """What has to be known of a run before its decisions are read."""

    overruled: frozenset[int]
    """The numbers of decisions that later ones overrule."""
    firsts: dict[str, Decision]
    """The first decision of each run, which tells what the others depend on."""


class StoredDecisions:
    """The decisions of a store, or of one of its runs; those that were overruled are left out.

    They are read in once, and kept compressed: a crawl may be using the store, and could not reuse
    its space while somebody looks at a long list.
    """

    def __init__(self, place: str | Path, run: str | None = None) -> None:
        self.place = place
        self.watch: Callable[[int], object] | None = None
        """Called with how many more decisions were read."""
        self._run = run
        self._after = 0
        self.size = 0
        """How many decisions are read."""
        self._choose()

    @classmethod
    def newest(cls, place: str | Path) -> StoredDecisions:
        """Return the decisions of the newest run that has any; all of them if there is none."""
        from dedup_middleware.journal import lines_of_run  # imports numpy
        from dedup_middleware.store import open_reader

        with open_reader(place) as reader, reader.snapshot() as view:
            runs = dict.fromkeys(run["run"] for run in reversed(view.runs()))
            newest = next((run for run in runs if any(lines_of_run(view, run))), None)
        return cls(place, newest)

    def __iter__(self) -> Iterator[Decision]:
        return self.holding()

    def holding(self, *needles: bytes) -> Iterator[Decision]:
        """Yield the decisions whose lines hold one of some strings, or all decisions.

        That spares most lines the JSON parser. A string may also occur where it means something
        else, so the caller still has to check.
        """
        for line in self.lines(needles):
            decision = Decision.parse(line)
            if decision and decision.sequence not in self.overruled:
                yield decision

    def skipped(self, text: str) -> list[dict[str, Any]]:
        """Return the lines about requests that were not sent to URLs so named, oldest first."""
        found = map(json.loads, self.lines([SKIPPED]))
        return [line for line in found if means(text, line["url"])]

    def doubt(self, decision: Decision) -> float:
        """Return how doubtful a decision is by the thresholds of its run."""
        return round(doubt(decision, self._thresholds.get(decision.run, DEFAULT)), 4)

    @property
    def overruled(self) -> frozenset[int]:
        """The numbers of the decisions that later ones overrule."""
        return self._survey.overruled

    @property
    def spiders(self) -> list[str]:
        return list(dict.fromkeys(one.spider for one in self._survey.firsts.values() if one.spider))

    @property
    def dry_runs(self) -> list[str]:
        """The runs that dropped nothing: their drops are those that a real run would have made."""
        return [run for run, one in self._survey.firsts.items() if one.is_dry]

    @property
    def is_dry(self) -> bool:
        """Whether all runs were dry."""
        return len(self.dry_runs) == len(self._survey.firsts)

    @cached_property
    def _thresholds(self) -> dict[str, Any]:
        firsts = self._survey.firsts
        return {run: told for run, one in firsts.items() if (told := thresholds_of(one.entry))}

    @cached_property
    def _survey(self) -> _Survey:
        overruled, firsts = set(), {}
        for line in self.lines([b'"overrules":', b'"thresholds":']):
            if one := Decision.parse(line):
                overruled.add(one.overrules)
                if "thresholds" in one.entry:
                    firsts[one.run] = one
        return _Survey(frozenset(overruled - {0}), firsts)

    def _choose(self) -> None:
        """Find out from where on the run has decisions, and how many there are at most."""
        from dedup_middleware.store import open_reader  # imports numpy and lmdb

        with open_reader(self.place) as reader, reader.snapshot() as view:
            if self._run is not None:
                runs = view.runs()
                begins = [one.get("last_sequence", 0) for one in runs if one["run"] == self._run]
                if not begins:
                    known = ", ".join([*dict.fromkeys(one["run"] for one in runs)][-5:])
                    raise NotAStore(f"There is no run {self._run}; the newest runs are {known}")
                self._after = min(begins)
            self.size = view.last_sequence() - max(self._after, view.first_sequence() - 1)

    def lines(self, needles: Iterable[bytes] = ()) -> Iterator[bytes]:
        """Yield lines as they are, also those that were overruled; with needles as `holding`."""
        import zstandard

        unpack, wanted = zstandard.ZstdDecompressor().decompress, tuple(needles)
        for block in map(unpack, self._packed):
            if wanted and not any(one in block for one in wanted):
                continue
            for line in block.splitlines():
                if not wanted or any(one in line for one in wanted):
                    yield line

    @cached_property
    def _packed(self) -> list[bytes]:
        """All lines, many at a time."""
        import zstandard

        from dedup_middleware.store import open_reader

        pack = zstandard.ZstdCompressor(level=1).compress
        run = f'"run":{json.dumps(self._run)},'.encode() if self._run is not None else b""
        packed = []
        with open_reader(self.place) as reader, reader.snapshot() as view:
            lines = filter(None, view.decisions(after=self._after))
            for some in iter(lambda: [*islice(lines, _AT_ONCE)], []):
                packed.append(pack(b"\n".join(line for line in some if run in line)))
                if self.watch:
                    self.watch(len(some))
        return packed


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
    host: str = ""
    """A host or domain, as `named_host` returns it."""
    original: str = ""
    """A part of the original's URL."""

    def matches(self, one: Decision) -> bool:
        return (
            (not self.verdicts or one.verdict in self.verdicts)
            and (not self.actions or one.action in self.actions)
            and (not self.host or is_within(one.host, self.host))
            and (not self.original or self.original in (one.original or ""))
        )

    def select(self, decisions: StoredDecisions) -> Iterator[Decision]:
        """Yield the decisions that match."""
        actions = (b'"action":"%s"' % one.encode() for one in self.actions)
        return filter(self.matches, decisions.holding(*actions))


@dataclass(slots=True)
class Known:
    """The decisions about a URL, oldest first, and the pages dropped as its copies."""

    url: str
    decisions: list[Decision] = field(default_factory=list)
    replaced: list[Decision] = field(default_factory=list)
    """The first few pages that were dropped as its copies."""
    replaced_hashes: set[int] = field(default_factory=set)
    """Hashes of all their URLs, which may be very many."""
    superseded_by: str | None = None
    """The page that has taken its place."""

    @property
    def replaced_count(self) -> int:
        return len(self.replaced_hashes)


class UnknownPage(DedupError):
    """No page, or more than one, is meant by what a user has written; a line for each that may."""

    def __init__(self, text: str, holding: Sequence[str]) -> None:
        """Take URLs that hold the text, up to a limit."""
        self.is_unknown = not holding
        lines = [f"There is no decision about {text}", LIST_ALL]
        if holding:
            many = f"{len(holding):,}{' or more' * (len(holding) >= MOST_HOLDING)}"
            lines = [f"{many} URLs have {text!r} in them; name more of one:"]
            lines += [f"  {url}" for url in holding[:_SUGGESTED]]
        if len(holding) > _SUGGESTED:
            lines.append(f"  and {len(holding) - _SUGGESTED:,} more")
        super().__init__(*lines)

    def __str__(self) -> str:
        return " ".join(map(str.strip, self.args))


def means(text: str, url: str) -> bool:
    """Return True if a text names a URL: in any spelling, or by a part of it.

    >>> means("example.org/a?y&x", "https://example.org/a?x&y"), means("/A", "https://example.org/a")
    (True, True)
    """
    return text.lower() in url.lower() or url_key(url) in _keys(text)


def _keys(text: str) -> list[bytes]:
    """Return the keys of the URLs that a text may be."""
    return [url_key(f"{scheme}{text}") for scheme in ("", "https://", "http://")]


def look_up_page(stored: StoredDecisions, text: str) -> Known:
    """Return what is known about a page as a user names it, by its URL or a part of that.

    Raise UnknownPage if no URL has the part, or more than one.
    """
    known = look_up(stored, text)
    if known.decisions:
        return known
    keys, part = _keys(text), text.lower()
    holding: dict[str, None] = {}  # in order
    for decision in stored:
        if url_key(decision.url) in keys:
            return look_up(stored, decision.url)
        if part in decision.url.lower() and len(holding) < MOST_HOLDING:
            holding[decision.url] = None
    ending = [url for url in holding if url.endswith(text)]
    chosen = ending if len(ending) == 1 and len(holding) < MOST_HOLDING else [*holding]
    if len(chosen) != 1:
        raise UnknownPage(text, chosen)
    return look_up(stored, *chosen)


def look_up(stored: StoredDecisions, url: str) -> Known:
    """Return what is known about a URL."""
    known = Known(url)
    for decision in stored.holding(json.dumps(url).encode()):
        if decision.url == url:
            known.decisions.append(decision)
            if decision.action != Action.DROP:
                known.superseded_by = None  # it is an original again
        elif decision.supersedes == url:
            known.superseded_by = decision.url
        elif decision.original == url and decision.action == Action.DROP:
            before = known.replaced_count
            known.replaced_hashes.add(hash(decision.url))
            if before < known.replaced_count <= FEW:
                known.replaced.append(decision)
    return known
