"""The runs of a store: when they were, what became of them, what they judged, how two differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.address import is_url
from dedup_middleware.errors import StoreError
from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action, Kind

from .decisions import SKIPPED, key_of
from .journals import JournalFile, StoreJournal, first_decision, overruled_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dedup_middleware.store import Reader
    from dedup_middleware.store.engine import TableSize
    from dedup_middleware.store.runs import Run as StoredRun

    from .decisions import Decision
    from .journals import Source

_DROP = b'"action":"drop"'
_DRY = b'"dry_run":true'
CHANGES = ("new", "changed", "same", "removed")
MOVED = "moved"
_SAME = frozenset({Kind.EXACT, Kind.NEAR, Kind.UNCHANGED})


class _Counts(NamedTuple):
    judged: int = 0
    drops: int = 0
    is_dry: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl, a scan, or whatever else used a store."""

    store: Path | str
    name: str
    spider: str
    started: datetime | None
    ended: datetime | None
    state: str
    """ended, alive, died, uncommitted if its pages don't count though it has ended, discarded if
    they were withdrawn, or unknown if the store is not there to tell."""
    judged: int
    """Decisions: all pages, unless the settings leave out unique ones."""
    drops: int
    is_dry: bool
    """Whether the drops are those that a real run would have made."""
    journal: Path | None
    size: int | None
    """Of the journal; None if that is kept elsewhere."""


def in_order(run: Run) -> tuple[float, str]:
    """Sort runs by their start, as far as it is known."""
    return run.started.timestamp() if run.started else 0.0, run.name


def runs_of(store: Path | str, warn: Callable[[str], object]) -> list[Run]:
    """List the runs of a store, oldest first; of one that can't be opened, those with a journal."""
    folder = None if is_url(store) else Path(store)
    journals = (
        {path.stem: path for path in sorted(folder.glob("journal/*.jsonl"))} if folder else {}
    )
    found = []
    try:
        known, alive = _known(store)
        counts = _counted(StoreJournal(store, str(store)))
    except StoreError as error:
        warn(f"{error}; only journals are listed")
        known, alive, counts = [], [], {}
    for name, processes in _by_name(known).items():
        run = {**processes[0], "finished": max(one.get("finished", 0) for one in processes) or None}
        state = "alive" if name in alive else _state(processes)
        found.append(_run(store, run, state, counts.get(name, _Counts()), journals.pop(name, None)))
    for name, path in journals.items():
        try:
            counts = _counted(JournalFile(path))
        except OSError as error:
            warn(f"Can't read the journal {path}: {error.strerror}")
            continue
        first = first_decision(path)
        run = {"run": name, "spider": first.spider if first else ""}
        if first and first.when:
            run["started"] = first.when.timestamp()
        judged, drops, dry = (sum(all_) for all_ in zip(_Counts(), *counts.values(), strict=True))
        found.append(_run(store, run, "unknown", _Counts(judged, drops, bool(dry)), path))
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


def _run(
    store: Path | str,
    run: Mapping[str, Any],
    state: str,
    counts: _Counts,
    journal: Path | None,
) -> Run:
    started, ended = (_moment(run.get(key)) for key in ("started", "finished"))
    size = journal.stat().st_size if journal else None if is_url(store) else 0
    return Run(store, run["run"], run["spider"], started, ended, state, *counts, journal, size)


def _counted(source: Source) -> dict[str, _Counts]:
    """Count decisions and drops by run, without parsing their lines."""
    judged: Counter[str] = Counter()
    drops: Counter[str] = Counter()
    dry: set[str] = set()
    overruled = overruled_in(source)
    for block in source.blocks():
        for line in (block or b"").splitlines():
            run, sequence = key_of(line) or ("", 0)
            if _DRY in line:
                dry.add(run)
            if sequence and sequence not in overruled and SKIPPED not in line:
                judged[run] += 1
                drops[run] += _DROP in line
    return {run: _Counts(count, drops[run], run in dry) for run, count in judged.items()}


def _moment(seconds: object) -> datetime | None:
    if not isinstance(seconds, int | float):
        return None
    return datetime.fromtimestamp(seconds, UTC)


@dataclass(frozen=True, slots=True)
class Contents:
    """A store in figures."""

    scheme: str
    method: str
    runs: int
    alive: int
    """Runs that have not ended."""
    pages: int
    urls: int
    aliases: int
    """URLs that show what another page shows."""
    pending: int
    """Pages whose items have not left all pipelines yet."""
    decisions: int
    tables: dict[str, TableSize]
    file_size: int
    """On disk; of a store on a server, in memory there."""
    journal_size: int | None
    """None if journals are kept elsewhere, as those of a store on a server."""


def contents(store: Reader) -> Contents:
    """Sum up what a store holds."""
    with store.snapshot() as view:
        tables, aliases = view.sizes(), view.copies()
        scheme, method = view.scheme, view.method
    folder = store.path
    return Contents(
        scheme=scheme,
        method=method,
        runs=tables["runs"].entries,
        alive=len(store.live_runs()),
        pages=tables["pages"].entries,
        urls=tables["urls"].entries,
        aliases=aliases,
        pending=tables["pending"].entries,
        decisions=tables["decisions"].entries,
        tables=tables,
        file_size=_size(folder, "data.mdb") if folder else sum(one.size for one in tables.values()),
        journal_size=_size(folder, "journal/*.jsonl") if folder else None,
    )


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))


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
