"""Cost of each stage for real pages, timed in turn with the baseline."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from typing import TYPE_CHECKING

from benchmarks.measure import parse, spread, timed
from benchmarks.progress import progress
from benchmarks.table import table
from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read

from . import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dedup_middleware.deduplicator import Receipt

    from .pages import RealPage

REPEATS = 3
WARM_UP = 5
STAGES = ("read", "fingerprint", "probe", "register", "process")

Times = dict[str, float]


def measure(pages: Sequence[RealPage]) -> list[Times]:
    """Return for each page the milliseconds of each stage, the least of three repeats.

    The store holds the pages before it. No repeat profits from the one before: outline and query
    are made anew, the cache of known pages is restored, and what was registered is withdrawn.
    """
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        with Deduplicator(f"{folder}/warm-up") as dedup:
            for page in pages[:WARM_UP]:
                _repeat(dedup, page, 0, inside.keep_prepared(dedup))
        with Deduplicator(f"{folder}/store") as dedup:
            return [_page(dedup, page) for page in progress(pages, "stages")]


def report(pages: Sequence[RealPage], times: Sequence[Times]) -> str:
    """Return a table of the ratios to the baseline, by host and overall."""
    groups: dict[str, list[Times]] = defaultdict(list)
    for page, of_page in zip(pages, times, strict=True):
        groups[page.host].append(of_page)
    groups["all"] = list(times)
    rows = [
        [
            host,
            len(members),
            f"{spread([one['parse'] for one in members]).median:.2f}",
            *(str(spread([one[stage] / one["parse"] for one in members])) for stage in STAGES),
        ]
        for host, members in groups.items()
    ]
    return table(["host", "pages", "lxml ms", *STAGES], rows)


def _page(dedup: Deduplicator, page: RealPage) -> Times:
    restore = inside.keep_prepared(dedup)
    least: Times = {}
    receipt = None
    for repeat in range(REPEATS):
        if receipt is not None:
            dedup.settle(withdrawn=[receipt.number])
        times, receipt = _repeat(dedup, page, repeat, restore)
        for stage, needed in times.items():
            least[stage] = min(needed, least.get(stage, needed))
    return least


def _repeat(
    dedup: Deduplicator, page: RealPage, repeat: int, restore: Callable[[], None]
) -> tuple[Times, Receipt]:
    times: Times = {}
    # a new URL for each repeat and use, else the page would be known the second time
    mark = f"{page.url}{'&' if '?' in page.url else '?'}repeat={repeat}"
    ready = Page(url=mark, html=page.body, encoding="utf-8")
    times["parse"], _ = timed(lambda: parse(page.body))
    times["read"], outline = timed(lambda: read(ready))
    times["fingerprint"], found = timed(lambda: fingerprint(ready, outline))
    query = inside.query_of(mark, outline, found)
    restore()
    times["probe"], judgement = timed(lambda: inside.probe(dedup, query))
    times["register"], receipt = timed(lambda: inside.record(dedup, query, judgement))
    dedup.settle(withdrawn=[receipt.number])
    restore()
    whole = Page(url=f"{mark}-whole", html=page.body, encoding="utf-8")
    times["process"], receipt = timed(lambda: dedup.receive(whole, pending=False))
    return times, receipt
