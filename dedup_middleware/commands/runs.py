"""`scrapy dedup runs`: list runs with their state and how many pages they judged and dropped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.runs import in_order, runs_of
from dedup_middleware.text import CUT, short_path, size

from . import _arguments, _journals
from ._screen import Column, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.runs import Run


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_store(parser, "folder of one store (default: all under .scrapy/dedup)")
    parser.add_argument(
        "--all", action="store_true", help="also runs that have ended and judged nothing"
    )
    _arguments.add_output(parser, "print each run as a line of JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    stores = [opts.store] if opts.store else _journals.all_stores()
    with screen(opts) as out:
        runs = [run for store in stores for run in runs_of(store, out.complain)]
        if not runs:
            out.complain("There is no run in " + ", ".join(map(str, stores)))
            return 1
        shown = [run for run in runs if opts.all or run.judged or run.state == "alive"]
        if opts.json:
            out.write("".join(f"{json.dumps(_as_json(run))}\n" for run in shown))
        else:
            columns = (
                Column("run", whole=True),
                *(Column(name) for name in ("spider", "started", "ended")),
                *(Column(name, right=True) for name in ("judged", "dropped", "journal")),
                Column("store"),
            )
            ordered = sorted(shown, key=in_order)
            out.table(columns, (_cells(run, brief=out.terminal) for run in ordered))
        if len(shown) < len(runs):
            out.complain(f"{len(runs) - len(shown):,} more judged nothing: --all")
    return 0


def _cells(run: Run, *, brief: bool) -> list[str]:
    ended, store = _shown(run.ended), short_path(run.store)
    if brief and run.started and run.ended and run.ended.date() == run.started.date():
        ended = f"{run.ended:%H:%M:%S}"
    if brief and run.store.name == run.name:
        store = f"{short_path(run.store.parent)}/{CUT}"
    return [
        run.name,
        run.spider,
        _shown(run.started),
        ended if run.state == "ended" else run.state,
        f"{run.judged:,}",
        f"{run.drops:,}",
        size(run.size),
        store,
    ]


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""


def _as_json(run: Run) -> dict[str, Any]:
    return {
        "store": str(run.store),
        "run": run.name,
        "spider": run.spider,
        "started": run.started.isoformat() if run.started else None,
        "ended": run.ended.isoformat() if run.ended else None,
        "state": run.state,
        "judged": run.judged,
        "drops": run.drops,
        "journal": str(run.journal) if run.journal else None,
        "journal_bytes": run.size,
    }
