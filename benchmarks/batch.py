"""Command: `python -m benchmarks.batch REAL_PAGES`, a Spark job against a scan of the same pages.

Both are commands of their own; CPU is that of all their processes. Of Spark, what it takes until
the first stage begins is told apart.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from benchmarks.speed.pages import load
from benchmarks.speed.synthetic import Generator
from dedup_middleware import Page
from dedup_middleware.read import read
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEED = 7
FILES = 16
QUOTES = 4.0  # stock phrases of a page, on average
PAGES_OF_HOST = 200
EXACT, NEAR, PART = 0.05, 0.10, 0.03
"""Shares of pages that are copies, that are edited copies, and that are parts of others."""
EDITED = 0.02  # of the words
TOPICAL, TOPIC_WORDS = 0.35, 60
"""A page uses some words more often than others do, or SimHash would take all pages for one."""
RECENT = 5_000  # pages of which copies are made
_TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """What a command took, in seconds of CPU."""

    start: float
    work: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.batch", description=__doc__)
    parser.add_argument("real", type=Path, help="real pages, whose words and sizes are used")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--memory", default="4g", help="of Spark")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="batch-") as name:
        folder = Path(name)
        size = _write_pages(options.real, folder / "pages", options.pages)
        decisions, events = folder / "decisions.jsonl", folder / "events"
        events.mkdir()
        scan = _cost([*_scrapy("scan"), folder / "pages", "--json"], decisions)
        spark = _cost(
            [
                *(*_scrapy("spark"), folder / "pages", "--output", folder / "out"),
                *("--master", "local[2]", "--partitions", options.partitions),
                *("--conf", f"spark.driver.memory={options.memory}"),
                *("--conf", "spark.ui.showConsoleProgress=false"),
                *("--conf", "spark.eventLog.enabled=true"),
                *("--conf", "spark.eventLog.compress=false"),
                *("--conf", "spark.eventLog.rolling.enabled=false"),
                *("--conf", f"spark.eventLog.dir={events}"),
            ],
            folder / "summary.txt",
            until=b"read: ",
        )
        print((folder / "summary.txt").read_text())
        equal = _compare(decisions, folder / "out" / "verdicts")
        print(f"{options.pages:,} pages, {size / 1e6:,.0f} MB of JSON lines\n")
        print(
            table(
                ("", "start, CPU s", "work, CPU s", "ms a page"),
                [
                    (name, f"{one.start:.0f}", f"{one.work:.0f}", f"{ms(one, options.pages):.2f}")
                    for name, one in (("scan", scan), ("Spark", spark))
                ],
            )
        )
        print(f"\nSpark / scan: {spark.work / (scan.start + scan.work):.2f}")
        shuffled = _shuffled(events)
        for stage, size in shuffled.items():
            print(f"{stage:<12} {size / options.pages:>8,.0f} bytes shuffled for each page")
    return int(not equal)


def ms(cost: Cost, pages: int) -> float:
    return 1000 * cost.work / pages


def _scrapy(command: str) -> list[str]:
    return [sys.executable, "-m", "scrapy", "dedup", command]


def _write_pages(real: Path, folder: Path, count: int) -> int:
    """Write pages into files; return how many bytes they have."""
    problems: list[str] = []
    outlines = [
        read(Page(url=page.url, html=page.html), max_html=8 << 20, max_text=2_000_000)
        for page in load(real, None, problems)
    ]
    folder.mkdir()
    size = 0
    pages = _pages(Generator(outlines, QUOTES), count)
    for number in range(FILES):
        with (folder / f"pages-{number:02}.jsonl").open("w") as file:
            for _ in range((number + 1) * count // FILES - number * count // FILES):
                size += file.write(json.dumps(next(pages)) + "\n")
    return size


def _pages(generator: Generator, count: int) -> Iterator[dict[str, str]]:
    """Yield pages of hosts with templates; some repeat others."""
    chance = np.random.default_rng(SEED)
    recent: deque[tuple[str, ...]] = deque(maxlen=RECENT)
    for number, outline in enumerate(generator.outlines(count)):
        host, draw = number % (1 + count // PAGES_OF_HOST), chance.random()
        title, blocks = outline.title, _topical(outline.texts, number, chance)
        if recent and draw < EXACT + NEAR + PART:
            known = recent[int(chance.integers(len(recent)))]
            title = " ".join(known[0].split()[:6])
            if draw < EXACT:
                blocks = known
            elif draw < EXACT + NEAR:
                blocks = tuple(_edited(block, outline.texts[0].split(), chance) for block in known)
            else:
                blocks = known[: max(1, 2 * len(known) // 3)]
        recent.append(blocks)
        url = f"https://www{host}.example/section-{number % 97}/page-{number}.html"
        yield {"url": url, "html": _html(title, blocks, host)}


def _topical(blocks: Sequence[str], number: int, chance: np.random.Generator) -> tuple[str, ...]:
    made = []
    for block in blocks:
        words = block.split()
        for at in np.flatnonzero(chance.random(len(words)) < TOPICAL):
            words[at] = f"topic{number % 5003}x{int(TOPIC_WORDS * chance.random() ** 2)}"
        made.append(" ".join(words))
    return tuple(made)


def _edited(block: str, others: list[str], chance: np.random.Generator) -> str:
    words = block.split()
    for at in np.flatnonzero(chance.random(len(words)) < EDITED):
        words[at] = others[int(chance.integers(len(others)))]
    return " ".join(words)


def _html(title: str, blocks: Sequence[str], host: int) -> str:
    menu = "".join(f"<li><a href='/{host}/{at}'>Section {at} of {host}</a></li>" for at in range(9))
    text = "".join(f"<p>{html.escape(block)}</p>" for block in blocks)
    return (
        f"<html lang='en'><head><title>{html.escape(title)} | Site {host}</title></head><body>"
        f"<nav><ul>{menu}</ul></nav><main>{text}</main>"
        f"<div class='about'><p>This is the site number {host} of many, and all its pages end with "
        f"these words about number {host}.</p></div></body></html>"
    )


def _cost(command: Sequence[Any], output: Path, until: bytes = b"") -> Cost:
    """Run a command; return its CPU time until it says something on stderr, and after that."""
    errors = output.with_suffix(".err")
    with output.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            [*map(str, command)], stdout=out, stderr=err, start_new_session=True
        )
        start = spent = 0.0
        while process.poll() is None:
            spent = max(spent, _session_cpu(process.pid))
            if not start and until and until in errors.read_bytes():
                start = spent
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{errors.read_text()[-3000:]}")
    return Cost(start, spent - start)


def _shuffled(events: Path) -> Counter[str]:
    """Return how many bytes each stage of a job has sent from task to task."""
    groups: dict[int, str] = {}
    sizes: Counter[str] = Counter()
    (path,) = events.iterdir()
    with path.open() as lines:
        for event in map(json.loads, lines):
            if event["Event"] == "SparkListenerJobStart":
                name = event["Properties"].get("spark.jobGroup.id", "")
                groups.update(dict.fromkeys(event["Stage IDs"], name))
            elif event["Event"] == "SparkListenerTaskEnd":
                written = event.get("Task Metrics", {}).get("Shuffle Write Metrics", {})
                sizes[groups[event["Stage ID"]]] += written.get("Shuffle Bytes Written", 0)
    return sizes


def _session_cpu(session: int) -> float:
    """Add up the CPU time of all processes of a session, and of those that they waited for."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def _compare(decisions: Path, verdicts: Path) -> bool:
    """Print how many verdicts of the job are those of the scan; return True if all are."""
    with decisions.open() as lines:
        scanned = [_verdict(line, "verdict") for line in map(json.loads, lines)]
    rows = pq.read_table(verdicts, columns=["arrival", "kind", "action", "original"])
    judged = [_verdict(row, "kind") for row in rows.sort_by("arrival").to_pylist()]
    equal = sum(one == other for one, other in zip(scanned, judged, strict=True))
    print(f"{equal:,} of {len(scanned):,} verdicts are equal")
    return equal == len(scanned)


def _verdict(row: dict[str, Any], kind: str) -> tuple[str, str, str | None]:
    return row[kind], row["action"], row["original"]


if __name__ == "__main__":
    sys.exit(main())
