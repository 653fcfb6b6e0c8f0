"""`scrapy dedup runs`: list runs and what they judged, commit or discard one, compare two."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.runs import MOVED, changes, in_order, runs_of
from dedup_middleware.inspect.stored_decisions import StoredDecisions
from dedup_middleware.settings import Settings
from dedup_middleware.text import CUT, escape, short_path, size, warn

from . import _arguments, _stores
from ._listing import Column, Listing, percent
from ._screen import SOON, progress, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.runs import Change, Run

    from ._screen import Screen

_NAMES = {"commit": 1, "discard": 1, "diff": 2}
"""How many runs an action takes."""


def _columns(*, brief: bool) -> Sequence[Column[Run]]:
    """Return the columns; in brief, without what other columns say, too."""
    return (
        Column("run", lambda run: run.name),
        Column("spider", lambda run: run.spider, worth=9, least=12),
        Column(
            "started", lambda run: run.started, _shown, worth=5
        ),  # the names of most runs say it, too
        Column("ended", lambda run: run.ended, text=lambda run: _ended(run, brief=brief), worth=8),
        Column("state", lambda run: run.state, is_data=True),
        Column("judged", lambda run: run.judged),
        Column("dropped", lambda run: run.drops, text=_dropped, key="drops"),
        Column("dry_run", lambda run: run.is_dry, is_data=True),
        Column("journal", lambda run: run.size, _size, key="journal_bytes", worth=6),
        Column("store", _place, text=lambda run: _store(run, brief=brief), worth=7),
        Column("file", lambda run: run.journal, key="journal", is_data=True),
    )


_CHANGES: Sequence[Column[Change]] = (
    Column("change", lambda one: one.change, text=lambda one: one.label),
    Column("url", lambda one: one.url, least=24, is_url=True),
    Column("share", lambda one: one.share, percent),
    Column("classes", lambda one: [*one.classes], ", ".join),
    Column("other", lambda one: one.other, least=24, is_url=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", *_NAMES),
        default="list",
        help="list (default); commit: let the pages of a run count though it has not succeeded; "
        "discard: let its pages pass again; diff: what is new, changed, moved or removed from one "
        "run to another",
    )
    parser.add_argument("names", nargs="*", metavar="RUN", help="one run, with diff two")
    _arguments.add_store(
        parser, "folder of one store (default: all under .scrapy/dedup, or the one used last)"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="with list: also runs that ended and judged nothing; with diff: also pages that are "
        "the same",
    )
    _arguments.add_output(parser, "print each run, or each change, as a line of JSON", csv=True)


def run(opts: Namespace, settings: BaseSettings) -> int:
    needed = _NAMES.get(opts.action, 0)
    if len(opts.names) != needed:
        opts.parser.error(f"{opts.action} takes {('no run', 'one run', 'two runs')[needed]}")
    if opts.all and opts.action in {"commit", "discard"}:
        opts.parser.error("--all goes with list and diff")
    if opts.csv and opts.action in {"commit", "discard"}:
        opts.parser.error("--csv goes with list and diff")
    with screen(opts) as out:
        if opts.action == "list":
            return _list(opts, out)
        store = _stores.store_of_options(opts, out)
        if opts.action == "diff":
            return _diff(store, opts, out)
        return _end(store, Settings.from_scrapy(settings).map_size, opts, out)


def _list(opts: Namespace, out: Screen) -> int:
    stores = [opts.store] if opts.store else _stores.all_stores()
    read = progress(stores, len(stores), "Reading", delay=SOON)
    runs = []
    for store in read:
        try:
            runs += runs_of(store)
        except StoreError as error:
            warn(str(error))
    if not runs:
        warn("There is no run in " + ", ".join(map(str, stores)))
        return 1
    shown = [run for run in runs if opts.all or run.judged or run.state == "alive"]
    if opts.store:
        out.source(f"Store: {_stores.name_of(opts.store)}", is_named=True)
    columns = _columns(brief=out.terminal and not out.wide)
    Listing(columns, sorted(shown, key=in_order)).write(out)
    if len(shown) < len(runs):
        warn(f"{len(runs) - len(shown):,} more judged nothing: --all")
    return 0


def _end(store: Path | str, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.store import open_reader  # brings numpy and lmdb

    (name,) = opts.names
    with open_reader(store, map_size=map_size, write=True) as reader:
        (reader.commit_run if opts.action == "commit" else reader.discard_run)(name)
    done = "count now" if opts.action == "commit" else "pass again"
    facts = {"store": str(store), "run": name, "action": opts.action}
    out.answer(facts, [f"The pages of {escape(name)} {done}."])
    return 0


def _diff(store: Path | str, opts: Namespace, out: Screen) -> int:
    before, after = (StoredDecisions(store, name) for name in opts.names)
    found = changes(before, after, with_same=opts.all)
    Listing(_CHANGES, found).write(out)
    if not out.json:
        counts = Counter(one.label for one in found)
        names = ("new", "changed", MOVED, "removed", *["same"] * opts.all)
        warn(", ".join(f"{counts[name]:,} {name}" for name in names))
    return 0


def _ended(run: Run, *, brief: bool) -> str:
    if run.state != "ended":
        return run.state
    if brief and run.started and run.ended and run.ended.date() == run.started.date():
        return f"{run.ended:%H:%M:%S}"
    return _shown(run.ended)


def _dropped(run: Run) -> str:
    return f"dry: {run.drops:,}" if run.is_dry else f"{run.drops:,}"


def _size(count: int | None) -> str:
    return "" if count is None else size(count)


def _place(run: Run) -> str:
    return _stores.name_of(run.store, brief=False)


def _store(run: Run, *, brief: bool) -> str:
    if brief and isinstance(run.store, Path) and run.store.name == run.name:
        return f"{short_path(run.store.parent)}/{CUT}"
    return _stores.name_of(run.store)


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""
