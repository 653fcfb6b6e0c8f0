"""`scrapy dedup stats`: count judged and dropped pages by run, by host and by verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.text import count_list, size, warn
from dedup_middleware.verdict import Kind

from . import _arguments, _stores
from ._listing import Column, Listing, percent
from ._screen import Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.journal import Tally

MOST = 20


class _Row(NamedTuple):
    """The figures of a run, of a host, or of a host in a run."""

    tally: Tally
    run: str = ""
    spider: str = ""
    host: str = ""


_RUN: Column[_Row] = Column("run", lambda row: row.run)
_SPIDER: Column[_Row] = Column("spider", lambda row: row.spider, is_long=True)
_HOST: Column[_Row] = Column(
    "host", lambda row: row.host, lambda host: host or "none", is_long=True
)
_JUDGED: Column[_Row] = Column("judged", lambda row: row.tally.pages)
_DROPPED: Column[_Row] = Column("dropped", lambda row: row.tally.drops, key="drops")
_SAVED: Column[_Row] = Column("saved", lambda row: row.tally.saved, size, key="bytes_saved")
_LOST: Column[_Row] = Column("lost words", lambda row: row.tally.lost, key="words_lost")
_FIGURES: Sequence[Column[_Row]] = (
    *(_JUDGED, _DROPPED),
    Column("rate", lambda row: row.tally.drop_rate, percent),
    *(_SAVED, _LOST),
)
_DATA: Sequence[Column[_Row]] = (
    *(_RUN, _SPIDER, _HOST, _JUDGED, _DROPPED),
    Column("bytes", lambda row: row.tally.size),
    _SAVED,
    Column("words_dropped", lambda row: row.tally.words),
    _LOST,
    Column("other_sites", lambda row: row.tally.other_sites),
    Column("ms", lambda row: round(row.tally.milliseconds, 2)),
    # mypy knows no lambda with a default
    *(Column(str(kind), lambda row, kind=kind: row.tally.verdicts[kind]) for kind in Kind),  # type: ignore[misc]
    Column("dropped", lambda row: row.tally.dropped, count_list),
    Column("stages", lambda row: row.tally.stages, count_list),
)
"""Of a host in a run."""


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    _arguments.add_limit(parser, "hosts in the table", MOST)
    _arguments.add_formats(parser, "print the figures of each host in each run as a JSON line")


def run(opts: Namespace, _settings: BaseSettings) -> int:
    from dedup_middleware.inspect.tallies import by_host, summed, tallies  # numpy

    out = Screen.of(opts)
    found = _stores.decisions_of(opts, out)
    with _stores.reading(found):
        runs = tallies(_arguments.filter_of(opts).select(found))
    if out.json or out.csv:
        rows = (
            _Row(one, run.run, run.spider, host) for run in runs for host, one in run.hosts.items()
        )
        Listing(_DATA, rows).write(out)
    elif runs:
        total = summed(run.total for run in runs)
        shown = [_Row(run.total, run.run, run.spider) for run in runs]
        shown += [_Row(total, "all")] * (len(shown) > 1)
        Listing((_RUN, _SPIDER, *_FIGURES), shown).write(out)
        out.title("Hosts")
        hosts = (_Row(one, host=host) for host, one in by_host(runs).items())
        Listing((_HOST, *_FIGURES), hosts).write(out, limit=opts.limit)
        out.title("Verdicts")
        _list_verdicts(total, out)
    else:
        warn("No decision matches: `scrapy dedup runs` says what each run has judged")
    return 0


def _list_verdicts(total: Tally, out: Screen) -> None:
    columns: Sequence[Column[tuple[str, int]]] = (
        Column("verdict", lambda row: row[0]),
        Column("judged", lambda row: row[1]),
        Column("share", lambda row: row[1] / total.pages, "{:.0%}".format),
        Column("dropped", lambda row: total.dropped[row[0]]),
    )
    Listing(columns, total.verdicts.most_common()).write(out)
