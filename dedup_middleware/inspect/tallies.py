"""Tallies of decisions, by run and by host."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.journal import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .decisions import Decision


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
            one.verdict, one.action, one.stage, size=one.size, milliseconds=one.milliseconds
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
