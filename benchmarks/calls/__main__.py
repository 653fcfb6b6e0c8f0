"""Command: `python -m benchmarks.calls PAGES.jsonl.gz`."""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from dedup_middleware import Page
from lab.rows import read_rows
from lab.table import table

from .counting import rows


def main() -> int:
    """Print what is called for pages of each kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("pages", type=Path, help="pages.jsonl.gz: url, html")
    parser.add_argument("--count", type=int, default=600, help="so many of them, in order")
    options = parser.parse_args()
    problems: list[str] = []
    read = filter(None, read_rows(options.pages, _check, problems))
    pages = (Page(url=row["url"], html=row["html"].encode()) for row in islice(read, options.count))
    lines = [
        [*row[:3], *(f"{value:g}" for value in row[3:8]), f"{row[8]:.2f}"] for row in rows(pages)
    ]
    print(table("verdict stage pages own other C files core copies".split(), lines))
    print(*problems, sep="\n", file=sys.stderr, end="")
    return 1 if problems else 0


def _check(row: dict[str, Any]) -> str | None:
    texts = all(isinstance(row.get(name), str) for name in ("url", "html"))
    return None if texts else "url and html must be text"


if __name__ == "__main__":
    sys.exit(main())
