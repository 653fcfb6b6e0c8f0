"""What judging came to, in figures: by run, and by host."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.verdict import Action

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

    from .decisions import Decision


@dataclass(slots=True)
class Figures:
    """Sums over decisions."""

    pages: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """By verdict."""
    stages: Counter[str] = field(default_factory=Counter)
    """By the last stage that was needed, and so paid for."""
    milliseconds: float = 0.0
    size: int = 0
    """Bytes of all pages."""
    saved: int = 0
    """Bytes of those that were dropped."""

    @property
    def drops(self) -> int:
        return self.dropped.total()

    @property
    def drop_rate(self) -> float:
        return self.drops / self.pages if self.pages else 0.0

    def add(self, decision: Decision) -> None:
        self.pages += 1
        self.verdicts[decision.verdict] += 1
        self.stages[decision.stage] += 1
        self.milliseconds += decision.milliseconds
        self.size += decision.size
        if decision.action == Action.DROP:
            self.dropped[decision.verdict] += 1
            self.saved += decision.size

    def __iadd__(self, other: Figures) -> Self:
        self.pages += other.pages
        for name in ("verdicts", "dropped", "stages"):
            getattr(self, name).update(getattr(other, name))
        self.milliseconds += other.milliseconds
        self.size += other.size
        self.saved += other.saved
        return self


@dataclass(slots=True)
class RunFigures:
    """The figures of a run, all together and by host."""

    run: str
    spider: str
    hosts: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))

    @property
    def total(self) -> Figures:
        return summed(self.hosts.values())


def figures(decisions: Iterable[Decision]) -> list[RunFigures]:
    """Sum up decisions by run, in the order in which runs come, and by host."""
    runs: dict[str, RunFigures] = {}
    for one in decisions:
        run = runs.get(one.run)
        if run is None:
            run = runs[one.run] = RunFigures(one.run, one.spider)
        run.hosts[one.host].add(one)
    return list(runs.values())


def by_host(runs: Iterable[RunFigures]) -> dict[str, Figures]:
    """Put the hosts of all runs together, those with most pages first."""
    hosts: dict[str, Figures] = defaultdict(Figures)
    for run in runs:
        for host, one in run.hosts.items():
            hosts[host] += one
    return dict(sorted(hosts.items(), key=lambda item: -item[1].pages))


def summed(parts: Iterable[Figures]) -> Figures:
    total = Figures()
    for part in parts:
        total += part
    return total
