"""The decisions of a store in order, filters for them, and how a page that users name is found."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from w3lib.url import canonicalize_url

from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.urls import is_within
from dedup_middleware.verdict import Action

from .decisions import DEFAULT, SKIPPED, Decision, doubt, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

_AT_ONCE = 512
"""Decisions that are searched together."""
FEW = 5
MOST_HOLDING = 1000
LIST_ALL = "`scrapy dedup drops --action all` lists the pages that are known"
_SUGGESTED = 10
_ALIKE = 0.3
"""URLs that share less of what was named are not worth a suggestion."""
_LONGEST = 1e5
"""Of URLs that share as much of it, the one of the most similar length is the better."""
_PLAIN_PATH = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/?#]*(/[a-z0-9._~/-]*)(?:[?#]|$)", re.IGNORECASE | re.ASCII
)
"""Paths that canonicalisation does not change: where they differ, it need not be done."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


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

    def skipped(self, urls: Iterable[str]) -> list[dict[str, Any]]:
        """Return the lines about requests to some URLs that were not sent, oldest first."""
        wanted = {*urls}
        found = map(json.loads, self.lines([SKIPPED]))
        return [line for line in found if line["url"] in wanted]

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
    since: datetime | None = None

    def matches(self, one: Decision) -> bool:
        return (
            (not self.verdicts or one.verdict in self.verdicts)
            and (not self.actions or one.action in self.actions)
            and (not self.host or is_within(one.host, self.host))
            and (not self.original or self.original in (one.original or ""))
            and (self.since is None or (one.when is not None and one.when >= self.since))
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


def possible_urls(text: str) -> list[str]:
    """List the URLs that a user may mean, the likeliest first.

    >>> possible_urls("https://example.org/a")
    ['https://example.org/a']
    >>> possible_urls("example.org/a")[:3]
    ['example.org/a', 'https://example.org/a', 'http://example.org/a']
    """
    if _SCHEME.match(text) and not re.match(r"[^/]*:\d", text):  # example.org:8080 has none
        return [text]
    urls = [text, f"https://{text}", f"http://{text}"]
    if text.startswith("//"):
        urls = [text, f"https:{text}", f"http:{text}"]
    try:
        return [*urls, Path(text).absolute().resolve().as_uri()]
    except (OSError, ValueError, RuntimeError):  # not a valid file name
        return urls


class UnknownPage(DedupError):
    """No page, or more than one, is meant by what a user has written; a line for each that may."""

    def __init__(self, text: str, holding: Sequence[str], near: Sequence[str]) -> None:
        """Take URLs that hold the text, up to a limit, and those that resemble it most."""
        self.is_unknown = not holding
        if holding:
            many = f"{len(holding):,}{' or more' * (len(holding) >= MOST_HOLDING)}"
            lines = [f"{many} URLs have {text!r} in them; name more of one:"]
        else:
            below = "The most similar URLs are:" if near else LIST_ALL
            lines = [f"There is no decision about {text}", below]
        lines += [f"  {url}" for url in holding[:_SUGGESTED] or near]
        if len(holding) > _SUGGESTED:
            lines.append(f"  and {len(holding) - _SUGGESTED:,} more")
        super().__init__(*lines)

    def __str__(self) -> str:
        return " ".join(map(str.strip, self.args))


def look_up_page(stored: StoredDecisions, text: str) -> Known:
    """Return what is known about a page as a user names it, by its URL or a part of that.

    Raise UnknownPage if no URL has the part, or more than one.
    """
    known = look_up(stored, possible_urls(text))
    if known.decisions:
        return known
    same, holding, near = closest(stored, text)
    if same is None and len(holding) < MOST_HOLDING:
        ending = [url for url in holding if url.endswith(text)]
        chosen = holding if len(holding) == 1 else ending
        same = chosen[0] if len(chosen) == 1 else None
    if same is None:
        raise UnknownPage(text, holding, near)
    return look_up(stored, [same])


def look_up(stored: StoredDecisions, urls: Sequence[str]) -> Known:
    """Return what is known about the first of some URLs that has a decision."""
    found = {url: Known(url) for url in urls}
    for decision in stored.holding(*(json.dumps(url).encode() for url in urls)):
        if decision.url in found:
            found[decision.url].decisions.append(decision)
            if decision.action != Action.DROP:
                found[decision.url].superseded_by = None  # it is an original again
        elif decision.supersedes in found:
            found[decision.supersedes].superseded_by = decision.url
        elif decision.original in found and decision.action == Action.DROP:
            known = found[decision.original]
            before = known.replaced_count
            known.replaced_hashes.add(hash(decision.url))
            if before < known.replaced_count <= FEW:
                known.replaced.append(decision)
    return next((known for known in found.values() if known.decisions), found[urls[0]])


def closest(stored: StoredDecisions, text: str) -> tuple[str | None, list[str], list[str]]:
    """Return the URL that is the same when canonicalised, those that hold a text, similar ones."""
    canonical = [_canonical(url) for url in possible_urls(text)]
    paths = [_PLAIN_PATH.match(url) for url in canonical]
    part = text.lower()
    pieces = _pieces(part)
    same: str | None = None
    holding: dict[str, None] = {}  # in order
    best: dict[str, float] = {}
    for decision in stored:
        other = decision.url
        plain = _PLAIN_PATH.match(other)
        if any(
            not (path and plain and path[1] != plain[1]) and _canonical(other) == url
            for url, path in zip(canonical, paths, strict=True)
        ):
            same = other
        if same is not None:
            continue
        lower = other.lower()
        if part in lower and len(holding) < MOST_HOLDING:
            holding[other] = None
        shared = len(pieces & _pieces(lower)) / len(pieces)
        if shared >= _ALIKE:
            best[other] = shared - abs(len(lower) - len(part)) / _LONGEST
            if len(best) > FEW:
                del best[min(best, key=lambda url: best[url])]
    return same, [*holding], sorted(best, key=lambda url: -best[url])


def _pieces(text: str) -> set[str]:
    """Return the sequences of three characters in a text, by which misspelt ones are found."""
    return {text[at : at + 3] for at in range(max(1, len(text) - 2))}


def _canonical(url: str) -> str:
    try:
        return canonicalize_url(url)
    except ValueError:
        return url
