"""Which decisions tell most about a crawl: those that were close, of all kinds and hosts."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from dedup_middleware.verdict import Action

from .rows import other_page
from .thresholds import Thresholds, margin

if TYPE_CHECKING:
    from collections.abc import Iterable

_SETTLED = 1.0
"""The margin of what no threshold decides: equal texts, and pages that samples ruled out."""
_RARELY = 8
"""Of those, one comes for so many of the others."""


def telling(rows: dict[str, Any], detected: str = "detector") -> list[int]:
    """Put the rows that have another page in order, the most telling first; each pair once.

    What was dropped and what was kept take turns. Of each, every verdict and host comes once
    before any comes twice, and what is closest to a threshold comes first. Thresholds are those of
    the cascade: to another detector (by the name of its stage) they say nothing.
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
