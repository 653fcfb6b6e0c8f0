"""Command: `python -m benchmarks.speed PAGES.jsonl[.gz]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import deep, grow, stages
from .pages import load

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Time the pages and print the figures; return 1 if anything was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    pages = load(options.pages_file, options.pages, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    if pages:
        print("Ratio to lxml.html parsing of the same page: median [quartiles] over pages")
        print(stages.report(pages, stages.measure(pages)))
        found = deep.measure(pages)
        if any(found.values()):
            print("\nA new page compared with a stored near copy, sentence by sentence")
            print(deep.report(found))
        else:
            print(f"No page has about {deep.SHORT} or {deep.LONG} sentences", file=sys.stderr)
        if options.grow:
            points = grow.grow(pages, options.grow, options.quotes)
            print(f"\nReal pages against synthetic ones with {options.quotes:g} stock phrases each")
            print(grow.report(points))
    elif not problems:
        problems.append("empty")
        print(f"{options.pages_file}: no pages", file=sys.stderr)
    return 1 if problems else 0


def _count(text: str) -> int:
    value = int(text.replace(",", "").replace("_", ""))
    if value < 1:
        raise ValueError
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.speed", description="Time each stage of processing a page."
    )
    parser.add_argument(
        "pages_file",
        metavar="PAGES",
        type=Path,
        help="JSON lines with url and html, plain or compressed with gzip",
    )
    parser.add_argument("--pages", metavar="N", type=_count, help="take only so many pages")
    parser.add_argument(
        "--grow", metavar="N", type=_count, help="also fill a store with so many synthetic pages"
    )
    parser.add_argument(
        "--quotes",
        metavar="X",
        type=float,
        default=2.0,
        help="stock phrases of the real pages in a synthetic one, on average (default 2)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
