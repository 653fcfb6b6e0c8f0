"""Command: `python -m benchmarks.speed.peers PAGES.jsonl[.gz]`: time from HTML to a verdict."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lab.accuracy.scoring import Score, score
from lab.accuracy.sets import batches_of, find_sets, labels_of
from lab.measure import cpu_timed, parse, spread
from lab.progress import progress
from lab.table import table

from .contenders import CONTENDERS
from .pages import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.accuracy.scoring import Judgement
    from lab.accuracy.sets import PageSet

    from .contenders import Contender, Judge
    from .pages import RealPage

REPEATS = 3
WARM_UP = 5
PARSE = "lxml.html, parse only"

Times = dict[str, list[float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all ways to a verdict and print the figures; return 1 if anything was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    pages = load(options.pages_file, options.pages, problems)
    if not pages and not problems:
        problems.append(f"{options.pages_file}: no pages")
    contenders = [one for one in CONTENDERS if not one.missing]
    problems += [
        f"{one.name}: not installed: {', '.join(one.missing)}; left out. "
        "All of them: pip install '.[peers]'"
        for one in CONTENDERS
        if one.missing
    ]
    if pages:
        _use_one_core()
        times = measure(contenders, pages)
        sets = find_sets(options.sets, problems) if options.sets else []
        scores = {one.name: scores_of(contenders, one, problems) for one in sets}
        print(report(times, scores))
        if not sets:
            print("\nHow often each is right: docs/evaluation.md, or --set FOLDER")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def measure(contenders: Sequence[Contender], pages: Sequence[RealPage]) -> Times:
    """Return for each contender the milliseconds of CPU for each page, the least of three repeats.

    All judge a page in turn, after lxml has parsed it. Each repeat begins with nothing known.
    """
    _repeat(contenders, pages[:WARM_UP])
    repeats = [_repeat(contenders, pages) for _ in range(REPEATS)]
    return {
        name: [min(of_page) for of_page in zip(*(one[name] for one in repeats), strict=True)]
        for name in repeats[0]
    }


def report(times: Times, scores: dict[str, dict[str, Score]]) -> str:
    """Return a table: time, ratio to the parse of the same pages, F1 and false drops in sets."""
    baseline = times[PARSE]
    rows = [
        [
            name,
            f"{sum(of_pages) / len(of_pages):.2f}",
            f"{sum(of_pages) / sum(baseline):.2f}",
            spread([one / base for one, base in zip(of_pages, baseline, strict=True)]),
            *(_accuracy(of_set.get(name)) for of_set in scores.values()),
        ]
        for name, of_pages in times.items()
    ]
    head = ["", "ms/page", "× lxml", "median [quartiles]", *(f"F1 {name}" for name in scores)]
    return table(head, rows)


def scores_of(
    contenders: Sequence[Contender], page_set: PageSet, problems: list[str]
) -> dict[str, Score]:
    """Judge the pages of a labelled set and score the verdicts of each contender."""
    labels = labels_of(page_set, problems)
    verdicts: dict[str, dict[str, Judgement]] = {one.name: {} for one in contenders}
    for batch in progress(batches_of(page_set, problems), page_set.name):
        with _started(contenders) as judges:
            for row in batch:
                body = row["html"].encode("utf-8", "surrogatepass")
                for name, judge in judges.items():
                    verdicts[name][row["url"]] = judge(row["url"], body)
    return {name: score(labels, found) for name, found in verdicts.items()}


def _repeat(contenders: Sequence[Contender], pages: Sequence[RealPage]) -> Times:
    with _started(contenders) as judges:
        times: Times = {PARSE: [], **{name: [] for name in judges}}
        for page in progress(pages, "pages"):
            times[PARSE].append(cpu_timed(partial(parse, page.body))[0])
            for name, judge in judges.items():
                needed, _ = cpu_timed(partial(judge, page.url, page.body))
                times[name].append(needed)
    return times


@contextmanager
def _started(contenders: Sequence[Contender]) -> Iterator[dict[str, Judge]]:
    with tempfile.TemporaryDirectory(prefix="peers-") as folder, ExitStack() as stack:
        yield {one.name: one.start(Path(folder), stack) for one in contenders}


def _accuracy(found: Score | None) -> str:
    return f"{found.f1:.3f} ({found.drops} of {found.negatives})" if found else ""


def _use_one_core() -> None:
    """Keep libraries from working in parallel, where the system allows that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.speed.peers",
        description="Time the way from HTML to a verdict, by this project and other libraries.",
    )
    parser.add_argument(
        "pages_file",
        metavar="PAGES",
        type=Path,
        help="JSON lines with url and html, plain or compressed with gzip",
    )
    parser.add_argument("--pages", metavar="N", type=int, help="take only so many pages")
    parser.add_argument(
        "--set",
        dest="sets",
        metavar="FOLDER",
        type=Path,
        action="append",
        help="a labelled set, or a folder of some: F1 and false drops are printed too",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
