"""`scrapy dedup stats`: count judged and dropped pages by run and host; times, change rates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.text import count_list, size, warn
from dedup_middleware.verdict import Kind

from . import _arguments, _stores
from ._listing import Column, Listing, percent
from ._screen import screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.tallies import Recrawl, Recrawls, RunTally
    from dedup_middleware.journal import Tally

    from ._screen import Screen

MOST = 20
_NARROW = 24


class _Row(NamedTuple):
    """The figures of a run, of a host, or of a host in a run."""

    tally: Tally
    run: str = ""
    spider: str = ""
    host: str = ""


def _or_none(name: str) -> str:
    return name or "none"


_RUN: Column[_Row] = Column("run", lambda row: row.run)
_SPIDER: Column[_Row] = Column("spider", lambda row: row.spider, worth=8)
_HOST: Column[_Row] = Column("host", lambda row: row.host, _or_none, least=_NARROW)
_PAGES: Column[_Row] = Column("pages", lambda row: row.tally.pages)
_DROPPED: Column[_Row] = Column("dropped", lambda row: row.tally.drops, key="drops")
_SAVED: Column[_Row] = Column(
    "saved", lambda row: row.tally.saved, size, key="bytes_saved", worth=7
)
_LOST: Column[_Row] = Column("lost words", lambda row: row.tally.lost, key="words_lost", worth=8)
_FIGURES: Sequence[Column[_Row]] = (
    *(_PAGES, _DROPPED),
    Column("rate", lambda row: row.tally.drop_rate, percent, worth=9),
    *(_SAVED, _LOST),
    Column(
        "time a page",
        lambda row: row.tally.milliseconds / max(1, row.tally.pages),
        "{:.1f} ms".format,
        worth=5,
    ),
    Column("dropped as", lambda row: row.tally.dropped, count_list, worth=6),
)
_IN_CSV: Sequence[Column[_Row]] = (
    *(_RUN, _SPIDER, _HOST, _PAGES, _DROPPED),
    Column("bytes", lambda row: row.tally.size),
    _SAVED,
    Column("words_dropped", lambda row: row.tally.words),
    _LOST,
    Column("ms", lambda row: round(row.tally.milliseconds, 2)),
    # mypy knows no lambda with a default
    *(Column(str(kind), lambda row, kind=kind: row.tally.verdicts[kind]) for kind in Kind),  # type: ignore[misc]
)
_Changed = tuple[str, "Recrawl"]
_RATES: Sequence[Column[_Changed]] = (
    Column("seen again", lambda row: row[1].seen, worth=7),
    Column("changed", lambda row: row[1].changed),
    Column("rate", lambda row: row[1].rate, percent, worth=9),
    Column("text changed", lambda row: row[1].mean_share or None, percent, worth=8),
)


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    _arguments.add_limit(parser, "hosts and pages", MOST)
    _arguments.add_output(parser, csv=True)


def run(opts: Namespace, _settings: BaseSettings) -> int:
    from dedup_middleware.inspect.tallies import Recrawls, by_host, summed, tallies  # numpy

    recrawls = Recrawls()
    with screen(opts) as out:
        found = _stores.decisions_of(opts, out)
        with _stores.reading(found):
            runs = tallies(recrawls.watch(_arguments.filter_of(opts).select(found)))
        total = summed(run.total for run in runs)
        if opts.csv:
            rows = (
                _Row(one, run.run, run.spider, host)
                for run in runs
                for host, one in run.hosts.items()
            )
            Listing(_IN_CSV, rows).write(out)
        elif opts.json:
            recrawled = _recrawls_as_json(recrawls, opts.limit)
            out.write(f"{json.dumps(_as_json(total, runs) | recrawled)}\n")
        elif runs:
            _print(total, runs, by_host(runs), opts.limit, out)
            _print_recrawls(recrawls, opts.limit, out)
        else:
            warn("No decision matches")
    return 0


def _print(
    total: Tally, runs: list[RunTally], hosts: dict[str, Tally], most: int, out: Screen
) -> None:
    rows = [_Row(run.total, run.run, run.spider) for run in runs]
    if len(rows) > 1:
        rows.append(_Row(total, "all"))
    out.title("Runs")
    Listing((_RUN, _SPIDER, *_FIGURES), rows).write(out)
    out.title("Hosts")
    of_hosts = (_Row(one, host=host) for host, one in hosts.items())
    Listing((_HOST, *_FIGURES), of_hosts).write(out, limit=most)
    for name, words in (("stage", total.stages), ("verdict", total.verdicts)):
        out.title(f"{name.capitalize()}s")
        columns: Sequence[Column[tuple[str, int]]] = (
            Column(name, lambda row: row[0] or "none"),
            Column("pages", lambda row: row[1]),
            Column("share", lambda row: row[1] / total.pages, "{:.0%}".format),
        )
        Listing(columns, words.most_common()).write(out)


def _print_recrawls(recrawls: Recrawls, most: int, out: Screen) -> None:
    """Print how often pages had changed when they were seen again, by host and by page."""
    for title, name, rows in (
        ("Change rates of hosts", "host", recrawls.by_host()),
        ("Pages that changed most often", "page", recrawls.by_page()),
    ):
        if rows:
            out.title(title)
            first: Column[_Changed] = Column(
                name, lambda row: row[0], least=_NARROW, is_url=name == "page"
            )
            Listing((first, *_RATES), rows[:most]).write(out)


def _recrawls_as_json(recrawls: Recrawls, most: int) -> dict[str, Any]:
    def figures(one: Recrawl) -> dict[str, Any]:
        return {"seen": one.seen, "changed": one.changed, "share": round(one.mean_share, 4)}

    return {
        "recrawled": {
            "hosts": {host: figures(one) for host, one in recrawls.by_host()},
            "pages": {url: figures(one) for url, one in recrawls.by_page()[:most]},
        }
    }


def _as_json(total: Tally, runs: list[RunTally]) -> dict[str, Any]:
    return {
        "total": _object(total),
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
        "words_dropped": one.words,
        "words_lost": one.lost,
        "other_sites": one.other_sites,
    }
