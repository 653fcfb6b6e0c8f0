"""Cost of each stage for real pages, timed in turn with the baseline."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read
from dedup_middleware.read.core_reading import reading
from dedup_middleware.read.words import to_utf8
from lab.measure import cpu_timed, parse, spread
from lab.progress import progress
from lab.table import table

from . import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dedup_middleware.deduplicator import Receipt

    from .pages import RealPage

REPEATS = 3
WARM_UP = 5
STAGES = ("read", "fingerprint", "subject", "probe", "register", "process")
PARTS = ("decode", "main text", "styles")
"""Of reading."""
_SIZE = 8 << 20  # more than any page has

Times = dict[str, float]


def measure(pages: Sequence[RealPage]) -> list[Times]:
    """Return for each page the milliseconds of CPU of each stage, the least of three repeats.

    The store holds the pages before it. No repeat profits from the one before: outline and subject
    are made anew, the cache of known pages is restored, and what was registered is withdrawn.
    """
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        with Deduplicator(f"{folder}/warm-up", is_sole=True) as dedup:
            for page in pages[:WARM_UP]:
                _repeat(dedup, page, 0, inside.keep_prepared(dedup))
        with Deduplicator(f"{folder}/store", is_sole=True) as dedup:
            return [_page(dedup, page) for page in progress(pages, "stages")]


def report(pages: Sequence[RealPage], times: Sequence[Times]) -> str:
    """Return tables of the ratios to the baseline, by host and overall."""
    groups: dict[str, list[Times]] = defaultdict(list)
    for page, of_page in zip(pages, times, strict=True):
        groups[page.host].append(of_page)
    groups["all"] = list(times)
    tables = (_table(groups, STAGES), _table({"reading": list(times)}, PARTS))
    return "\n\n".join(tables)


def _table(groups: Mapping[str, Sequence[Times]], stages: Sequence[str]) -> str:
    rows = [
        [
            host,
            len(members),
            f"{spread([one['parse'] for one in members]).median:.2f}",
            *(str(spread([one[stage] / one["parse"] for one in members])) for stage in stages),
        ]
        for host, members in groups.items()
    ]
    return table(["host", "pages", "lxml ms", *stages], rows)


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
    least["styles"] = max(0.0, least.pop("with styles") - least["main text"])
    return least


def _repeat(
    dedup: Deduplicator, page: RealPage, repeat: int, restore: Callable[[], None]
) -> tuple[Times, Receipt]:
    times: Times = {}
    # a new URL for each repeat and use, else the page would be known the second time
    mark = f"{page.url}{'&' if '?' in page.url else '?'}repeat={repeat}"
    ready = Page(url=mark, html=page.body, encoding="utf-8")
    times["parse"], _ = cpu_timed(lambda: parse(page.body))
    times["read"], outline = cpu_timed(lambda: read(ready))
    times["fingerprint"], found = cpu_timed(lambda: fingerprint(ready, outline))
    times["subject"], subject = cpu_timed(lambda: inside.subject_of(mark, outline, found))
    restore()
    times["probe"], judgement = cpu_timed(lambda: inside.probe(dedup, subject))
    times["register"], receipt = cpu_timed(lambda: inside.record(dedup, judgement))
    dedup.settle(withdrawn=[receipt.number])
    restore()
    whole = Page(url=f"{mark}-whole", html=page.body, encoding="utf-8")
    times["process"], receipt = cpu_timed(lambda: dedup.judge(whole, pending=False))
    # last, so that it does not warm anything for the stages
    times["decode"], (source, _) = cpu_timed(lambda: to_utf8(page.body, "utf-8", _SIZE))
    times["main text"], _ = cpu_timed(lambda: reading(source, _SIZE, styles=False))
    times["with styles"], _ = cpu_timed(lambda: reading(source, _SIZE))
    return times, receipt
