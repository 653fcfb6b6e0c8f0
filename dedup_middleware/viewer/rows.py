"""Decisions as columns of values for reports."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import doubt, known_shares, share, thresholds_of
from dedup_middleware.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.settings import Level

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
_DIGITS = 3


class RunThresholds:
    """The thresholds of each run, which the first line of its journal names."""

    def __init__(self, default: Level) -> None:
        self.latest = default
        """The thresholds of the run that was read last."""
        self._default = default
        self._runs: dict[str, Level] = {}

    def of(self, decision: Decision) -> Level:
        named = thresholds_of(decision.entry)
        if named:
            self.latest = self._runs[decision.run] = named
        return self._runs.get(decision.run, self._default)


def rows_of(
    decisions: Iterable[Decision],
    thresholds: RunThresholds,
    *,
    restored: Iterable[tuple[str, str]] = (),
    answers: Iterable[tuple[str, str, str]] = (),
    consider: Callable[[int, Decision, float], object] | None = None,
) -> dict[str, Any]:
    """Return decisions as columns, ready to be written as JSON.

    The other page (`original` or `closest`) is the number of the row with its URL, or the URL
    itself if there is no such row. `restored` are pages that were restored, each with its
    original; `answers` are a page, another, and what a person answered about them. `consider` is
    called with each row, its decision and its doubt.
    """
    names: dict[str, dict[str, int]] = {name: {} for name in NAMED}
    columns: dict[str, list[Any]] = defaultdict(list)
    supersedes: list[tuple[int, str]] = []
    for row, one in enumerate(decisions):
        other = one.original or one.closest
        for name, value in (
            ("runs", one.run),
            ("hosts", one.host),
            ("kinds", one.verdict),
            ("actions", one.action),
            ("stages", one.stage),
            ("reasons", _reason(one.reason, other)),
        ):
            columns[NAMED[name]].append(names[name].setdefault(value, len(names[name])))
        columns["seq"].append(one.sequence)
        columns["time"].append(_milliseconds(one))
        columns["url"].append(one.url[:LONGEST_URL])
        columns["original"].append((one.original or "")[:LONGEST_URL] or None)
        columns["closest"].append((one.closest or "")[:LONGEST_URL] or None)
        columns["score"].append(share(one.score))
        columns["known"].append(known_shares(one))
        columns["lost"].append(_lost(one, thresholds.of(one)))
        columns["ms"].append(one.milliseconds)
        columns["bytes"].append(one.size or None)
        doubtful = doubt(one, thresholds.of(one))
        columns["doubt"].append(round(doubtful, _DIGITS) if doubtful else 0)
        if one.supersedes:
            supersedes.append((row, one.supersedes[:LONGEST_URL]))
        if consider:
            consider(row, one, doubtful)
    _number_urls(columns)
    return {
        "v": VERSION,
        **{name: list(found) for name, found in names.items()},
        "columns": dict(columns),
        "supersedes": supersedes,
        "thresholds": thresholds.latest._asdict(),
        "restored": [list(pair) for pair in restored],
        "answers": [list(answer) for answer in answers],
    }


def _lost(decision: Decision, thresholds: Level) -> tuple[float, int, int, int, float] | None:
    """Return what a page would lose: the share, the words, of how many, and facts that differ.

    The last number is the part of the bound that may be lost.
    """
    lost = decision.lost
    if lost is None:
        return None
    bound, most = share(lost.bound), thresholds.max_loss
    part = 1.0 if bound is None or not most else round(min(1.0, bound / most), _DIGITS)
    lost_share = round(share(lost.share) or 0.0, _DIGITS + 1)
    return lost_share, lost.words, lost.of, len(lost.facts), part


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
