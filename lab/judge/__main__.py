"""`python -m lab.judge`: label pairs of pages that methods disagree on, and measure methods."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.commands._arguments import add_paths, check_paths, login_name
from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.methods import method_names
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, warn
from dedup_middleware.viewer.comparison import compare_outlines
from lab.command import main
from lab.labels import unresolved

from .calibration import answered_pairs, calibrate, missing_answers
from .drawing import DEFAULT_METHODS, PAIRS, PoolOptions, grow_pool, make_pool
from .folder import LabelFolder
from .prompt import Question, ask
from .status import kappa_lines, status_json, status_lines

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence

    from scrapy.settings import BaseSettings

    from lab.answers import Answers

    from .pool import Pool

MOST_PAIRS = 10_000
PAGES_READ, MOST_PAGES = 5_000, 1_000_000
FEWEST_METHODS = 2


def add_arguments(parser: ArgumentParser) -> None:
    add_paths(parser, required=False)
    parser.add_argument(
        "--store",
        type=Path,
        metavar="DIR",
        help="take pages from this store; without --store and PATH, from the store used last",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="keep pairs, answers and labels in this folder, or go on with those in it",
    )
    parser.add_argument(
        "--sets",
        type=Path,
        metavar="DATA",
        help="draw pairs of labelled sets instead, and write sheets for two people",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        nargs="+",
        help="with --sets: what the two people answered; print kappa, and how right methods are",
    )
    parser.add_argument("--judge", metavar="NAME", help="who answers (default: the login name)")
    parser.add_argument(
        "--methods",
        metavar="NAME,…",
        help=f"methods whose disagreements are asked about ({','.join(DEFAULT_METHODS)}); "
        f"there are {' '.join(method_names())}",
    )
    parser.add_argument(
        "--most",
        type=int,
        metavar="N",
        help=f"pairs to ask about ({PAIRS}); a pool that has fewer grows",
    )
    parser.add_argument(
        "--pages",
        type=int,
        metavar="N",
        default=PAGES_READ,
        help=f"read only the first N pages ({PAGES_READ})",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="the same pages and seed give the same pool (1)"
    )
    parser.add_argument("--pool-only", action="store_true", help="make the pool, ask nothing")
    parser.add_argument(
        "--kappa", action="store_true", help="print how well each two judges agree, ask nothing"
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="print the strictness that fits the answers, and what it would drop; ask nothing",
    )
    parser.add_argument(
        "--resolve",
        action="store_true",
        help="ask about pairs on which judges disagree; these answers are final",
    )
    parser.add_argument("--json", action="store_true", help="print the status as JSON, ask nothing")


def run(opts: Namespace, settings: BaseSettings) -> int:
    if opts.sets:
        from .open_sets import draw, results  # imports all methods

        found = results(opts.sets, opts.output, opts.answers) if opts.answers else None
        print(found or draw(opts.sets, opts.output))
        return 0
    chosen = Settings.from_scrapy(settings)
    _check_limits(opts)
    judge, methods = _judge_name(opts), _method_names(opts)
    check_paths(opts.paths)
    folder = LabelFolder(opts.output)
    _warn_of_damage(folder.answers)
    options = PoolOptions(opts.store, tuple(opts.paths), opts.pages, methods, opts.most, opts.seed)
    if folder.pool:
        pool = grow_pool(folder.pool, options, chosen, folder)
    else:
        pool = make_pool(options, chosen, folder)
    folder.export()
    if opts.json:
        sys.stdout.write(f"{json.dumps(status_json(pool, folder.answers))}\n")
    elif opts.kappa:
        _print(kappa_lines(pool, folder.answers))
    elif opts.calibrate:
        _print(_calibration_lines(folder))
    else:
        try:
            if not opts.pool_only:
                _ask(folder, pool, judge, chosen, resolve=opts.resolve)
        finally:  # also after Ctrl-C
            folder.export()
            _print(status_lines(pool, folder.answers, str(folder.path)))
    return 0


def _calibration_lines(folder: LabelFolder) -> list[str]:
    answered = list(answered_pairs(folder))
    alike, different = missing_answers(answered)
    if alike or different:
        wanted = [f"{alike} alike"] * bool(alike) + [f"{different} different"] * bool(different)
        raise DedupError(
            f"There are too few answers to calibrate: {' and '.join(wanted)} more are needed; "
            "answer more pairs with the same command without --calibrate (--most N for more pairs)"
        )
    found = calibrate(answered)
    lines = [] if found.is_safe else ["No strictness keeps these answers: the strictest is shown."]
    return [
        *lines,
        f'DEDUP_STRICTNESS = "{found.strictness}"',
        f"Of {found.alike} pairs that people call alike, {found.found} would be found.",
        f"Of {found.different} that they call different, {found.dropped} would be dropped:",
        f"on other pages like these at most {found.most_dropped:.0%}, with 95 % confidence.",
    ]


def _check_limits(opts: Namespace) -> None:
    limits = {"--most": (opts.most, MOST_PAIRS), "--pages": (opts.pages, MOST_PAGES)}
    for name, (value, most) in limits.items():
        if value is not None and not 1 <= value <= most:
            raise SettingError(f"{name} must be from 1 to {most:,}, not {value:,}")


def _judge_name(opts: Namespace) -> str:
    """Return who answers: the name that was given, or the login name."""
    name: str | None = opts.judge
    if name is None:
        return login_name()
    if not (name.strip() and name.isprintable()):
        raise SettingError(f"--judge must be a name, not {name!r}")
    return name


def _method_names(opts: Namespace) -> tuple[str, ...]:
    if opts.methods is None:
        return ()
    methods = tuple(dict.fromkeys(opts.methods.split(",")))
    for name in methods:
        if name not in method_names():
            raise SettingError(
                f"--methods: there is no method {name!r}; choose among {', '.join(method_names())}"
            )
    if len(methods) < FEWEST_METHODS:
        raise SettingError(f"--methods: one alone can't disagree; add to {opts.methods}")
    return methods


def _warn_of_damage(answers: Answers) -> None:
    damaged = answers.damaged
    if damaged:
        more = f", and {len(damaged) - 1:,} more lines" if len(damaged) > 1 else ""
        warn(f"{answers.path}:{damaged[0]}: incomplete or no answer; skipped{more}")


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{escape(line)}\n" for line in lines)


def _ask(folder: LabelFolder, pool: Pool, judge: str, settings: Settings, *, resolve: bool) -> None:
    if not judge:
        raise DedupError("Say who judges: --judge NAME")
    answers = folder.answers
    places: Sequence[int] = range(len(pool.pairs))
    if resolve:
        places = unresolved(pool, answers)
        if not places:
            warn("There is nothing to resolve: no two judges disagree on a pair")
            return

    def question(place: int) -> Question:
        pair = pool.pairs[place].pair
        return Question(
            pair,
            compare=lambda: compare_outlines(
                *folder.outlines(place), names=pair, settings=settings
            ),
            answer=lambda: answers.resolution(pair) if resolve else answers.of(pair).get(judge),
            record=lambda answer: answers.record(pair, judge, answer, resolves=resolve),
        )

    questions = [question(place) for place in places]
    if all(one.answer() for one in questions):
        warn(f"{judge} has answered all {len(questions):,} pairs; --most N for more of them")
    elif not ask(questions):
        warn("Stopped; the same command goes on")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
