"""What the judge would say at other thresholds, from the shares that the journal has kept."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.text import printable
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.settings import Settings


Both = tuple[float, float]
"""How much of a page is known from the other, and the reverse."""


class Thresholds(NamedTuple):
    near: float
    contained: float

    @classmethod
    def of(cls, settings: Settings) -> Thresholds:
        return cls(settings.near, settings.contained)


def related(known: Both, thresholds: Thresholds) -> Kind | None:
    """Name how a page relates to a known one, as the judge does; the script has the same rule.

    >>> related((0.9, 0.5), Thresholds(near=0.72, contained=0.8))
    <Kind.CONTAINED: 'contained'>
    """
    forward, backward = known
    if min(forward, backward) >= thresholds.near:
        return Kind.NEAR
    if forward >= thresholds.contained:
        return Kind.CONTAINED
    return Kind.CONTAINS if backward >= thresholds.contained else None


def margin(known: Both, thresholds: Thresholds) -> float:
    """Tell how far a pair is from being judged otherwise.

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


VERSION = 1
LONGEST_URL, LONGEST_REASON = 4_000, 2_000
_LIMIT = 1e6
OTHER = "\x00"
"""Stands in a reason for the URL of the other page, which would make most reasons differ."""
NAMED = {
    "runs": "run",
    "hosts": "host",
    "kinds": "kind",
    "actions": "action",
    "stages": "stage",
    "reasons": "reason",
}
"""Lists of names, and the columns that say which of them by number."""


class _Names:
    """Values in the order in which they come, each with a number."""

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
    """Put decisions into columns, ready to be written as JSON.

    The other page (`original` or `closest`) is the number of the row that has its URL, or the URL
    itself where no row has. `restored` are pairs that a person has told apart, `answers` are a
    page, another, and what a person said of them.
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
        columns["score"].append(_share(one.score))
        columns["known"].append(known_of(one))
        columns["ms"].append(one.milliseconds)
        columns["bytes"].append(one.size or None)
    _point(columns)
    return {
        "v": VERSION,
        **{name: found.all for name, found in names.items()},
        "columns": dict(columns),
        "last": last,
        "thresholds": thresholds._asdict(),
        "restored": [list(pair) for pair in restored],
        "answers": [list(answer) for answer in answers],
    }


def known_of(decision: Decision) -> Both | None:
    """Give the shares that the judge's rule was asked about; None if it was not asked.

    Samples alone never make a match, whatever they say; where all word sequences were compared
    and no more, their shares are what is known.
    """
    scores, known = decision.scores, decision.scores.get("known")
    if known is None and decision.stage == "shingles":
        known = [scores.get("containment"), scores.get("contained_by")]
    if not isinstance(known, list | tuple) or len(known) != len(("forward", "backward")):
        return None
    forward, backward = map(_share, known)
    return None if forward is None or backward is None else (forward, backward)


def other_page(rows: dict[str, Any], row: int) -> str | None:
    """Give the URL of the page that a row was compared with."""
    columns = rows["columns"]
    for name in ("original", "closest"):
        value: int | str | None = columns[name][row]
        if value is not None:
            url: str = columns["url"][value] if isinstance(value, int) else value
            return url
    return None


def _point(columns: dict[str, list[Any]]) -> None:
    """Say URLs that stand in the rows already by the number of their row."""
    places: dict[str, int] = {}
    for row, url in enumerate(columns["url"]):
        places.setdefault(url, row)
    for name in ("original", "closest"):
        columns[name] = [places.get(url, url) for url in columns[name]]


def _reason(reason: str, other: str | None) -> str:
    reason = reason.replace(OTHER, "")
    if other:
        reason = reason.replace(printable(other), OTHER)
    return reason[:LONGEST_REASON]


def _milliseconds(decision: Decision) -> int | None:
    when = decision.when
    try:
        return None if when is None else round(1000 * when.timestamp())
    except (OverflowError, ValueError):
        return None


def _share(value: object) -> float | None:
    """Take a number that can be a share; journals may hold anything."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(min(1, max(0, value))) if abs(value) < _LIMIT else None
