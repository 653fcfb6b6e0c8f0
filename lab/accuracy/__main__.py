"""Command: `python -m lab.accuracy FOLDER…`."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.matching import TESTS
from lab.measure import fresh_processes

from . import ablation, actions
from .cascade import Result, as_json, as_table, mistake_lines, run, summary
from .sets import find_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .sets import PageSet

VARIANTS = (*TESTS, "off")


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the sets, print the figures; return 1 if something was left out."""
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
    if options.variants and "sentences" in settings.get("method_options", {}):
        parser.error("--variants goes through all values of 'sentences', so none can be set")
    many_methods = bool(options.methods or options.peers or options.report)
    if options.ablation and (many_methods or settings or options.variants or options.journal):
        parser.error("--ablation judges with defaults, and goes with no other option")
    if many_methods and (settings or options.variants or options.journal or options.errors):
        parser.error("--set, --variants, --journal and --errors are for the cascade alone")
    problems: list[str] = []
    sets = find_sets(options.folders, problems)
    _report(problems)
    if options.ablation:
        _run_ablation(sets, problems)
    elif many_methods:
        from .compare import run_methods  # imports all methods

        given = sys.argv[1:] if arguments is None else arguments
        run_methods(options, sets, given, problems)
    else:
        _run_cascade(options, sets, settings, problems)
    return 1 if problems else 0


def _run_cascade(
    options: argparse.Namespace,
    sets: Sequence[PageSet],
    settings: Mapping[str, Any],
    problems: list[str],
) -> None:
    """Judge the sets by the deduplicator alone, with any settings."""
    if options.journal:
        options.journal.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for page_set in sets:
        for variant in VARIANTS if options.variants else ("",):
            name = f"{page_set.name}-{variant}" if variant else page_set.name
            journal = options.journal and options.journal / f"{name}.jsonl"
            chosen = settings
            if variant:
                method = {**settings.get("method_options", {}), "sentences": variant}
                chosen = {**settings, "method_options": method}
            result = _run_in_process(page_set, chosen, journal, problems)
            if result:
                result.variant = variant
                results.append(result)
    if options.json:
        print(as_json(results, problems))
    elif results:
        print(as_table(results))
        if not options.variants:
            counted = ((result.name, result.actions) for result in results)
            print(actions.as_table(counted, groups=options.groups))
    if options.errors and not options.json:
        for result in results:
            print(*mistake_lines(result), sep="\n")
    if results and not options.json and not options.variants:
        print(summary(results))


def _run_ablation(sets: Sequence[PageSet], problems: list[str]) -> None:
    """Judge the sets without each part of the judge in turn."""
    found = [
        _run_in_process(page_set, {}, None, problems, partial(ablation.run_without, part))
        for page_set in sets
        for part in ablation.PARTS
    ]
    results = [result for result in found if result]
    print(ablation.as_table(results))
    print(ablation.simhash_counts(one for one in results if one.variant == "nothing"))


def _run_in_process(
    page_set: PageSet,
    settings: Mapping[str, Any],
    journal: Path | None,
    problems: list[str],
    judge: Callable[[PageSet, Mapping[str, Any], Path | None], Result] = run,
) -> Result | None:
    """Run a set in a fresh process; report its problems, and add them to the others."""
    result = None
    try:
        with ProcessPoolExecutor(1, mp_context=fresh_processes()) as pool:
            result = pool.submit(judge, page_set, settings, journal).result()
        found = result.problems
    except (DedupError, OSError, BrokenProcessPool) as error:
        found = [f"{page_set.name}: not finished: {error}"]
    _report(found)
    problems += found
    return result


def _report(problems: Sequence[str]) -> None:
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
    parser = argparse.ArgumentParser("python -m lab.accuracy", description=__doc__)
    parser.description = (
        "Judge the pages of labelled sets and compare the verdicts with the labels."
    )
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="*", type=Path, help="a set, or a folder of sets"
    )
    parser.add_argument("--errors", action="store_true", help="list each verdict that is wrong")
    parser.add_argument(
        "--groups", action="store_true", help="count actions by the groups of the labels, too"
    )
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
    parser.add_argument(
        "--ablation",
        action="store_true",
        help=f"run each set without {', '.join(ablation.PARTS)} of the judge",
    )
    parser.add_argument("--journal", metavar="DIR", type=Path, help="keep each set's journal here")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    _add_many(parser.add_argument_group("many methods"))
    return parser


def _add_many(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--methods",
        metavar="all|NAME,…",
        nargs="?",
        const="all",
        default="",
        help="measure these methods; all if none is named",
    )
    group.add_argument(
        "--peers",
        metavar="all|NAME,…",
        nargs="?",
        const="all",
        default="",
        help="measure these other libraries, too",
    )
    group.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="write a report in Markdown, with details and charts in evaluation/ beside it; of all "
        "methods and peers unless some are named",
    )
    group.add_argument(
        "--work",
        metavar="DIR",
        type=Path,
        default=Path("output/accuracy"),
        help="where results are kept, so that an interrupted run can continue (%(default)s)",
    )
    group.add_argument(
        "--again",
        metavar="all|NAME,…",
        nargs="?",
        const="all",
        help="measure these again, even if there are results",
    )
    group.add_argument(
        "--limit",
        metavar="SHARE",
        type=_share,
        default=0.01,
        help="share of the negatives of a set that may be dropped (%(default)s)",
    )
    group.add_argument(
        "--jobs",
        metavar="N",
        type=_count,
        default=1,
        help="tasks at a time; with more than one, times are less exact (%(default)s)",
    )
    group.add_argument(
        "--patience",
        metavar="SECONDS",
        type=_seconds,
        default=3600.0,
        help="after which a task is stopped (%(default)g)",
    )
    group.add_argument(
        "--minutes",
        metavar="N",
        type=_seconds,
        help="of the clock, after which no task is started; the same command continues",
    )
    group.add_argument(
        "--variations",
        action="store_true",
        help="with --report: the cascade in three orders, and without each part of the judge",
    )
    group.add_argument("--main-text", action="store_true", help="leave out raw page text")
    group.add_argument(
        "--shipped",
        action="store_true",
        help="measure methods as they ship, on main text: no other thresholds, which take long",
    )
    group.add_argument(
        "--no-published", action="store_true", help="leave out the counterparts of published tables"
    )


def _share(text: str) -> float:
    return _number(text, 0.0, 1.0)


def _seconds(text: str) -> float:
    return _number(text, 1.0, 1e9)


def _count(text: str) -> int:
    value = _number(text, 1, 1024)
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(value)


def _number(text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"must be a number from {low:g} to {high:g}, not {text!r}")
    return value


if __name__ == "__main__":
    sys.exit(main())
