"""Timing, peak memory, the baseline of all timings, and the spread of measurements."""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.context import ForkServerContext, SpawnContext

T = TypeVar("T")

_parser = html.HTMLParser(encoding="utf-8")
_STATUS = Path("/proc/self/status")


def fresh_processes() -> SpawnContext | ForkServerContext:
    """Return what starts processes in which nothing has been measured yet.

    They are forked from one that has only imported what tasks need: each import of it takes more
    than a second.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["lab.accuracy.tasks", "lab.accuracy.ablation"])
    return server


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the milliseconds that some work took, and its result."""
    start = time.perf_counter()
    result = work()
    return 1000 * (time.perf_counter() - start), result


def cpu_timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the milliseconds of CPU time that some work took, and its result."""
    start = time.process_time()
    result = work()
    return 1000 * (time.process_time() - start), result


def peak_memory() -> int:
    """Return the most bytes that this process has had; touched parts of mapped files are in it."""
    # Linux counts to `ru_maxrss` what the process had that this one was started from
    peak = _status("VmHWM")
    if peak:
        return peak
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def own_memory() -> int:
    """Return how many bytes this process has now, without mapped files; 0 if nobody knows."""
    return _status("RssAnon")


def _status(name: str) -> int:
    """Return a line of what Linux says of this process, in bytes; 0 elsewhere."""
    lines = _STATUS.read_text().splitlines() if _STATUS.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


def parse(body: bytes) -> None:
    """Parse a page with `lxml.html`: the baseline."""
    with contextlib.suppress(etree.ParserError):  # an empty page
        html.document_fromstring(body, parser=_parser)


class Spread(NamedTuple):
    """Median and quartiles of many measurements."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}–{self.high:.2f}]"


def spread(values: Sequence[float]) -> Spread:
    """Return median and quartiles.

    >>> str(spread([1.0, 2.0, 3.0, 4.0, 5.0]))
    '3.00 [2.00–4.00]'
    """
    if len(values) < 2:
        return Spread(*[values[0] if values else 0.0] * 3)
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)
