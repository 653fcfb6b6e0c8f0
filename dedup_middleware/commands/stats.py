"""`scrapy dedup stats`: sum up what was judged and dropped, by run and host, and what it cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.decisions import Journals
from dedup_middleware.inspect.tallies import by_host, summed, tallies
from dedup_middleware.text import counted, duration, size

from . import _filters, _journals
from ._screen import Column, screen
from ._screen import add_arguments as add_output_arguments
from .drops import number_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections import Counter
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.tallies import RunTally
    from dedup_middleware.journal import Tally

    from ._screen import Screen

MOST = 20
_FIGURES = (
    Column("pages", right=True),
    Column("dropped", right=True),
    Column("rate", right=True),
    Column("time", right=True),
    Column("a page", right=True),
    Column("saved", right=True),
    Column("dropped as"),
)


def add_arguments(parser: ArgumentParser) -> None:
    _filters.add_arguments(parser)
    parser.add_argument(
        "--most", type=number_of, default=MOST, metavar="N", help=f"so many hosts, default {MOST}"
    )
    add_output_arguments(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    found = _journals.chosen(opts)
    with screen(opts) as out:
        runs = tallies(_filters.chosen(opts).of(Journals(found, out.complain)))
        if opts.json:
            out.write(f"{json.dumps(_as_json(runs))}\n")
        elif runs:
            _print(runs, opts.most, out)
        else:
            out.complain("Nothing was judged in what was asked for")
    return 0


def _print(runs: list[RunTally], most: int, out: Screen) -> None:
    total, hosts = summed(run.total for run in runs), by_host(runs)
    rows = [(run.run, run.spider, run.total) for run in runs]
    if len(rows) > 1:
        rows.append(("all", "", total))
    out.title("Runs")
    out.table(
        (Column("run", whole=True), Column("spider"), *_FIGURES),
        ([run, spider, *_cells(one)] for run, spider, one in rows),
    )
    out.title("Hosts")
    shown = list(hosts.items())[:most]
    out.table((Column("host"), *_FIGURES), ([host or "none", *_cells(one)] for host, one in shown))
    if len(hosts) > len(shown):
        out.complain(f"{len(hosts) - len(shown):,} more hosts: raise --most")
    out.title("Stages")
    out.table(
        (Column("stage"), Column("pages", right=True), Column("share", right=True)),
        _shares(total.stages, total.pages),
    )
    out.title("Verdicts")
    out.table(
        (Column("verdict"), Column("pages", right=True), Column("share", right=True)),
        _shares(total.verdicts, total.pages),
    )


def _shares(words: Counter[str], of: int) -> Iterable[list[str]]:
    return (
        [word or "none", f"{count:,}", f"{count / of:.0%}"] for word, count in words.most_common()
    )


def _cells(one: Tally) -> Iterable[str]:
    yield f"{one.pages:,}"
    yield f"{one.drops:,}"
    yield f"{one.drop_rate:.1%}"
    yield duration(one.milliseconds / 1000)
    yield f"{one.milliseconds / max(1, one.pages):.1f} ms"
    yield size(one.saved)
    yield counted(one.dropped)


def _as_json(runs: list[RunTally]) -> dict[str, Any]:
    return {
        "total": _object(summed(run.total for run in runs)),
        "runs": [
            {
                "run": run.run,
                "spider": run.spider,
                **_object(run.total),
                "hosts": {host: _object(one) for host, one in run.hosts.items()},
            }
            for run in runs
        ],
    }


def _object(one: Tally) -> dict[str, Any]:
    return {
        "pages": one.pages,
        "drops": one.drops,
        "dropped": dict(one.dropped),
        "verdicts": dict(one.verdicts),
        "stages": dict(one.stages),
        "ms": round(one.milliseconds, 2),
        "bytes": one.size,
        "bytes_saved": one.saved,
    }
