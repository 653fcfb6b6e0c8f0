"""Command: `python -m benchmarks.crawl [PAGES.jsonl[.gz]]`, which crawls with dedup off and on."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lab.table import table

from .run import KINDS

ROOT = Path(__file__).parents[2]
HEAD = (
    "spider",
    "wall s",
    "CPU ms/page",
    "peak MB",
    "longest block ms",
    "throughput kept",
    "by CPU",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    parser.add_argument("pages", type=Path, nargs="?", help="rows with url and html")
    parser.add_argument(
        "--generated", type=int, default=30, metavar="KB", help="else made pages of this size (30)"
    )
    parser.add_argument("--count", type=int, default=2000, help="pages to crawl (2000)")
    parser.add_argument("--repeat", type=int, default=3, help="crawls of each kind (3)")
    parser.add_argument("--spider", choices=KINDS, action="append", help="only this one")
    options = parser.parse_args()
    if options.pages and not options.pages.exists():
        parser.error(f"{options.pages}: no such file")
    source = str(options.pages.absolute() if options.pages else options.generated)
    command = [sys.executable, "-m", "benchmarks.crawl.server", source, str(options.count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        try:
            port = server.stdout.readline().strip()
            rows = [
                row
                for kind in options.spider or KINDS
                for row in compared(kind, port, options.count, options.repeat)
            ]
        finally:
            server.kill()
    print(table(HEAD, rows))


def compared(kind: str, port: str, count: int, repeat: int) -> list[list[str]]:
    """Crawl with dedup off and on in turn; return a row for each, by the median."""
    took: dict[str, list[dict[str, Any]]] = {"off": [], "on": []}
    for _ in range(repeat):
        for dedup, crawls in took.items():
            crawls.append(crawl(kind, port, count, dedup))

    def ratio(name: str) -> str:
        pairs = zip(took["off"], took["on"], strict=True)
        return f"{statistics.median(off[name] / on[name] for off, on in pairs):.0%}"

    rows = []
    for dedup, crawls in took.items():
        wall, cpu, peak = (
            statistics.median(one[name] for one in crawls) for name in ("seconds", "cpu", "peak")
        )
        kept = [ratio("seconds"), ratio("cpu")] if dedup == "on" else ["", ""]
        gap = max(one["gap_ms"] for one in crawls)
        figures = [f"{wall:.2f}", f"{1000 * cpu / count:.2f}", f"{peak / 1e6:.0f}", f"{gap:.0f}"]
        rows.append([f"{kind}, {dedup}", *figures, *kept])
    return rows


def crawl(kind: str, port: str, count: int, dedup: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.crawl.run", port, str(count), kind, dedup]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
