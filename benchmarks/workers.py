"""Command: `python -m benchmarks.workers PAGES`: a scan with several processes against one."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import Deduplicator
from dedup_middleware.batch.parallel_reader import ParallelReader
from dedup_middleware.batch.sources import Sources
from lab.measure import spread
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware import Page
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.settings import Settings

_SEED = 1
_COPIES, _NEAR_COPIES = 0.1, 0.05
_CONSONANTS = "bcdfghlmnprst"
_TEXT = re.compile(r">[^<]+<")


class Times(NamedTuple):
    """Seconds of a scan, and CPU seconds of the process that judges and of those that read."""

    wall: float
    judging: float
    reading: float

    def cpu_bound(self, cores: int) -> float:
        """Return how long it would take if nobody else used these cores."""
        return max(self.judging, (self.judging + self.reading) / cores)


def main(arguments: Sequence[str] | None = None) -> int:
    """Scan the same pages with one process and with more in turn, print the ratios."""
    options = _parser().parse_args(arguments)
    if options.one:
        print(json.dumps(_scan(options.pages, options.workers)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder, "feed.jsonl")
        with feed.open("w", encoding="utf-8") as file:
            file.writelines(lines(options.pages, options.count))
        rounds = [
            [_in_process(feed, workers) for workers in (1, options.workers)]
            for _ in range(options.rounds)
        ]
    rows = []
    for name, number in (("1 process", 0), (f"--workers {options.workers}", 1)):
        times = [pair[number] for pair in rounds]
        rows.append([name, *(str(spread([one[part] for one in times])) for part in range(3))])
    print(table(("", "wall s", "judging, CPU s", "reading, CPU s"), rows))
    walls = [alone.wall / more.wall for alone, more in rounds]
    bounds = [alone.judging / more.cpu_bound(options.workers) for alone, more in rounds]
    print(f"times as fast, by the clock: {spread(walls)} ({os.cpu_count()} cores)")
    print(f"times as fast, by CPU time on {options.workers} cores of its own: {spread(bounds)}")
    return 0


def lines(path: Path, most: int) -> Iterator[str]:
    """Yield lines of a feed: the pages again and again in other words, some of them as copies."""
    rng, known = random.Random(_SEED), list[str]()
    pages = [page.html for page in Sources([path], print, max_html=8 << 20)]
    made = 0
    for number in count():
        letters = rng.sample(_CONSONANTS, len(_CONSONANTS))
        other = str.maketrans(_CONSONANTS, "".join(letters))
        for page in pages:
            html = _reworded(page, other)
            kind = rng.random()
            if known and kind < _COPIES:
                html = rng.choice(known)
            elif known and kind < _COPIES + _NEAR_COPIES:
                html = rng.choice(known).replace(". ", ". Once more: ", 3)
            known.append(html)
            del known[:-500]
            yield json.dumps({"url": f"https://w{number}.example/{made}", "html": html}) + "\n"
            made += 1
            if made == most:
                return


def _reworded(html: str | bytes | None, letters: dict[int, int]) -> str:
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html or ""
    return _TEXT.sub(lambda found: found.group().translate(letters), text)


def _in_process(feed: Path, workers: int) -> Times:
    command = [sys.executable, "-m", "benchmarks.workers", "--one", str(feed)]
    done = subprocess.run([*command, "--workers", str(workers)], stdout=subprocess.PIPE, check=True)
    return Times(*json.loads(done.stdout))


def _scan(feed: Path, workers: int) -> Times:
    began, before = time.monotonic(), _cpu(resource.RUSAGE_SELF)
    with (
        tempfile.TemporaryDirectory(dir=feed.parent) as folder,
        Deduplicator(Path(folder, "store"), is_sole=True) as dedup,
    ):
        for page in _pages(feed, workers, dedup.settings):
            dedup.process(page)
    judging = _cpu(resource.RUSAGE_SELF) - before
    return Times(time.monotonic() - began, judging, _cpu(resource.RUSAGE_CHILDREN))


def _pages(feed: Path, workers: int, settings: Settings) -> Iterable[Page | Subject]:
    most = settings.max_html
    if workers == 1:
        return Sources([feed], print, max_html=most)
    return ParallelReader([feed], print, max_html=most, max_text=settings.max_text, workers=workers)


def _cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers", description=__doc__)
    parser.add_argument("pages", type=Path, metavar="PAGES", help="a file as `scan` reads it")
    parser.add_argument("--count", type=int, default=2000, help="pages to judge (default: 2000)")
    parser.add_argument("--workers", type=int, default=2, help="processes that read (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="of both in turn (default: 3)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
