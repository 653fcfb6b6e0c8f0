"""The page of all decisions, as a file that stands alone or served live."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import STAGES, VERDICTS
from dedup_middleware.inspect.sites import Top, found_on, sites_in, tally_of
from dedup_middleware.settings import STRICTNESS

from .document import document, escaped, pack, read_asset
from .rows import LONGEST_URL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dedup_middleware.inspect.runs import RunEnd
    from dedup_middleware.inspect.sites import Found

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
