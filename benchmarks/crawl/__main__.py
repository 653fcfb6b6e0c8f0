"""Command: `python -m benchmarks.crawl PAGES.jsonl[.gz]`, which crawls with dedup off and on."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    parser.add_argument("pages", type=Path, help="rows with url and html")
    parser.add_argument("--count", type=int, default=2000, help="pages to crawl (2000)")
    parser.add_argument("--repeat", type=int, default=3, help="crawls of each kind (3)")
    options = parser.parse_args()
    if not options.pages.exists():
        parser.error(f"{options.pages}: no such file")
    command = [sys.executable, "-m", "benchmarks.crawl.server", options.pages, str(options.count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        try:
            port = server.stdout.readline().strip()
            for kind in ("links", "fetch"):
                print(report(kind, port, options.count, options.repeat), flush=True)
        finally:
            server.kill()


def report(kind: str, port: str, count: int, repeat: int) -> str:
    ratios, gaps = [], {"off": 0.0, "on": 0.0}
    speed = []
    for _ in range(repeat):
        took = {dedup: crawl(kind, port, count, dedup) for dedup in ("off", "on")}
        ratios.append(took["off"]["seconds"] / took["on"]["seconds"])
        speed.append(count / took["off"]["seconds"])
        for dedup, figures in took.items():
            gaps[dedup] = max(gaps[dedup], figures["gap_ms"])
    return (
        f"{kind:<6} throughput kept {statistics.median(ratios):.0%} "
        f"({', '.join(f'{ratio:.0%}' for ratio in ratios)}), "
        f"{statistics.median(speed):.0f} pages/s without; "
        f"longest gap of the loop {gaps['off']:.0f} ms without, {gaps['on']:.0f} ms with"
    )


def crawl(kind: str, port: str, count: int, dedup: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.crawl.run", port, str(count), kind, dedup]
        done = subprocess.run(
            command,
            cwd=folder,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
