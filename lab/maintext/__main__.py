"""Command: `python -m lab.maintext FOLDER`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware import Page
from dedup_middleware.read import UnreadablePage, read
from lab.rows import existing, page_problem, read_rows
from lab.table import table

from .scoring import Score, mean, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]

HEAD = ("type", "pages", "F1", "precision", "recall", "F1 even", "F1 odd")


class Scored(NamedTuple):
    """One page and its score."""

    url: str
    type: str
    score: Score


def main(arguments: Sequence[str] | None = None) -> int:
    """Score every page, print the means by type; return 1 if something had to be skipped."""
    parser = _parser()
    options = parser.parse_args(arguments)
    path = existing(options.folder, "pages")
    if path is None:
        parser.error(f"{options.folder}/pages.jsonl.gz: no such file")
    problems: list[str] = []
    scored = _scored(path, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    figures = _figures(scored)
    worst = sorted(scored, key=lambda one: one.score.f1)[: options.errors]
    if options.json:
        print(json.dumps({"figures": figures, "worst": list(map(_row, worst))}, indent=1))
    elif scored:
        print(table(HEAD, [[name, *map(_shown, of.values())] for name, of in figures.items()]))
        if worst:
            head = ("worst pages", "type", "F1", "precision", "recall")
            print()
            print(table(head, [list(map(_shown, _row(one).values())) for one in worst]))
    return 1 if problems else 0


def _scored(path: Path, problems: list[str]) -> list[Scored]:
    scored = []
    for row in read_rows(path, _problem, problems):
        if row is None:
            continue
        try:
            extracted = read(Page(url=row["url"], html=row["html"])).main
        except UnreadablePage as error:
            problems.append(f"{error}; page skipped")
            continue
        scored.append(Scored(row["url"], row["type"], score(extracted, row["main"])))
    return scored


def _figures(scored: Sequence[Scored]) -> dict[str, dict[str, float]]:
    """Return the means of each type and of all, with those of every other page beside them."""
    halves: dict[str, tuple[list[Score], list[Score]]] = defaultdict(lambda: ([], []))
    for place, one in enumerate(scored):
        for name in (one.type, "all"):
            halves[name][place % 2].append(one.score)
    return {
        name: {
            "pages": len(even) + len(odd),
            "f1": mean(one.f1 for one in (*even, *odd)),
            "precision": mean(one.precision for one in (*even, *odd)),
            "recall": mean(one.recall for one in (*even, *odd)),
            "f1_even": mean(one.f1 for one in even),
            "f1_odd": mean(one.f1 for one in odd),
        }
        # "all" is the last row
        for name, (even, odd) in sorted(halves.items(), key=lambda half: (half[0] == "all", half))
    }


def _row(one: Scored) -> dict[str, str | float]:
    found = one.score
    return {
        "url": one.url,
        "type": one.type,
        "f1": found.f1,
        "precision": found.precision,
        "recall": found.recall,
    }


def _shown(value: str | float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _problem(row: Row) -> str | None:
    for key in ("type", "main"):
        if not isinstance(row.get(key), str):
            return f"{key!r} must be a string"
    return page_problem(row)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m lab.maintext",
        description="Read pages and compare their main text with what people marked as such: "
        "F1 of the words of each page, mean over pages.",
    )
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        type=Path,
        help="has pages.jsonl or pages.jsonl.gz with url, type, html and main",
    )
    parser.add_argument(
        "--errors",
        metavar="N",
        type=int,
        nargs="?",
        const=20,
        default=0,
        help="list the N worst pages too (20 if no number is given)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
