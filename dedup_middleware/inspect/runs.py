"""The runs of a store: when they were, what became of them, what they judged, how two differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.errors import StoreError
from dedup_middleware.urls import is_url, url_key
from dedup_middleware.verdict import Action, Kind

from .decisions import SKIPPED, key_of
from .stored_decisions import StoredDecisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.store.runs import Run as StoredRun

    from .decisions import Decision

_DROP = b'"action":"drop"'
CHANGES = ("new", "changed", "same", "removed")
MOVED = "moved"
_SAME = frozenset({Kind.EXACT, Kind.NEAR, Kind.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl, a scan, or whatever else used a store."""

    store: Path | str
    name: str
    spider: str
    started: datetime
    ended: datetime | None
    state: str
    """ended, alive, died, uncommitted if its pages don't count though it has ended, or discarded if
    they were withdrawn."""
    judged: int
    """Decisions: all pages, unless the settings leave out unique ones."""
    drops: int
    is_dry: bool
    """Whether the drops are those that a real run would have made."""
    journal: Path | None
    size: int | None
    """Of the journal; None if that is kept elsewhere."""


def in_order(run: Run) -> tuple[datetime, str]:
    """Sort runs by their start."""
    return run.started, run.name


def runs_of(store: Path | str) -> list[Run]:
    """List the runs of a store, oldest first."""
    known, alive = _known(store)
    decisions = StoredDecisions(store)
    judged, drops = _counted(decisions)
    dry = {*decisions.dry_runs}
    found = []
    for name, processes in _by_name(known).items():
        first, ended = processes[0], max(one.get("finished", 0) for one in processes)
        journal = None if is_url(store) else Path(store, "journal", f"{name}.jsonl")
        is_there = journal is not None and journal.is_file()
        run = Run(
            store=store,
            name=name,
            spider=first["spider"],
            started=datetime.fromtimestamp(first["started"], UTC),
            ended=datetime.fromtimestamp(ended, UTC) if ended else None,
            state="alive" if name in alive else _state(processes),
            judged=judged[name],
            drops=drops[name],
            is_dry=name in dry,
            journal=journal if is_there else None,
            size=journal.stat().st_size if journal and is_there else None if is_url(store) else 0,
        )
        found.append(run)
    return sorted(found, key=in_order)


class RunEnd(NamedTuple):
    """What became of a run."""

    state: str
    """As that of `Run`."""
    requests_saved: int
    """Requests that were not made, as links of redundant pages were not followed."""


def ends_of(store: Path | str, names: Iterable[str]) -> dict[str, RunEnd]:
    """Return what became of some runs; those that the store does not know are left out."""
    try:
        known, alive = _known(store)
    except StoreError:
        return {}
    runs = _by_name(known)
    return {
        name: RunEnd(
            "alive" if name in alive else _state(runs[name]),
            sum(one.get("requests_saved", 0) for one in runs[name]),
        )
        for name in names
        if name in runs
    }


def _by_name(known: Sequence[StoredRun]) -> dict[str, list[StoredRun]]:
    found: dict[str, list[StoredRun]] = {}
    for one in known:
        found.setdefault(one["run"], []).append(one)
    return found


def _state(processes: Sequence[StoredRun]) -> str:
    """Return what became of a run that is not alive."""
    if all("discarded" in one for one in processes):
        return "discarded"
    if any("finished" not in one for one in processes):
        return "died"
    kept = [one for one in processes if "discarded" not in one and one.get("commit") == "finish"]
    return "ended" if all("committed" in one for one in kept) else "uncommitted"


def _known(store: Path | str) -> tuple[Sequence[StoredRun], Sequence[str]]:
    from dedup_middleware.store import open_reader  # brings numpy and lmdb

    with open_reader(store) as reader, reader.snapshot() as view:
        return view.runs(), reader.live_runs()


def _counted(decisions: StoredDecisions) -> tuple[Counter[str], Counter[str]]:
    """Count decisions and drops by run, without parsing their lines."""
    judged: Counter[str] = Counter()
    drops: Counter[str] = Counter()
    for line in decisions.lines():
        run, sequence = key_of(line) or ("", 0)
        if sequence not in decisions.overruled and SKIPPED not in line:
            judged[run] += 1
            drops[run] += _DROP in line
    return judged, drops


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a page from one run to another."""

    change: str
    """One of CHANGES."""
    url: str
    """Where the page is now; if it was removed, where it was."""
    other: str | None = None
    """Where it was before it moved; of one that was removed, the page that it now repeats."""
    share: float | None = None
    """How much of the main text of a changed page is new or gone."""
    classes: tuple[str, ...] = ()
    """Of what classes that is."""

    @property
    def label(self) -> str:
        """What people read: a page that is the same at another URL has moved."""
        return MOVED if self.change == "same" and self.other else self.change


def changes(
    before: Iterable[Decision], after: Iterable[Decision], *, with_same: bool = False
) -> list[Change]:
    """List what is new, changed, moved or removed from one run to another, or also the same.

    Only pages count that are in an index of what was delivered: copies were never there. A page
    has moved if it was not seen again, but an equal or near one was, which was not there before.
    """
    first, second = _Pages(before), _Pages(after)
    moved = {
        origin: key
        for origin, key in second.stand_ins.items()
        if origin in first.pages and key not in first.pages
    }
    targets = {*moved.values()}
    found = []
    for key in first.pages.keys() | second.pages.keys():
        was, now = first.pages.get(key), second.pages.get(key)
        if was and key in moved:
            found.append(Change("same", second.pages[moved[key]].url, was.url))
        elif was and not now:
            seen = second.seen.get(key)
            found.append(Change("removed", was.url, seen.original if seen else None))
        elif now and not was and key not in targets:
            found.append(Change("new", now.url))
        elif was and now and now.verdict == Kind.UPDATED:
            classes = tuple(now.change_classes)
            found.append(Change("changed", now.url, share=now.changed, classes=classes))
        elif was and now and with_same and key not in targets:
            found.append(Change("same", now.url))
    return sorted(found, key=lambda one: (CHANGES.index(one.change), one.url))


class _Pages:
    """What a run has seen, and what of it is in an index, by keys of URLs."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self.seen = {url_key(one.url): one for one in decisions}
        self.stand_ins: dict[bytes, bytes] = {}
        """Of pages that were not seen themselves, the first URL that shows the same."""
        self.pages: dict[bytes, Decision] = {}
        for key, one in sorted(self.seen.items(), key=lambda pair: pair[1].url):
            origin = url_key(one.original) if one.original else key
            if one.action != Action.DROP or origin == key:
                self.pages[key] = one
            elif one.verdict in _SAME and not (origin in self.seen or origin in self.stand_ins):
                self.stand_ins[origin] = key
                self.pages[key] = one
