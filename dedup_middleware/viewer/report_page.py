"""The page of all decisions, as a file that stands alone or served live, and its rows."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import (
    STAGES,
    VERDICTS,
    doubt,
    known_shares,
    share,
    thresholds_of,
)
from dedup_middleware.inspect.sites import Top, found_on, sites_in, tally_of
from dedup_middleware.settings import STRICTNESS
from dedup_middleware.text import printable

from .document import document, escaped, pack, read_asset

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.runs import RunEnd
    from dedup_middleware.inspect.sites import Found
    from dedup_middleware.judge.overrides import Restoration
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
BLOCK = 8
"""Pieces of evidence that are packed together: larger blocks are smaller in all, but open later."""
MOST_FOUND, MOST_SHAPES = 30, 12
"""Rules, mirrors and walls, and shapes of URLs, that are shown."""
_STYLES = (
    "base.css",
    "comparison.css",
    "report.css",
    "table.css",
    "detail.css",
    "counted.css",
    "sites.css",
)
_SCRIPTS = (
    "pairs.js",
    "tools.js",
    "rule.js",
    "rows.js",
    "filter.js",
    "charts.js",
    "other_hosts.js",
    "sites.js",
    "commands.js",
    "thresholds.js",
    "table.js",
    "doubtful.js",
    "clusters.js",
    "detail.js",
    "summary.js",
    "file_source.js",
    "live_source.js",
    "report.js",
)


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
    restored: Iterable[Restoration] = (),
) -> dict[str, Any]:
    """Return decisions as columns, ready to be written as JSON.

    The other page (`original` or `closest`) is the number of the row with its URL, or the URL
    itself if there is no such row.
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
        columns["time"].append(one.when and round(1000 * one.when.timestamp()))
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
    _number_urls(columns)
    return {
        "v": VERSION,
        **{name: list(found) for name, found in names.items()},
        "columns": dict(columns),
        "supersedes": supersedes,
        "thresholds": thresholds.latest._asdict(),
        "restored": [[one.url, one.original] for one in restored],
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


@dataclass(frozen=True, slots=True)
class About:
    """What a page says about itself."""

    title: str
    """What was crawled: spider, store or journal."""
    command: str = "scrapy"
    """How `scrapy` is called here."""
    store: str | None = None
    """The folder of the store, if there is one."""
    made: str = ""
    """When the page was made, in ISO 8601."""
    problems: tuple[str, ...] = ()
    """What could not be read."""
    ends: dict[str, RunEnd] = field(default_factory=dict)
    """What became of the runs, where that is known."""
    sites: dict[str, Any] | None = None
    """What is known of whole sites, as `sites_section` returns it."""
    dry_runs: tuple[str, ...] = ()
    """The runs that dropped nothing."""


def report_page(rows: dict[str, Any], evidence: Mapping[int, str], about: About) -> str:
    """Return a page that stands alone; evidence is HTML by row number."""
    order = sorted(evidence)
    blocks = [order[start : start + BLOCK] for start in range(0, len(order), BLOCK)]
    packed = {
        f"evidence-{number}": pack([evidence[row] for row in block])
        for number, block in enumerate(blocks)
    }
    settings = {"live": False, "evidence": blocks}
    return _page(about, settings, {"packed-rows": pack(rows), **packed})


def live_page(token: str, about: About) -> str:
    """Return a page that gets rows and evidence from its server; the token lets it ask."""
    return _page(about, {"live": True, "token": token}, {})


def _page(about: About, settings: dict[str, Any], packed: dict[str, str]) -> str:
    meanings = {"verdicts": VERDICTS, "stages": STAGES}
    levels = {name: level._asdict() for name, level in STRICTNESS.items()}
    return document(
        f"{about.title} – dedup",
        read_asset("report.html").replace("{title}", escaped(about.title)),
        {**asdict(about), **settings, "meanings": meanings, "levels": levels},
        styles=_STYLES,
        scripts=_SCRIPTS,
        packed=packed,
        live=settings["live"],
    )


def sites_section(store: Path | str | None, runs: Iterable[str]) -> dict[str, Any]:
    """Return what a store knows of sites, and what that saved some runs, ready for JSON.

    Of shapes, only those are shown whose pages were redundant or that are traps. Nothing is shown
    without a store, or if it can't be opened, which others warn about.
    """
    shapes, others, lines = Top(MOST_SHAPES, _useless), Top(MOST_FOUND), []
    with suppress(StoreError):
        for one in (one for site in (sites_in(store) if store else ()) for one in found_on(site)):
            if one.what != "shape":
                others.add(one)
            elif _useless(one):
                shapes.add(one)
        lines = [*tally_of(store, runs).lines()] if store else []
    counts = ("fetched", "new", "redundant", "left")
    return {
        "lines": lines,
        "shapes": [{name: one.facts[name] for name in counts} | _shown(one) for one in shapes],
        "found": [*map(_shown, others)],
        "more": [shapes.more, others.more],
    }


def _useless(shape: Found) -> int:
    """Return how many pages of a shape brought nothing new: all of a trap, but for digits."""
    return int(shape.facts["fetched" if shape.facts["left"] else "redundant"])


def _shown(one: Found) -> dict[str, Any]:
    return {
        "what": one.what,
        "name": one.name[:LONGEST_URL],
        "about": one.about,
        "sign": one.sign,
        "examples": [url[:LONGEST_URL] for url in one.examples],
    }
