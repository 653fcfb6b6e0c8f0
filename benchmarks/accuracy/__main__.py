"""Command: `python -m benchmarks.accuracy FOLDER…`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware import DedupError
from dedup_middleware.compare.matching import TESTS
from dedup_middleware.settings import Settings

from .output import as_json, as_table, mistake_lines, summary
from .run import Result, run
from .sets import find_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .sets import PageSet

VARIANTS = (*TESTS, "off")


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the sets, print the figures; 1 if something had to be left out."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.folders:
        parser.print_help()
        return 2
    try:
        settings = dict(options.settings)
        Settings.of(**settings)
    except DedupError as error:
        parser.error(str(error))
    if options.variants and "sentences" in settings:
        parser.error("--variants goes through all values of 'sentences', so none can be set")
    if options.journal:
        options.journal.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    sets = find_sets(options.folders, problems)
    _tell(problems)
    results: list[Result] = []
    for page_set in sets:
        for variant in VARIANTS if options.variants else ("",):
            name = f"{page_set.name}-{variant}" if variant else page_set.name
            journal = options.journal and options.journal / f"{name}.jsonl"
            chosen = {**settings, "sentences": variant} if variant else settings
            result = _run_apart(page_set, chosen, journal, problems)
            if result:
                result.variant = variant
                results.append(result)
    if options.json:
        print(as_json(results, problems))
    elif results:
        print(as_table(results))
    if options.errors and not options.json:
        for result in results:
            print(*mistake_lines(result), sep="\n")
    if results and not options.json and not options.variants:
        print(summary(results))
    return 1 if problems else 0


def _run_apart(
    page_set: PageSet, settings: Mapping[str, Any], journal: Path | None, problems: list[str]
) -> Result | None:
    """Run a set in a fresh process; what goes wrong there is told, and added to the problems."""
    spawn = multiprocessing.get_context("spawn")
    result = None
    try:
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            result = pool.submit(run, page_set, settings, journal).result()
        found = result.problems
    except (DedupError, OSError, BrokenProcessPool) as error:
        found = [f"{page_set.name}: not finished: {error}"]
    _tell(found)
    problems += found
    return result


def _tell(problems: Sequence[str]) -> None:
    for problem in problems:
        print(problem, file=sys.stderr)


def _setting(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    try:
        if sign:
            return name.strip().lower().removeprefix("dedup_"), json.loads(value)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE with a JSON value")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.accuracy", description=__doc__)
    parser.description = (
        "Judge the pages of labelled sets and compare the verdicts with the labels."
    )
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="*", type=Path, help="a set, or a folder of sets"
    )
    parser.add_argument("--errors", action="store_true", help="list each verdict that is wrong")
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_setting,
        help="a setting of the deduplicator; the value in JSON",
    )
    parser.add_argument(
        "--variants",
        action="store_true",
        help=f"run each set for sentences = {', '.join(VARIANTS)}",
    )
    parser.add_argument("--journal", metavar="DIR", type=Path, help="keep each set's journal here")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
