"""Real pages through each stage, timed in turn with the yardstick."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from typing import TYPE_CHECKING

from tqdm import tqdm

from benchmarks.measure import parse, spread, timed
from benchmarks.table import table
from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read

from . import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dedup_middleware import Verdict

    from .pages import RealPage

REPEATS = 3
WARM_UP = 5
STAGES = ("read", "fingerprint", "probe", "register", "process")

Times = dict[str, float]


def measure(pages: Sequence[RealPage]) -> list[Times]:
    """Give for each page the milliseconds of each stage, the least of three repeats.

    The store holds the pages before it. Each repeat starts without what the one before has left:
    outline and query are made anew, the cache of known pages is what it was, and what was
    registered is withdrawn.
    """
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        with Deduplicator(f"{folder}/warm-up") as dedup:
            for page in pages[:WARM_UP]:
                _repeat(dedup, page, 0, inside.keep_prepared(dedup))
        with Deduplicator(f"{folder}/store") as dedup:
            return [_page(dedup, page) for page in tqdm(pages, "stages", unit="page", disable=None)]


def report(pages: Sequence[RealPage], times: Sequence[Times]) -> str:
    """Lay out the ratios to the yardstick, by host and overall."""
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
    verdict = None
    for repeat in range(REPEATS):
        if verdict is not None:
            dedup.settle(withdrawn=[verdict.number])
        times, verdict = _repeat(dedup, page, repeat, restore)
        for stage, needed in times.items():
            least[stage] = min(needed, least.get(stage, needed))
    return least


def _repeat(
    dedup: Deduplicator, page: RealPage, repeat: int, restore: Callable[[], None]
) -> tuple[Times, Verdict]:
    times: Times = {}
    # a URL for each repeat and use, else the page would be known the second time
    mark = f"{page.url}{'&' if '?' in page.url else '?'}repeat={repeat}"
    ready = Page(url=mark, html=page.body, encoding="utf-8")
    times["parse"], _ = timed(lambda: parse(page.body))
    times["read"], outline = timed(lambda: read(ready))
    times["fingerprint"], found = timed(lambda: fingerprint(ready, outline))
    query = inside.query_of(mark, outline, found)
    restore()
    times["probe"], (judgement, state) = timed(lambda: inside.probe(dedup, query))
    times["register"], verdict = timed(lambda: inside.record(dedup, query, judgement, state))
    dedup.settle(withdrawn=[verdict.number])
    restore()
    whole = Page(url=f"{mark}-whole", html=page.body, encoding="utf-8")
    times["process"], verdict = timed(lambda: dedup.process(whole))
    return times, verdict
