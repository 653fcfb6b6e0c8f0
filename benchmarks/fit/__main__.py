"""Command: `python -m benchmarks.fit FOLDER…`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.accuracy.sets import find_sets
from dedup_middleware import DedupError

from .choose import fit
from .measures import measure
from .output import as_json, as_text
from .plot import plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .choose import Fit


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all points on all sets, print the figures; return 1 if something was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    found = find_sets(options.folders, problems)
    sets = [
        one for page_set in found if (one := measure(page_set, problems, options.processes)).urls
    ]
    if sets:
        result = fit(sets)
        print(as_json(result, problems) if options.json else as_text(result))
        if options.plot:
            _draw(result, options.plot, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _draw(result: Fit, path: Path, problems: list[str]) -> None:
    from dedup_middleware.viewer.png import to_png

    try:
        path.write_bytes(to_png(plot(result)))
    except (DedupError, OSError) as error:
        problems.append(f"{path}: not drawn: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.fit",
        description="Try weights and thresholds of the judge on labelled sets.",
    )
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="+", type=Path, help="a set, or a folder of sets"
    )
    parser.add_argument(
        "--processes", metavar="N", type=int, default=2, help="that compare pages (default 2)"
    )
    parser.add_argument("--plot", metavar="FILE.png", type=Path, help="draw the curves (Pillow)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
