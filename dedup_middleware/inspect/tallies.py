"""Tallies of decisions, by run and by host; change rates of pages that were seen again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.journal import Tally
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .decisions import Decision

_SEEN_AGAIN = frozenset({Kind.UNCHANGED, Kind.UPDATED})


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
class Recrawl:
    """How often pages had changed when they were seen again."""

    seen: int = 0
    changed: int = 0
    share: float = 0.0
    """Of the main text that changed, summed over all changes."""

    @property
    def rate(self) -> float:
        return self.changed / self.seen if self.seen else 0.0

    @property
    def mean_share(self) -> float:
        """How much of the main text a change concerned."""
        return self.share / self.changed if self.changed else 0.0

    def add(self, decision: Decision) -> None:
        self.seen += 1
        if decision.verdict == Kind.UPDATED:
            self.changed += 1
            self.share += decision.changed


@dataclass(slots=True)
class Recrawls:
    """Change rates by host and by page; pages that were seen once don't count."""

    hosts: dict[str, Recrawl] = field(default_factory=lambda: defaultdict(Recrawl))
    pages: dict[str, Recrawl] = field(default_factory=lambda: defaultdict(Recrawl))

    def watch(self, decisions: Iterable[Decision]) -> Iterator[Decision]:
        """Pass decisions on, and count those about pages that were seen before."""
        for one in decisions:
            if one.verdict in _SEEN_AGAIN:
                self.hosts[one.host].add(one)
                self.pages[one.url].add(one)
            yield one

    def by_host(self) -> list[tuple[str, Recrawl]]:
        """Return the hosts, those with most pages seen again first."""
        return sorted(self.hosts.items(), key=lambda item: (-item[1].seen, item[0]))

    def by_page(self) -> list[tuple[str, Recrawl]]:
        """Return the pages that have changed, those that changed most often first."""
        changed = [(url, one) for url, one in self.pages.items() if one.changed]
        return sorted(changed, key=lambda item: (-item[1].changed, -item[1].share, item[0]))
