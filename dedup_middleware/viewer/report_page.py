"""The page of all decisions, as a file that stands alone or served live."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import STAGES, VERDICTS
from dedup_middleware.settings import STRICTNESS

from .document import document, escaped, pack, read_asset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.inspect.runs import RunEnd

BLOCK = 8
"""Pieces of evidence that are packed together: larger blocks are smaller in all, but open later."""
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
