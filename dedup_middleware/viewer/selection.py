"""Which decisions tell most about a crawl: those that were close, of all kinds and hosts."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from dedup_middleware.verdict import Action

from .evidence import evidence
from .rows import Thresholds, margin, other_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

    from .evidence import Source


_SETTLED = 1.0
"""The margin of what no threshold decides: equal texts, and pages that samples ruled out."""
_RARELY = 8
"""Of those, one comes for so many of the others."""


def telling(rows: dict[str, Any], detected: str = "method") -> list[int]:
    """Put the rows that have another page in order, the most telling first; each pair once.

    What was dropped and what was kept take turns. Of each, every verdict and host comes once
    before any comes twice, and what is closest to a threshold comes first. Thresholds are those of
    the cascade: to another method (by the name of its stage) they say nothing.
    """
    columns = rows["columns"]
    thresholds = Thresholds(**rows["thresholds"])
    drop = {number for number, name in enumerate(rows["actions"]) if name == Action.DROP}
    stages = {number for number, name in enumerate(rows["stages"]) if name == detected}
    groups: dict[bool, dict[tuple[int, int], list[tuple[float, int]]]] = {
        True: defaultdict(list),
        False: defaultdict(list),
    }
    pairs: set[int] = set()
    for row, (url, kind, host) in enumerate(
        zip(columns["url"], columns["kind"], columns["host"], strict=True)
    ):
        other = other_page(rows, row)
        if other is None:
            continue
        before = len(pairs)
        pairs.add(hash((url, other)))  # of very many pairs, hashes are enough
        if len(pairs) == before:
            continue
        known = columns["known"][row]
        settled = known is None or columns["stage"][row] in stages
        distance = _SETTLED if settled else margin(known, thresholds)
        groups[columns["action"][row] in drop][kind, host].append((distance, row))
    dropped, kept = (_in_turns(groups[dropping].values()) for dropping in (True, False))
    return [row for row in chain(*zip_longest(dropped, kept)) if row is not None]


def _in_turns(groups: Iterable[list[tuple[float, int]]]) -> list[int]:
    """Take the closest of each group, then the second of each, and so on.

    >>> _in_turns([[(0.3, 1), (0.1, 2)], [(0.2, 3)], [(1.0, 4), (1.0, 5)]])
    [2, 3, 4, 1, 5]
    """
    ranked = [
        (place * (_RARELY if distance == _SETTLED else 1), distance, row)
        for group in groups
        for place, (distance, row) in enumerate(sorted(group))
    ]
    return [row for _, _, row in sorted(ranked)]


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
