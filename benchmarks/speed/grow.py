"""Cost of look-up and registration as a store grows."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from dedup_middleware import Deduplicator, Evidence, Kind, Page, Verdict
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read
from lab.measure import own_memory, parse, spread, timed
from lab.progress import progress_bar
from lab.table import table

from . import inside
from .synthetic import Generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.read import Outline
    from dedup_middleware.store.engine import TableSize

    from .pages import RealPage

ROUNDS = 3
BATCH = 500
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
STEPS = ("lookup", "probe", "register")
ON_DISK = ("pages", "outlines", "segments", "decisions", "urls")

Times = dict[str, float]


@dataclass(frozen=True, slots=True)
class Point:
    """The cost at one size of the store."""

    size: int
    times: list[Times]
    """For each real page: milliseconds of each step, the least of three rounds."""
    candidates: list[int]
    capped: list[int]
    """For each real page: how many of its keys lead to more pages than are kept."""
    disk: dict[str, TableSize]
    longest: float
    """Milliseconds that the slowest page took since the size before, which was only registered."""
    memory: int
    """Bytes of the process, without mapped files, above those before the store was opened."""


def grow(pages: Sequence[RealPage], size: int, quotes: float) -> list[Point]:
    """Fill a store with synthetic pages and time the real ones at 1,000, 10,000, … pages."""
    known = [_read(page) for page in pages]
    stops = sorted({*(stop for stop in SIZES if stop < size), size})
    generator = Generator([outline for outline, _ in known], quotes)
    unique = Verdict(Kind.UNIQUE, None, 0.0, "Nothing like it is known.", Evidence("lookup"))
    points: list[Point] = []
    memory = own_memory()
    with (
        tempfile.TemporaryDirectory(prefix="speed-") as folder,
        Deduplicator(f"{folder}/store", is_sole=True) as dedup,
        progress_bar(size, "fill") as advance,
    ):
        filled = 0
        for stop in stops:
            source, longest = generator.pages(stop - filled), 0.0
            while batch := list(islice(source, BATCH)):
                longest = max(longest, inside.fill(dedup, batch, unique))
                advance(len(batch))
            filled = stop
            points.append(_measure(dedup, pages, known, stop, longest, own_memory() - memory))
    return points


def report(points: Sequence[Point]) -> str:
    """Return tables of the cost at each size, and of the store's size on disk."""
    costs = table(
        ["pages", *(f"{step} ms" for step in STEPS), *STEPS, "probe + register", "found", "capped"],
        [_cost_row(point) for point in points],
    )
    disk = table(
        ["bytes/page", *ON_DISK, "all", "longest pause ms", "own memory MB"],
        [_disk_row(point) for point in points],
    )
    return f"{costs}\n\n{disk}"


def _cost_row(point: Point) -> list[str]:
    times = point.times
    both = [(one["probe"] + one["register"]) / one["parse"] for one in times]
    return [
        f"{point.size:,}",
        *(f"{spread([one[step] for one in times]).median:.3f}" for step in STEPS),
        *(str(spread([one[step] / one["parse"] for one in times])) for step in STEPS),
        str(spread(both)),
        f"{spread(point.candidates).median:.0f}",
        f"{spread(point.capped).median:.0f}",
    ]


def _disk_row(point: Point) -> list[str]:
    parts = [point.disk[name].size / point.size for name in ON_DISK]
    total = sum(one.size for one in point.disk.values()) / point.size
    rest = [f"{total:,.0f}", f"{point.longest:.0f}", f"{point.memory / 1e6:.0f}"]
    return [f"{point.size:,}", *(f"{part:,.0f}" for part in parts), *rest]


def _read(page: RealPage) -> tuple[Outline, Fingerprint]:
    source = Page(url=page.url, html=page.body, encoding="utf-8")
    outline = read(source)
    return outline, fingerprint(source, outline)


def _measure(
    dedup: Deduplicator,
    pages: Sequence[RealPage],
    known: Sequence[tuple[Outline, Fingerprint]],
    size: int,
    longest: float,
    memory: int,
) -> Point:
    """Probe and register each real page as it is, then withdraw it again.

    So no real page is known when another is probed, and the store keeps its size. A round goes
    through all pages and begins with an empty cache of known pages: what a page finds in caches was
    left by other pages, as in a crawl.
    """
    with dedup.store.snapshot() as view:
        disk = view.sizes()
    least: list[Times] = [{} for _ in pages]
    candidates, capped = [0] * len(pages), [0] * len(pages)
    for round_ in range(ROUNDS):
        inside.forget_prepared(dedup)
        for place, (page, (outline, found)) in enumerate(zip(pages, known, strict=True)):
            url = f"https://real.example/{round_}/{place}"
            subject = inside.subject_of(url, outline, found)
            times: Times = {}
            times["parse"], _ = timed(partial(parse, page.body))
            times["probe"], judgement = timed(partial(inside.probe, dedup, subject))
            times["register"], receipt = timed(partial(inside.record, dedup, judgement))
            dedup.settle(withdrawn=[receipt.number])
            # last, so that it does not warm anything for the probe
            times["lookup"], looked_up = timed(partial(inside.lookup, dedup, subject))
            candidates[place], capped[place] = len(looked_up.alike), looked_up.capped
            for step, needed in times.items():
                least[place][step] = min(needed, least[place].get(step, needed))
    return Point(size, least, candidates, capped, disk, longest, memory)
