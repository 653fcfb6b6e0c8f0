"""`scrapy dedup stats`: count judged and dropped pages by run and host; times, change rates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dedup_middleware.text import counted, duration, size
from dedup_middleware.urls import rest_of
from dedup_middleware.verdict import Kind

from . import _arguments, _journals
from ._csv import add_csv, check_csv, write_csv
from ._screen import screen
from ._table import Column

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.tallies import Recrawl, Recrawls, RunTally
    from dedup_middleware.journal import Tally

    from ._screen import Screen

MOST = 20
_NARROW = 24
_CSV = (
    "run",
    "spider",
    "host",
    "pages",
    "drops",
    "bytes",
    "bytes_saved",
    "words_dropped",
    "words_lost",
    "ms",
    *map(str, Kind),
)
_FIGURES = (
    Column("pages", right=True),
    Column("dropped", right=True),
    Column("rate", right=True, worth=9),
    Column("saved", right=True, worth=7),
    Column("lost words", right=True, worth=8),
    Column("time", right=True, worth=4),
    Column("a page", right=True, worth=5),
    Column("dropped as", worth=6),
)
_RATES = (
    Column("seen again", right=True, worth=7),
    Column("changed", right=True),
    Column("rate", right=True, worth=9),
    Column("text changed", right=True, worth=8),
)


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    _arguments.add_most(parser, "hosts and pages", MOST)
    add_csv(parser)
    _arguments.add_output(parser)


def run(opts: Namespace, _settings: BaseSettings) -> int:
    from dedup_middleware.inspect.tallies import Recrawls, by_host, summed, tallies  # numpy

    check_csv(opts)
    recrawls = Recrawls()
    found = _journals.of_runs(opts)
    with _journals.reading(found) as journals:
        runs = tallies(recrawls.watch(_arguments.filter_of(opts).select(journals)))
    with screen(opts) as out:
        total = summed(run.total for run in runs)
        if opts.csv:
            write_csv(opts.csv, _CSV, _rows(runs), found.files)
        elif opts.json:
            recrawled = _recrawls_as_json(recrawls, opts.most)
            out.write(f"{json.dumps(_as_json(total, runs) | recrawled)}\n")
        elif runs:
            _print(total, runs, by_host(runs), opts.most, out)
            _print_recrawls(recrawls, opts.most, out)
        else:
            out.complain("No decision matches")
    return 0


def _print(
    total: Tally, runs: list[RunTally], hosts: dict[str, Tally], most: int, out: Screen
) -> None:
    rows = [(run.run, run.spider, run.total) for run in runs]
    if len(rows) > 1:
        rows.append(("all", "", total))
    out.title("Runs")
    out.table(
        (Column("run"), Column("spider", worth=8), *_FIGURES),
        ([run, spider, *_cells(one)] for run, spider, one in rows),
    )
    out.title("Hosts")
    shown = list(hosts.items())[:most]
    out.table(
        (Column("host", least=_NARROW), *_FIGURES),
        ([host or "none", *_cells(one)] for host, one in shown),
    )
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


def _print_recrawls(recrawls: Recrawls, most: int, out: Screen) -> None:
    """Print how often pages had changed when they were seen again, by host and by page."""
    for title, name, rows in (
        ("Change rates of hosts", "host", recrawls.by_host()),
        ("Pages that changed most often", "page", recrawls.by_page()),
    ):
        if rows:
            out.title(title)
            common = out.common(key for key, _ in rows[:most]) if name == "page" else ""
            cells = ([rest_of(key, common), *_rates(one)] for key, one in rows[:most])
            out.table((Column(name, least=_NARROW), *_RATES), cells)


def _rows(runs: Iterable[RunTally]) -> Iterator[list[object]]:
    """Yield a row for each host of each run."""
    for run in runs:
        for host, one in run.hosts.items():
            figures = [one.pages, one.drops, one.size, one.saved, one.words, one.lost]
            verdicts = [one.verdicts[kind] for kind in Kind]
            spent = round(one.milliseconds, 2)
            yield [run.run, run.spider, host, *figures, spent, *verdicts]


def _rates(one: Recrawl) -> Iterable[str]:
    yield f"{one.seen:,}"
    yield f"{one.changed:,}"
    yield f"{one.rate:.1%}"
    yield f"{one.mean_share:.1%}" if one.changed else ""


def _recrawls_as_json(recrawls: Recrawls, most: int) -> dict[str, Any]:
    def figures(one: Recrawl) -> dict[str, Any]:
        return {"seen": one.seen, "changed": one.changed, "share": round(one.mean_share, 4)}

    return {
        "recrawled": {
            "hosts": {host: figures(one) for host, one in recrawls.by_host()},
            "pages": {url: figures(one) for url, one in recrawls.by_page()[:most]},
        }
    }


def _shares(words: Counter[str], of: int) -> Iterable[list[str]]:
    return (
        [word or "none", f"{count:,}", f"{count / of:.0%}"] for word, count in words.most_common()
    )


def _cells(one: Tally) -> Iterable[str]:
    yield f"{one.pages:,}"
    yield f"{one.drops:,}"
    yield f"{one.drop_rate:.1%}"
    yield size(one.saved)
    yield f"{one.lost:,}"
    yield duration(one.milliseconds / 1000)
    yield f"{one.milliseconds / max(1, one.pages):.1f} ms"
    yield counted(one.dropped)


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
