"""`scrapy dedup runs`: list runs and what they judged, commit or discard one, compare two."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.runs import MOVED, changes, in_order, runs_of
from dedup_middleware.inspect.stored_decisions import StoredDecisions
from dedup_middleware.settings import Settings
from dedup_middleware.text import warn

from . import _arguments, _stores
from ._listing import Column, Listing, percent
from ._screen import Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.runs import Change, Run


def _ended(run: Run) -> str:
    return f"{run.ended:%m-%d %H:%M}" if run.ended and run.state == "ended" else run.state


def _dropped(run: Run) -> str:
    return f"dry: {run.drops:,}" if run.is_dry else f"{run.drops:,}"


def _store(run: Run) -> str:
    """Name the store of a run; of one of its own the folder beside those of other runs."""
    return _stores.name_of(run.store).removesuffix(f"/{run.name}")


_NAMES = {"list": 0, "commit": 1, "discard": 1, "diff": 2}
"""How many runs an action takes."""
_COLUMNS: Sequence[Column[Run]] = (
    Column("run", lambda run: run.name),
    Column("spider", lambda run: run.spider, is_long=True),
    Column("started", lambda run: run.started, is_data=True),  # most names say it
    Column("ended", lambda run: run.ended, text=_ended),
    Column("state", lambda run: run.state, is_data=True),
    Column("judged", lambda run: run.judged),
    Column("dropped", lambda run: run.drops, text=_dropped, key="drops"),
    Column("dry_run", lambda run: run.is_dry, is_data=True),
    Column("journal_bytes", lambda run: run.size, is_data=True),
    Column(
        "store",
        lambda run: _stores.name_of(run.store, brief=False),
        text=_store,
        is_long=True,
    ),
    Column("journal", lambda run: run.journal, is_data=True),
)
_CHANGES: Sequence[Column[Change]] = (
    Column("change", lambda one: one.change, text=lambda one: one.label),
    Column("share", lambda one: one.share, percent),
    Column("url", lambda one: one.url, is_long=True),
    Column("classes", lambda one: [*one.classes], ", ".join, below=True, style="dim"),
    Column("other", lambda one: one.other, below=True, mark="= "),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=tuple(_NAMES),
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
        "--all", action="store_true", help="with diff: also pages that are the same"
    )
    _arguments.add_formats(parser, "print each run, or each change, as a JSON line")


def run(opts: Namespace, settings: BaseSettings) -> int:
    needed = _NAMES[opts.action]
    if len(opts.names) != needed:
        opts.parser.error(f"{opts.action} takes {('no run', 'one run', 'two runs')[needed]}")
    if opts.csv and opts.action in {"commit", "discard"}:
        opts.parser.error("--csv goes with list and diff")
    out = Screen.of(opts)
    if opts.action == "list":
        return _list(opts, out)
    if not opts.store:
        opts.store = _stores.of_run(opts.names[0])
    store = _stores.store_of_options(opts, out)
    if opts.action == "diff":
        return _diff(store, opts, out)
    return _end(store, Settings.from_scrapy(settings).map_size, opts, out)


def _list(opts: Namespace, out: Screen) -> int:
    stores = [opts.store] if opts.store else _stores.all_stores()
    runs = []
    for store in stores:
        try:
            runs += runs_of(store)
        except StoreError as error:
            warn(str(error))
    if not runs:
        warn("There is no run in " + ", ".join(map(str, stores)))
        return 1
    Listing(_COLUMNS, sorted(runs, key=in_order)).write(out)
    return 0


def _end(store: Path | str, map_size: int, opts: Namespace, out: Screen) -> int:
    from dedup_middleware.store import open_reader  # brings numpy and lmdb

    (name,) = opts.names
    with open_reader(store, map_size=map_size, write=True) as reader:
        (reader.commit_run if opts.action == "commit" else reader.discard_run)(name)
    done = "count now" if opts.action == "commit" else "pass again"
    facts = {"store": str(store), "run": name, "action": opts.action}
    out.answer(facts, f"The pages of {name} {done}.")
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
