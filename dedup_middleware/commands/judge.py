"""`scrapy dedup judge`: ask people about the pages that methods disagree on, and measure by it."""

from __future__ import annotations

import getpass
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.methods import method_names
from dedup_middleware.settings import Settings
from dedup_middleware.text import complain, safe

from ._sources import FEEDS, PAGES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.lab.answers import Answers
    from dedup_middleware.lab.folder import JudgingFolder

    from ._prompt import Question

DEFAULT_METHODS = ("cascade", "shingles", "minhash", "simhash", "fingerprints")
"""Cheap, and unlike each other."""
PAIRS, MOST_PAIRS = 100, 10_000
PAGES_READ, MOST_PAGES = 5_000, 1_000_000
FEWEST_METHODS = 2


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help=f"take pages from here: pages ({' '.join(PAGES)}), feeds ({' '.join(FEEDS)}; objects "
        "with url and html, or url and text), each also with .gz, or folders of them",
    )
    parser.add_argument(
        "--store",
        type=Path,
        metavar="DIR",
        help="take pages from this store; without it and PATH, from the store that was used last",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="keep pairs, answers and labels in this folder; what is there already goes on",
    )
    parser.add_argument("--judge", metavar="NAME", help="who answers (the login name)")
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
        help=f"pairs to ask about ({PAIRS}); with more than there are, a pool grows",
    )
    parser.add_argument(
        "--pages",
        type=int,
        metavar="N",
        default=PAGES_READ,
        help=f"pages to look at, the first ones ({PAGES_READ})",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="the same pages and seed make the same pool (1)"
    )
    parser.add_argument("--pool-only", action="store_true", help="make the pool, ask nothing")
    parser.add_argument(
        "--kappa", action="store_true", help="print how well each two judges agree, ask nothing"
    )
    parser.add_argument(
        "--resolve", action="store_true", help="ask about what judges disagree on, for good"
    )
    parser.add_argument(
        "--json", action="store_true", help="print how things stand as JSON, ask nothing"
    )


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    methods = _checked(opts)
    # numpy, lmdb and their kind: not before they are needed
    from dedup_middleware.lab.folder import JudgingFolder
    from dedup_middleware.lab.status import status

    from ._pooling import Wanted, known_pool, make_pool
    from ._prompt import kappa_lines, standing

    folder = JudgingFolder(opts.output)
    _tell_damage(folder.answers)
    wanted = Wanted(opts.store, tuple(opts.paths), opts.pages, methods, opts.most, opts.seed)
    if folder.pool:
        pool = known_pool(folder.pool, wanted, chosen, folder)
    else:
        pool = make_pool(wanted, DEFAULT_METHODS, chosen, folder)
    folder.export()
    if opts.json:
        sys.stdout.write(f"{json.dumps(status(pool, folder.answers))}\n")
    elif opts.kappa:
        _print(kappa_lines(pool, folder.answers))
    else:
        try:
            if not opts.pool_only:
                _ask(opts, chosen, folder)
        finally:  # Ctrl-C among others
            folder.export()
            _print(standing(pool, folder.answers, str(folder.path)))
    return 0


def _checked(opts: Namespace) -> tuple[str, ...] | None:
    """Refuse what can't be meant; give the methods, if some are named."""
    limits = {"--most": (opts.most, MOST_PAIRS), "--pages": (opts.pages, MOST_PAGES)}
    for name, (value, most) in limits.items():
        if value is not None and not 1 <= value <= most:
            raise SettingError(f"{name} must be from 1 to {most:,}, not {value:,}")
    if opts.judge is not None and not (opts.judge.strip() and opts.judge.isprintable()):
        raise SettingError(f"--judge must be a name, not {opts.judge!r}")
    for path in opts.paths:
        try:
            path.stat()
        except OSError as error:
            raise DedupError(f"{path}: {error.strerror}") from error
    if opts.methods is None:
        return None
    methods = tuple(dict.fromkeys(opts.methods.split(",")))
    for name in methods:
        if name not in method_names():
            raise SettingError(
                f"--methods: there is no method {name!r}; choose among {', '.join(method_names())}"
            )
    if len(methods) < FEWEST_METHODS:
        raise SettingError(f"--methods: one alone can't disagree; add to {opts.methods}")
    return methods


def _tell_damage(answers: Answers) -> None:
    damaged = answers.damaged
    if damaged:
        more = f", and {len(damaged) - 1:,} more lines" if len(damaged) > 1 else ""
        complain(f"{answers.path}:{damaged[0]}: torn or no answer; skipped{more}")


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{safe(line)}\n" for line in lines)


def _ask(opts: Namespace, settings: Settings, folder: JudgingFolder) -> None:
    from dedup_middleware.lab.status import conflicts

    from ._prompt import ask

    assert folder.pool  # noqa: S101 - it was made ready
    judge = opts.judge or _login()
    places: Sequence[int] = range(len(folder.pool.pairs))
    if opts.resolve:
        places = conflicts(folder.pool, folder.answers)
        if not places:
            complain("There is nothing to resolve: no two judges disagree on a pair")
            return
    questions = [
        _question(place, folder, judge, settings, resolves=opts.resolve) for place in places
    ]
    if all(one.answer() for one in questions):
        complain(f"{judge} has answered all {len(questions):,} pairs; --most N for more of them")
    elif not ask(questions):
        complain("Stopped; the same command goes on")


def _question(
    place: int, folder: JudgingFolder, judge: str, settings: Settings, *, resolves: bool
) -> Question:
    from dedup_middleware.viewer.comparison import compare_outlines

    from ._prompt import Question

    assert folder.pool  # noqa: S101 - see above
    pair, answers = folder.pool.pairs[place].pair, folder.answers
    return Question(
        pair,
        compare=lambda: compare_outlines(*folder.outlines(place), names=pair, settings=settings),
        answer=lambda: answers.resolution(pair) if resolves else answers.of(pair).get(judge),
        record=lambda answer: answers.record(pair, judge, answer, resolves=resolves),
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:  # no login name, as in some containers
        raise DedupError("Say who judges: --judge NAME") from error
