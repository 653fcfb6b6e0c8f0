"""Data that waits in a page, packed, until a script unpacks it."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import STAGES, VERDICTS

from .document import asset, document, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")
    from collections.abc import Mapping


BLOCK = 8
"""Things that are packed and unpacked together: more are smaller, fewer are sooner there."""


def packed(data: object) -> str:
    """Write data as JSON, gzipped, in base64: nothing in it can be taken for markup."""
    # ASCII: half a surrogate pair has no other encoding
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    return base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii")


def unpacked(text: str) -> object:
    """Read back what `packed` has written.

    >>> unpacked(packed({"a": [1, None]}))
    {'a': [1, None]}
    """
    return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))


def blocks(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), BLOCK):
        yield things[start : start + BLOCK]


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
