"""Command: `python -m lab.published DATA`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab import charts

from . import DOCUMENTS, sections

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables, print or write them; return 1 if something was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    folder = options.output.parent if options.output else options.work
    made = sections(
        options.data,
        options.work,
        problems,
        folder / charts.FOLDER,
        only=options.only,
        reuse=options.reuse,
        queries=options.queries,
    )
    report = "\n\n".join(f"## {title}\n\n{text}" for title, text in made)
    if options.output and report:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(report + "\n", encoding="utf-8")
    elif report:
        print(report)
    for problem in dict.fromkeys(problems):  # several documents read the same files
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _letters(text: str) -> list[str]:
    letters = [letter.strip().upper() for letter in text.split(",")]
    for letter in letters:
        if letter not in DOCUMENTS:
            raise argparse.ArgumentTypeError(
                f"{letter!r} is no document; choose from {','.join(DOCUMENTS)}"
            )
    return letters


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, not {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m lab.published",
        description="Make the tables of the published documents again, on open data.",
    )
    parser.add_argument("data", metavar="DATA", type=Path, help="a folder of sets")
    parser.add_argument(
        "--only",
        metavar="P,Y,O,C,K",
        type=_letters,
        default=list(DOCUMENTS),
        help="documents whose tables are made (default: all)",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="write Markdown there, charts beside it into evaluation/",
    )
    parser.add_argument(
        "--work",
        metavar="DIR",
        type=Path,
        default=Path("output/published"),
        help="where results are kept for the next time (default: output/published)",
    )
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="use kept results even if the code has changed since they were measured",
    )
    parser.add_argument(
        "--queries",
        metavar="N",
        type=_count,
        default=900,
        help="documents made for the Table 1 of P (default 900)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
