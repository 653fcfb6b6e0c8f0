"""Decisions summed up by run, by host and by original."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.journal import Tally
from dedup_middleware.verdict import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .decisions import Decision
    from .stored_decisions import StoredDecisions

_SUPERSEDES = b'"supersedes":'


@dataclass(slots=True)
class RunTally:
    """The tally of a run, in all and by host."""

    run: str
    spider: str
    hosts: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    @property
    def total(self) -> Tally:
        return summed(self.hosts.values())


def tallies(decisions: Iterable[Decision]) -> list[RunTally]:
    """Sum up decisions by run, in the order in which runs come, and by host."""
    runs: dict[str, RunTally] = {}
    for one in decisions:
        run = runs.get(one.run)
        if run is None:
            run = runs[one.run] = RunTally(one.run, one.spider)
        run.hosts[one.host].add(
            one.verdict,
            one.action,
            one.stage,
            url=one.url,
            original=one.original,
            size=one.size,
            milliseconds=one.milliseconds,
            lost=one.lost if one.action == Action.DROP else None,
        )
    return list(runs.values())


def by_host(runs: Iterable[RunTally]) -> dict[str, Tally]:
    """Merge the hosts of all runs, those with most pages first."""
    hosts: dict[str, Tally] = defaultdict(Tally)
    for run in runs:
        for host, one in run.hosts.items():
            hosts[host] += one
    return dict(sorted(hosts.items(), key=lambda item: -item[1].pages))


def summed(parts: Iterable[Tally]) -> Tally:
    total = Tally()
    for part in parts:
        total += part
    return total


@dataclass(slots=True)
class Cluster:
    """A page and its copies."""

    original: str
    example: str
    """The first copy."""
    copies: int = 0
    """Number of different URLs."""
    hosts: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    size: int = 0
    """Bytes of all copies, as far as known."""


def replacements_in(decisions: StoredDecisions) -> dict[str, str]:
    """Return the pages that others have replaced, each with the page that is in its place now."""
    replacements: dict[str, str] = {}
    for one in decisions.holding(_SUPERSEDES):
        if one.supersedes:
            replacements[one.supersedes] = one.url
            replacements.pop(one.url, None)  # a page may get its place back
    return {page: current_page(page, replacements) for page in replacements}


def current_page(page: str, replacements: Mapping[str, str]) -> str:
    """Return the page that is in the place of another, after any number of replacements.

    >>> current_page("a", {"a": "b", "b": "c"}), current_page("d", {"a": "b"})
    ('c', 'd')
    """
    seen = set()
    while page in replacements and page not in seen:
        seen.add(page)
        page = replacements[page]
    return page


def clusters(
    decisions: Iterable[Decision], replacements: Mapping[str, str] | None = None
) -> list[Cluster]:
    """Group decisions by original, those with most copies first; `clusters.js` has the same rule.

    Copies of a page that was replaced count as copies of its replacement. A URL that was judged
    more than once counts once, with its first decision.
    """
    replacements = replacements or {}
    found: dict[str, Cluster] = {}
    seen: set[int] = set()  # there may be millions of pairs: hashes are enough
    for one in decisions:
        original = current_page(one.original, replacements) if one.original else None
        if original is None or original == one.url:
            continue
        before = len(seen)
        seen.add(hash((one.url, original)))
        if len(seen) == before:
            continue
        cluster = found.get(original)
        if cluster is None:
            cluster = found[original] = Cluster(original, one.url)
        cluster.copies += 1
        cluster.hosts[one.host] += 1
        cluster.verdicts[one.verdict] += 1
        cluster.size += one.size
    return sorted(found.values(), key=lambda cluster: -cluster.copies)
