"""`scrapy dedup clusters`: list the pages that have most copies."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from dedup_middleware.inspect.decisions import Journals
from dedup_middleware.inspect.lookup import clusters
from dedup_middleware.text import counted, fit, safe, size

from . import _filters, _journals
from ._screen import Screen, screen
from ._screen import add_arguments as add_output_arguments
from .drops import DROPPED, number_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.lookup import Cluster

MOST = 20
_COUNT, _GAP = 7, "  "
_HOSTS = 4


def add_arguments(parser: ArgumentParser) -> None:
    _filters.add_arguments(parser)
    parser.add_argument(
        "--most", type=number_of, default=MOST, metavar="N", help=f"list so many, default {MOST}"
    )
    add_output_arguments(parser, "print each original with its copies as a line of JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    """List originals by how many URLs repeat them; without verdict or action, dropped ones."""
    found, wanted = _journals.chosen(opts), _filters.chosen(opts, DROPPED)
    with screen(opts) as out:
        every = clusters(wanted.of(Journals(found, out.complain)))
        shown = every[: opts.most]
        for cluster in shown:
            if opts.json:
                sys.stdout.write(f"{json.dumps(_as_json(cluster))}\n")
        if not opts.json:
            _print(shown, out)
        if not every:
            out.complain("No page has copies in what was asked for")
        elif len(every) > len(shown):
            out.complain(f"{len(every) - len(shown):,} more originals have copies: raise --most")
    return 0


def _print(shown: Sequence[Cluster], out: Screen) -> None:
    if not out.terminal:
        for one in shown:
            hosts, verdicts = counted(one.hosts), counted(one.verdicts)
            cells = (str(one.copies), one.original, hosts, verdicts, one.example)
            out.write("\t".join(map(safe, cells)) + "\n")
        return
    room = out.columns - _COUNT - len(_GAP)
    if shown:
        out.write(out.paint(f"{'COPIES':>{_COUNT}}{_GAP}ORIGINAL", "bold") + "\n")
    for one in shown:
        about = f"{counted(one.verdicts)}; on {counted(one.hosts, _HOSTS)}; {size(one.size)}"
        lines = [
            out.paint(f"{one.copies:>{_COUNT},}", "bold") + _GAP + fit(safe(one.original), room),
            " " * (_COUNT + len(_GAP)) + out.paint(fit(safe(about), room), "dim"),
            " " * (_COUNT + len(_GAP)) + out.paint(fit(f"as {safe(one.example)}", room), "dim"),
        ]
        out.write("".join(f"{line}\n" for line in lines))


def _as_json(cluster: Cluster) -> dict[str, object]:
    return {
        "original": cluster.original,
        "copies": cluster.copies,
        "hosts": dict(cluster.hosts.most_common()),
        "verdicts": dict(cluster.verdicts.most_common()),
        "bytes": cluster.size,
        "example": cluster.example,
    }
