"""`scrapy dedup decisions`: list judged pages, whatever was done with them."""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.journals import Journals
from dedup_middleware.text import counted

from . import _arguments, _journals
from ._csv import add_csv, check_csv, write_csv
from ._rows import Table, score_of, share_text
from ._screen import screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.filters import Filter

    from ._screen import Screen

KEYS: dict[str, Callable[[Decision], Any]] = {
    "time": lambda one: one.entry.get("time") or "",
    "score": lambda one: 2.0 if one.score is None else one.score,  # those without come last
    "verdict": lambda one: one.verdict,
    "url": lambda one: one.url,
    "host": lambda one: (one.host, one.url),
    "original": lambda one: (one.original or "", one.url),
    "ms": lambda one: one.milliseconds,
    "bytes": lambda one: one.size,
    "lost": lambda one: -one.lost.words if one.lost else 1,  # those that lose most come first
}
COLUMNS: dict[str, Callable[[Decision], object]] = {
    "verdict": lambda one: one.verdict,
    "action": lambda one: one.action,
    "score": lambda one: one.score,
    "url": lambda one: one.url,
    "original": lambda one: one.original,
    "reason": lambda one: one.reason,
    "stage": lambda one: one.stage,
    "time": lambda one: one.entry.get("time"),
    "run": lambda one: one.run,
    "spider": lambda one: one.spider,
    "seq": lambda one: one.sequence,
    "ms": lambda one: one.milliseconds,
    "bytes": lambda one: one.size,
    "lost_share": lambda one: one.lost and one.lost.share,
    "lost_words": lambda one: one.lost and one.lost.words,
    "lost_units": lambda one: one.lost and one.lost.units,
    "lost_of": lambda one: one.lost and one.lost.of,
}
"""Columns of the CSV file, before the doubt."""
_SAMPLE = 500
"""Decisions whose URLs tell what all have in common; there may be millions."""


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    add_order(parser)


def run(opts: Namespace, _settings: BaseSettings) -> int:
    return show(opts, _arguments.filter_of(opts), actions=True)


def add_order(parser: ArgumentParser) -> None:
    """Add the arguments that `show` reads, besides filters."""
    parser.add_argument(
        "--sort",
        choices=("doubt", *KEYS),
        help="sort by this: the most doubtful first, what loses most words first, else ascending "
        "(default: journal order)",
    )
    parser.add_argument("--reverse", action="store_true", help="reverse the order")
    parser.add_argument(
        "--limit",
        type=_arguments.positive,
        metavar="N",
        help="list only the first N (default: all)",
    )
    add_csv(parser)
    _arguments.add_output(parser, "print the journal's lines")


def show(opts: Namespace, wanted: Filter, *, actions: bool = False) -> int:
    """List the decisions that match; with `actions`, what was done with each page."""
    check_csv(opts)
    found = _journals.of_runs(opts)
    in_order: list[bytes] = []
    if opts.sort or opts.reverse:
        key = (lambda one: -found.doubt(one)) if opts.sort == "doubt" else KEYS.get(opts.sort)
        with _journals.reading(found) as journals:
            every = wanted.select(journals)
            in_order = _in_order(every, key, reverse=opts.reverse, limit=opts.limit)
    with screen(opts) as out:
        decisions = (
            (one for line in in_order if (one := Decision.parse(line)))
            if opts.sort or opts.reverse
            else wanted.select(Journals(found.sources, out.complain))
        )
        shown = islice(decisions, opts.limit)
        if opts.csv:
            rows = (
                [*(value(one) for value in COLUMNS.values()), found.doubt(one)] for one in shown
            )
            count = write_csv(opts.csv, [*COLUMNS, "doubt"], rows, found.files)
        elif opts.json:
            count = _print_json(shown, out)
        else:
            numbers = {"doubt": lambda one: share_text(found.doubt(one)), "lost": _lost_words}
            name = opts.sort if opts.sort in numbers else "score"
            number = (name, numbers.get(name, score_of))
            count = _print(shown, out, actions=actions, number=number)
        if not count:
            _complain_of_none(found, out)
        elif next(decisions, None):
            out.complain(f"There are more than {opts.limit:,}: raise --limit")
    return 0


def _print_json(decisions: Iterable[Decision], out: Screen) -> int:
    count = 0
    for count, decision in enumerate(decisions, 1):  # noqa: B007  # counted
        out.write(f"{decision.json}\n")
    return count


def _print(
    decisions: Iterator[Decision],
    out: Screen,
    *,
    actions: bool,
    number: tuple[str, Callable[[Decision], str]],
) -> int:
    first = list(islice(decisions, _SAMPLE if out.terminal else 0))
    urls = [url for one in first for url in (one.url, one.original) if url]
    table = Table(out, urls, actions=actions, number=number)
    count = 0
    for count, decision in enumerate(chain(first, decisions), 1):  # noqa: B007  # counted
        table.add(decision)
    return count


def _lost_words(decision: Decision) -> str:
    return str(decision.lost.words) if decision.lost else ""


def _complain_of_none(found: _journals.Chosen, out: Screen) -> None:
    """Say that nothing matches, and what there is instead."""
    actions = Counter(one.action for one in Journals(found.sources).decisions())
    there = f"; there are {counted(actions)} (`scrapy dedup decisions`)" if actions else ""
    out.complain(f"No decision matches in {found.name}{there}")


def _in_order(
    decisions: Iterator[Decision],
    key: Callable[[Decision], Any] | None,
    *,
    reverse: bool,
    limit: int | None,
) -> list[bytes]:
    """Return the lines of sorted decisions, and no more than necessary: there may be millions."""
    # the first of equals stays the first
    ranked = (
        ((key(one) if key else number), number, one.line) for number, one in enumerate(decisions)
    )
    if limit is None:
        chosen = sorted(ranked, key=lambda row: row[:2], reverse=reverse)
    else:
        best = heapq.nlargest if reverse else heapq.nsmallest
        chosen = best(limit + 1, ranked, key=lambda row: row[:2])
    return [line for _, _, line in chosen]
