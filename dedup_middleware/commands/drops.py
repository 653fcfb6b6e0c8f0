"""`scrapy dedup drops`: list dropped pages, with their originals and the reasons."""

from __future__ import annotations

import heapq
from itertools import islice
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import Decision, Journals

from . import _arguments, _journals
from ._rows import Table, write_csv
from ._screen import Screen, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

KEYS: dict[str, Callable[[Decision], Any]] = {
    "time": lambda one: one.entry.get("time") or "",
    "score": lambda one: 2.0 if one.score is None else one.score,  # those without come last
    "verdict": lambda one: one.verdict,
    "url": lambda one: one.url,
    "host": lambda one: (one.host, one.url),
    "original": lambda one: (one.original or "", one.url),
    "ms": lambda one: one.milliseconds,
    "bytes": lambda one: one.size,
}


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    parser.add_argument(
        "--sort", choices=KEYS, help="sort by this, ascending (default: journal order)"
    )
    parser.add_argument("--reverse", action="store_true", help="reverse the order")
    parser.add_argument(
        "--limit",
        type=_arguments.positive,
        metavar="N",
        help="list only the first N (default: all)",
    )
    parser.add_argument(
        "--csv", metavar="FILE", help="write a CSV file for spreadsheets; - prints it"
    )
    _arguments.add_output(parser, "print the journal's lines")


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    """List decisions; by default those that dropped a page."""
    if opts.csv and opts.json:
        opts.parser.error("--csv or --json, not both")
    opts.no_pager |= bool(opts.csv)
    found, wanted = _journals.of_runs(opts), _arguments.filter_of(opts, _arguments.DROPPED)
    with screen(opts) as out:
        every = wanted.select(Journals(found, out.complain))
        decisions = _in_order(every, opts.sort, reverse=opts.reverse, limit=opts.limit)
        shown = islice(decisions, opts.limit)
        if opts.csv:
            count = write_csv(shown, opts.csv, found)
        else:
            count = _print(shown, out, as_json=opts.json)
        if not count:
            where = found[0] if len(found) == 1 else f"{len(found)} journals"
            out.complain(f"No decision matches in {where}")
        elif next(decisions, None):
            out.complain(f"There are more than {opts.limit:,}: raise --limit")
    return 0


def _print(decisions: Iterable[Decision], out: Screen, *, as_json: bool) -> int:
    count, table = 0, Table(out)
    for count, decision in enumerate(decisions, 1):  # noqa: B007  # counted
        if as_json:
            out.write(f"{decision.json}\n")
        else:
            table.add(decision)
    return count


def _in_order(
    decisions: Iterator[Decision], name: str | None, *, reverse: bool, limit: int | None
) -> Iterator[Decision]:
    """Yield sorted decisions, holding no more of them in memory than necessary."""
    if not (name or reverse):
        yield from decisions
        return
    key = KEYS[name] if name else None
    # there may be millions: only their lines are kept; the first of equals stays the first
    ranked = (
        ((key(one) if key else number), number, one.line) for number, one in enumerate(decisions)
    )
    if limit is None:
        chosen = sorted(ranked, key=lambda row: row[:2], reverse=reverse)
    else:
        best = heapq.nlargest if reverse else heapq.nsmallest
        chosen = best(limit + 1, ranked, key=lambda row: row[:2])
    for _, _, line in chosen:
        if decision := Decision.parse(line):
            yield decision
