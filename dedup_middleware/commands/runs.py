"""`scrapy dedup runs`: list runs and what they judged, commit or discard one, compare two."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.inspect.changes import CHANGES, changes
from dedup_middleware.inspect.journals import Journals
from dedup_middleware.inspect.runs import in_order, runs_of
from dedup_middleware.settings import Settings
from dedup_middleware.text import CUT, safe, short_path, size
from dedup_middleware.urls import rest_of

from . import _arguments, _journals
from ._csv import add_csv, check_csv, write_csv
from ._progress import SOON, progress
from ._screen import screen
from ._table import Column

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.runs import Run

    from ._screen import Screen

_NAMES = {"commit": 1, "discard": 1, "diff": 2}
"""How many runs an action takes."""
_COLUMNS = (
    Column("run"),
    Column("spider", worth=9, least=12),
    Column("started", worth=5),  # which most names of runs say too
    Column("ended", worth=8),
    Column("judged", right=True),
    Column("dropped", right=True),
    Column("journal", right=True, worth=6),
    Column("store", worth=7),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", *_NAMES),
        default="list",
        help="list (default); commit: let the pages of a run count that did not end well; discard: "
        "let its pages pass again; diff: what appeared, changed, moved or was removed from one run "
        "to another",
    )
    parser.add_argument("names", nargs="*", metavar="RUN", help="one run, with diff two")
    _arguments.add_store(
        parser, "folder of one store (default: all under .scrapy/dedup, or the one used last)"
    )
    parser.add_argument(
        "--all", action="store_true", help="with list: also runs that ended and judged nothing"
    )
    add_csv(parser)
    _arguments.add_output(parser, "print each run, or each change, as a line of JSON")


def run(opts: Namespace, settings: BaseSettings) -> int:
    needed = _NAMES.get(opts.action, 0)
    if len(opts.names) != needed:
        opts.parser.error(f"{opts.action} takes {('no run', 'one run', 'two runs')[needed]}")
    if opts.all and opts.action != "list":
        opts.parser.error("--all goes with list")
    if opts.csv and opts.action != "list":
        opts.parser.error("--csv goes with list")
    check_csv(opts)
    with screen(opts) as out:
        if opts.action == "list":
            return _list(opts, out)
        store = opts.store or _journals.newest_store()
        if opts.action == "diff":
            return _diff(store, opts, out)
        return _end(store, Settings.from_scrapy(settings).map_size, opts, out)


def _list(opts: Namespace, out: Screen) -> int:
    stores = [opts.store] if opts.store else _journals.all_stores()
    read = progress(stores, len(stores), "Reading", delay=SOON)
    runs = [run for store in read for run in runs_of(store, out.complain)]
    if not runs:
        out.complain("There is no run in " + ", ".join(map(str, stores)))
        return 1
    shown = [run for run in runs if opts.all or run.judged or run.state == "alive"]
    if opts.csv:
        rows = [_as_json(run) for run in shown]
        journals = [run.journal for run in shown if run.journal]
        write_csv(opts.csv, rows[0] if rows else (), (row.values() for row in rows), journals)
    elif opts.json:
        out.write("".join(f"{json.dumps(_as_json(run))}\n" for run in shown))
    else:
        brief = out.terminal and not out.wide
        ordered = sorted(shown, key=in_order)
        out.table(_COLUMNS, (_cells(run, brief=brief) for run in ordered))
    if len(shown) < len(runs):
        out.complain(f"{len(runs) - len(shown):,} more judged nothing: --all")
    return 0


def _end(store: Path | str, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.store import open_reader  # brings numpy and lmdb

    (name,) = opts.names
    with open_reader(store, map_size=map_size, write=True) as reader:
        (reader.commit_run if opts.action == "commit" else reader.discard_run)(name)
    done = "count now" if opts.action == "commit" else "pass again"
    if opts.json:
        out.write(f"{json.dumps({'store': str(store), 'run': name, 'action': opts.action})}\n")
    else:
        out.write(f"The pages of {safe(name)} {done}.\n")
    return 0


def _diff(store: Path | str, opts: Namespace, out: Screen) -> int:
    before, after = (
        Journals(_journals.in_store(store, name).sources, out.complain).decisions()
        for name in opts.names
    )
    found = changes(before, after)
    if opts.json:
        out.write("".join(f"{json.dumps(asdict(one))}\n" for one in found))
        return 0
    common = out.common(url for one in found for url in (one.url, one.other) if url)
    out.table(
        (Column("change"), Column("url", least=24), Column("other", least=24)),
        (
            [one.change, *(rest_of(url or "", common) for url in (one.url, one.other))]
            for one in found
        ),
    )
    counts = Counter(one.change for one in found)
    out.complain(", ".join(f"{counts[name]:,} {name}" for name in CHANGES))
    return 0


def _cells(run: Run, *, brief: bool) -> list[str]:
    ended, store = _shown(run.ended), _journals.name_of(run.store)
    if brief and run.started and run.ended and run.ended.date() == run.started.date():
        ended = f"{run.ended:%H:%M:%S}"
    if brief and isinstance(run.store, Path) and run.store.name == run.name:
        store = f"{short_path(run.store.parent)}/{CUT}"
    return [
        run.name,
        run.spider,
        _shown(run.started),
        ended if run.state == "ended" else run.state,
        f"{run.judged:,}",
        f"{run.drops:,}",
        "" if run.size is None else size(run.size),
        store,
    ]


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""


def _as_json(run: Run) -> dict[str, Any]:
    return {
        "store": _journals.name_of(run.store, brief=False),
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
