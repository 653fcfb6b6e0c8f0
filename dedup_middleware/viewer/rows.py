"""Decisions as columns of values for reports, and the rule of the judge's thresholds on them."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.doubt import Thresholds, known_shares, share
from dedup_middleware.text import printable
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.doubt import Shares

VERSION = 1
LONGEST_URL, LONGEST_REASON = 4_000, 2_000
OTHER_URL = "\x00"
"""Replaces the URL of the other page in a reason: without it, many decisions share one reason."""
NAMED = {
    "runs": "run",
    "hosts": "host",
    "kinds": "kind",
    "actions": "action",
    "stages": "stage",
    "reasons": "reason",
}
"""Lists of names, and the columns that hold indexes into them."""
_NO_MARGIN = 1.0
"""Where thresholds decided nothing: equal texts, and pages that samples ruled out."""
_SELDOM = 8
"""Such a row is ranked where so many others of its group would be."""


def related(known: Shares, thresholds: Thresholds) -> Kind | None:
    """Return how a page relates to a known one, as the judge does; `rule.js` has the same rule.

    >>> related((0.9, 0.5), Thresholds(near=0.72, contained=0.8))
    <Kind.CONTAINED: 'contained'>
    """
    forward, backward = known
    if min(forward, backward) >= thresholds.near:
        return Kind.NEAR
    if forward >= thresholds.contained:
        return Kind.CONTAINED
    return Kind.CONTAINS if backward >= thresholds.contained else None


def margin(known: Shares, thresholds: Thresholds) -> float:
    """Return how far a pair is from another verdict.

    >>> round(margin((0.7, 0.5), Thresholds(near=0.72, contained=0.8)), 2)
    0.1
    """
    to_near = abs(min(known) - thresholds.near)
    kind = related(known, thresholds)
    if kind is Kind.NEAR:
        return to_near
    to_contained, to_contains = (abs(share - thresholds.contained) for share in known)
    if kind is Kind.CONTAINED:
        return min(to_near, to_contained)
    if kind is Kind.CONTAINS:
        return min(to_near, to_contains)
    return min(to_near, to_contained, to_contains)


class _Names:
    """Distinct values in the order in which they first came, each with a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    @property
    def all(self) -> list[str]:
        return list(self._numbers)


def rows_of(
    decisions: Iterable[Decision],
    thresholds: Thresholds,
    *,
    restored: Iterable[tuple[str, str]] = (),
    answers: Iterable[tuple[str, str, str]] = (),
) -> dict[str, Any]:
    """Return decisions as columns, ready to be written as JSON.

    The other page (`original` or `closest`) is the number of the row with its URL, or the URL
    itself if there is no such row. `restored` are pages that were restored, each with its
    original; `answers` are a page, another, and what a person answered about them.
    """
    names = {name: _Names() for name in NAMED}
    columns: dict[str, list[Any]] = defaultdict(list)
    last: dict[str, int] = {}
    for one in decisions:
        last[one.run] = max(one.sequence, last.get(one.run, 0))
        other = one.original or one.closest
        for name, value in (
            ("runs", one.run),
            ("hosts", one.host),
            ("kinds", one.verdict),
            ("actions", one.action),
            ("stages", one.stage),
            ("reasons", _reason(one.reason, other)),
        ):
            columns[NAMED[name]].append(names[name].number(value))
        columns["seq"].append(one.sequence)
        columns["time"].append(_milliseconds(one))
        columns["url"].append(one.url[:LONGEST_URL])
        columns["original"].append((one.original or "")[:LONGEST_URL] or None)
        columns["closest"].append((one.closest or "")[:LONGEST_URL] or None)
        columns["score"].append(share(one.score))
        columns["known"].append(known_shares(one))
        columns["ms"].append(one.milliseconds)
        columns["bytes"].append(one.size or None)
    _number_urls(columns)
    return {
        "v": VERSION,
        **{name: found.all for name, found in names.items()},
        "columns": dict(columns),
        "last": last,
        "thresholds": thresholds._asdict(),
        "restored": [list(pair) for pair in restored],
        "answers": [list(answer) for answer in answers],
    }


def other_page(rows: dict[str, Any], row: int) -> str | None:
    """Return the URL of the page that a row was compared with."""
    columns = rows["columns"]
    for name in ("original", "closest"):
        value: int | str | None = columns[name][row]
        if value is not None:
            url: str = columns["url"][value] if isinstance(value, int) else value
            return url
    return None


def ranked(rows: dict[str, Any], method: str = "method") -> list[int]:
    """Return the rows that have another page, the most informative first; each pair once.

    Drops and other decisions alternate. Of each, every verdict and host comes once before any
    comes twice, and those closest to a threshold come first. Thresholds are those of the cascade:
    they say nothing about decisions of published methods, which have a stage of their own.
    """
    columns = rows["columns"]
    thresholds = Thresholds(**rows["thresholds"])
    drop = {number for number, name in enumerate(rows["actions"]) if name == Action.DROP}
    methods = {number for number, name in enumerate(rows["stages"]) if name == method}
    groups: dict[bool, dict[tuple[int, int], list[tuple[float, int]]]] = {
        True: defaultdict(list),
        False: defaultdict(list),
    }
    pairs: set[int] = set()
    for row, (url, kind, host) in enumerate(
        zip(columns["url"], columns["kind"], columns["host"], strict=True)
    ):
        other = other_page(rows, row)
        pair = hash((url, other))  # of very many pairs, hashes are enough
        if other is None or pair in pairs:
            continue
        pairs.add(pair)
        known = columns["known"][row]
        decided = known is not None and columns["stage"][row] not in methods
        distance = margin(known, thresholds) if decided else _NO_MARGIN
        groups[columns["action"][row] in drop][kind, host].append((distance, row))
    dropped, kept = (_round_robin(groups[dropping].values()) for dropping in (True, False))
    return [row for row in chain(*zip_longest(dropped, kept)) if row is not None]


def _round_robin(groups: Iterable[list[tuple[float, int]]]) -> list[int]:
    """Return the closest row of each group, then the second of each, and so on.

    >>> _round_robin([[(0.3, 1), (0.1, 2)], [(0.2, 3)], [(1.0, 4), (1.0, 5)]])
    [2, 3, 4, 1, 5]
    """
    order = [
        (place * (_SELDOM if distance == _NO_MARGIN else 1), distance, row)
        for group in groups
        for place, (distance, row) in enumerate(sorted(group))
    ]
    return [row for _, _, row in sorted(order)]


def _number_urls(columns: dict[str, list[Any]]) -> None:
    """Replace the URLs of other pages by the numbers of their rows, where they have one."""
    numbers: dict[str, int] = {}
    for row, url in enumerate(columns["url"]):
        numbers.setdefault(url, row)
    for name in ("original", "closest"):
        columns[name] = [numbers.get(url, url) for url in columns[name]]


def _reason(reason: str, other: str | None) -> str:
    reason = reason.replace(OTHER_URL, "")
    if other:
        reason = reason.replace(printable(other), OTHER_URL)
    return reason[:LONGEST_REASON]


def _milliseconds(decision: Decision) -> int | None:
    when = decision.when
    try:
        return None if when is None else round(1000 * when.timestamp())
    except (OverflowError, ValueError):
        return None
