"""The evidence that goes into a report: of the most telling decisions whose texts are known."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .evidence import evidence
from .telling import telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.read import Outline
    from dedup_middleware.review.decisions import Decision
    from dedup_middleware.settings import Settings

    from .evidence import Source

MOST_SECONDS = 180.0
_PATIENCE = 4
"""Pairs that are looked at for each that is wanted, if texts are gone."""


@dataclass(slots=True)
class Gathered:
    """Evidence by the numbers of rows."""

    html: dict[int, str] = field(default_factory=dict)
    shown: int = 0
    """How many of them have their texts."""
    forgotten: int = 0
    late: bool = False
    """Whether there was no time for more."""


@dataclass(slots=True)
class _Watched:
    """A source that remembers whether it knew all that it was asked for."""

    source: Source
    missed: bool = False

    def outline(self, url: str) -> Outline | None:
        found = self.source.outline(url)
        self.missed = self.missed or found is None
        return found


def gather(
    rows: dict[str, Any],
    decisions: Iterable[Decision],
    source: Source,
    settings: Settings,
    *,
    most: int,
    progress: Callable[[], object] = lambda: None,
    seconds: float = MOST_SECONDS,
) -> Gathered:
    """Make the evidence of the most telling rows; `decisions` are those that the rows are of."""
    ranked = telling(rows)[: _PATIENCE * most]
    found = _named(rows, decisions, ranked)
    gathered, end = Gathered(), time.monotonic() + seconds
    for row in ranked:
        if row not in found:
            continue
        if gathered.shown >= most:
            break
        if time.monotonic() > end:
            gathered.late = True
            break
        watched = _Watched(source)
        gathered.html[row] = evidence(found[row], watched, settings)
        if watched.missed:
            gathered.forgotten += 1
        else:
            gathered.shown += 1
            progress()
    return gathered


def _named(
    rows: dict[str, Any], decisions: Iterable[Decision], ranked: list[int]
) -> dict[int, Decision]:
    """Find the decisions that some rows are of; meanwhile there may be more in the journals."""
    columns = rows["columns"]
    wanted: dict[tuple[str, int, str], int] = {}
    for row in ranked:
        run = rows["runs"][columns["run"][row]]
        wanted.setdefault((run, columns["seq"][row], columns["url"][row]), row)
    found: dict[int, Decision] = {}
    for one in decisions if wanted else ():
        known = wanted.get((one.run, one.sequence, one.url))
        if known is not None:
            found.setdefault(known, one)
    return found
