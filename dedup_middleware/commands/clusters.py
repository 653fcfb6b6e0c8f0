"""`scrapy dedup clusters`: list the pages that have most copies."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from dedup_middleware.inspect.clusters import clusters, heirs_in
from dedup_middleware.text import counted, fit, safe, size
from dedup_middleware.urls import rest_of

from . import _arguments, _journals
from ._csv import add_csv, check_csv, write_csv
from ._screen import Screen, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.clusters import Cluster

MOST = 20
_COUNT, _GAP = 7, "  "
_HOSTS = 4
_COLUMNS = ("copies", "original", "hosts", "verdicts", "bytes", "example")


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser)
    _arguments.add_most(parser, "originals", MOST)
    add_csv(parser)
    _arguments.add_output(parser, "print each original with its copies as a line of JSON")


def run(opts: Namespace, _settings: BaseSettings) -> int:
    """List originals by their number of copies; by default dropped copies."""
    check_csv(opts)
    found, wanted = _journals.of_runs(opts), _arguments.filter_of(opts, _arguments.DROPPED)
    with _journals.reading(found) as journals:
        every = clusters(wanted.select(journals), heirs_in(journals))
    with screen(opts) as out:
        shown = every[: opts.most]
        if opts.csv:
            write_csv(opts.csv, _COLUMNS, map(_row, shown), found.files)
        elif opts.json:
            out.write("".join(f"{json.dumps(_as_json(cluster))}\n" for cluster in shown))
        else:
            _print(shown, out)
        if not every:
            out.complain("No page has copies among the selected decisions")
        elif len(every) > len(shown):
            out.complain(f"{len(every) - len(shown):,} more originals have copies: raise --most")
    return 0


def _print(shown: Sequence[Cluster], out: Screen) -> None:
    if not out.terminal:
        for one in shown:
            copies, original, hosts, verdicts, _, example = _row(one)
            cells = (copies, original, hosts, verdicts, example)
            out.write("\t".join(safe(str(cell)) for cell in cells) + "\n")
        return
    room = sys.maxsize if out.wide else out.columns - _COUNT - len(_GAP)
    common = out.common(url for one in shown for url in (one.original, one.example))
    if shown:
        out.write(out.paint(f"{'COPIES':>{_COUNT}}{_GAP}ORIGINAL", "bold") + "\n")
    for one in shown:
        about = f"{counted(one.verdicts)}; on {counted(one.hosts, _HOSTS)}; {size(one.size)}"
        example = f"e.g. {safe(rest_of(one.example, common))}"
        lines = [
            out.paint(f"{one.copies:>{_COUNT},}", "bold")
            + _GAP
            + fit(safe(rest_of(one.original, common)), room),
            " " * (_COUNT + len(_GAP)) + out.paint(fit(safe(about), room), "dim"),
            " " * (_COUNT + len(_GAP)) + out.paint(fit(example, room), "dim"),
        ]
        out.write("".join(f"{line}\n" for line in lines))


def _row(one: Cluster) -> tuple[int, str, str, str, int, str]:
    hosts, verdicts = counted(one.hosts), counted(one.verdicts)
    return one.copies, one.original, hosts, verdicts, one.size, one.example


def _as_json(cluster: Cluster) -> dict[str, object]:
    return {
        "original": cluster.original,
        "copies": cluster.copies,
        "hosts": dict(cluster.hosts.most_common()),
        "verdicts": dict(cluster.verdicts.most_common()),
        "bytes": cluster.size,
        "example": cluster.example,
    }
