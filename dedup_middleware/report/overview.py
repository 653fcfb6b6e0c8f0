"""All decisions of a crawl on one page, to be read from a file or live from a server."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.review.meanings import STAGES, VERDICTS

from .document import asset, document, plain
from .packed import blocks, packed

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES = ("base.css", "compared.css", "overview.css", "table.css", "detail.css")
_SCRIPTS = (
    "pairs.js",
    "tools.js",
    "rule.js",
    "rows.js",
    "choice.js",
    "charts.js",
    "thresholds.js",
    "table.js",
    "commands.js",
    "detail.js",
    "summary.js",
    "unpack.js",
    "live.js",
    "overview.js",
)


@dataclass(frozen=True, slots=True)
class About:
    """What a page says about itself."""

    title: str
    """What was crawled: spider, store or journal."""
    command: str = "scrapy"
    """How commands are begun here."""
    store: str | None = None
    """The folder of the store, if there is one."""
    made: str = ""
    """When, as ISO 8601 has it."""
    problems: tuple[str, ...] = ()
    """What could not be read."""


def report_page(rows: dict[str, Any], evidence: Mapping[int, str], about: About) -> str:
    """Write a page that stands alone; evidence is HTML, by the numbers of its rows."""
    order = sorted(evidence)
    pieces = {
        f"evidence-{number}": packed([evidence[row] for row in block])
        for number, block in enumerate(blocks(order))
    }
    settings = {"live": False, "evidence": [list(block) for block in blocks(order)]}
    return _page(about, settings, {"packed-rows": packed(rows), **pieces})


def live_page(token: str, about: About) -> str:
    """Write a page that asks its server for rows and evidence, and may change what it knows."""
    return _page(about, {"live": True, "token": token}, {})


def _page(about: About, settings: dict[str, Any], waiting: dict[str, str]) -> str:
    meanings = {"verdicts": VERDICTS, "stages": STAGES}
    return document(
        f"{about.title} – dedup",
        asset("overview.html").replace("{title}", plain(about.title)),
        {**asdict(about), **settings, "meanings": meanings},
        styles=_STYLES,
        scripts=_SCRIPTS,
        packed=waiting,
        asks=settings["live"],
    )
