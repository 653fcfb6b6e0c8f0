"""Stores and journals that the arguments of a command name."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scrapy.utils.project import data_path, get_project_settings

from dedup_middleware.address import Address, is_url
from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.inspect.journals import (
    JournalFile,
    Journals,
    StoreJournal,
    first_decision,
    first_decisions,
)
from dedup_middleware.inspect.uncertainty import DEFAULT, doubt, thresholds_of
from dedup_middleware.text import short_path, warn

from ._progress import SOON, ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.journals import Source
    from dedup_middleware.settings import Level

    from ._screen import Screen

T = TypeVar("T")
FEW_SPIDERS = 3


@dataclass(frozen=True)
class Chosen:
    """The decisions that a command reads, and where else to look."""

    sources: Sequence[Source]
    store: Path | str | None
    """The store that has the texts, a folder or the URL of a server; None if none is left."""
    files: Sequence[Path] = ()
    """Journal files, which must not be written over."""

    is_named: bool = True
    """Whether the user has named it; else it is the store that was used last."""

    @property
    def name(self) -> str:
        names = [source.name for source in self.sources]
        return names[0] if len(names) == 1 else f"{len(names)} journals"

    @property
    def title(self) -> str:
        """What was crawled: the spiders, if they are few, else the store or the last journal."""
        spiders = dict.fromkeys(one.spider for one in self._firsts if one.spider)
        if 0 < len(spiders) <= FEW_SPIDERS:
            return ", ".join(spiders)
        return name_of(self.store or self.files[-1])

    def tell(self, out: Screen | None = None) -> None:
        """Say which store or journal is read, and which of its runs were dry."""
        dry = self.dry_runs
        text = f"{'Journal' if isinstance(self.sources[0], JournalFile) else 'Store'}: {self.name}"
        if dry and len(dry) == len(self._firsts):
            text += "; a dry run: nothing was dropped"
        elif dry:
            text += f"; dry runs, which dropped nothing: {', '.join(dry)}"
        is_known = self.is_named and not dry
        if out:
            out.source(text, is_named=is_known)
        elif not is_known:
            warn(text)

    def doubt(self, decision: Decision) -> float:
        """Return how doubtful a decision is by the thresholds of its run."""
        return round(doubt(decision, self._thresholds.get(decision.run, DEFAULT)), 4)

    @property
    def dry_runs(self) -> list[str]:
        """The runs that dropped nothing: their drops are those that a real run would have made."""
        return [one.run for one in self._firsts if one.is_dry]

    @cached_property
    def _thresholds(self) -> dict[str, Level]:
        return {one.run: told for one in self._firsts if (told := thresholds_of(one.entry))}

    @cached_property
    def _firsts(self) -> list[Decision]:
        """The first decisions of the runs, which have the thresholds, and say if a run was dry."""
        try:
            return [one for source in self.sources for one in first_decisions(source)]
        except OSError:  # reported when the rest is read
            return []


def find(opts: Namespace) -> Chosen:
    """Return the decisions that are named: of the newest run, of one, or of all.

    Commands without options for runs get all of them.
    """
    if opts.journal:
        files = _named(opts.journal)
        return Chosen([*map(JournalFile, files)], store_of(files[-1]), files)
    run, all_runs = getattr(opts, "run", None), getattr(opts, "all_runs", True)
    found = in_store(opts.store or last_used(), run, all_runs=all_runs)
    return replace(found, is_named=opts.store is not None)


def in_store(place: Path | str, run: str | None = None, *, all_runs: bool = False) -> Chosen:
    """Return the decisions of a store, or its journal files if it can't be opened."""
    found = () if is_url(place) else Path(place, "journal").glob("*.jsonl")
    files = sorted(filter(Path.is_file, found), key=_begin)
    try:
        runs, count = _runs(place)
    except StoreError:
        if not files:
            raise
        chosen = files if all_runs else [_one(run, {path.stem: path for path in files})]
        return Chosen([*map(JournalFile, chosen)], place if is_store(place) else None, chosen)
    name = None if all_runs or not runs else _one(run, {one: one for one in runs})
    files = [path for path in files if name in (None, path.stem)]
    return Chosen([StoreJournal(place, name_of(place), name, count)], place, files)


def _one(run: str | None, found: dict[str, T]) -> T:
    """Return a run by its name, or the newest."""
    if run is None:
        return [*found.values()][-1]
    if run not in found:
        known = ", ".join([*found][-5:])
        raise NotAStore(f"There is no journal of a run {run}; the newest runs are {known}")
    return found[run]


def _runs(place: Path | str) -> tuple[list[str], int]:
    """Return the runs of a store, the newest that has decisions last, and how many these are."""
    from dedup_middleware.journal import lines_of_run  # imports numpy
    from dedup_middleware.store import open_reader

    with open_reader(place) as reader, reader.snapshot() as view:
        runs = list(dict.fromkeys(run["run"] for run in view.runs()))
        count = view.last_sequence() + 1 - view.first_sequence()
        newest = (run for run in reversed(runs) if any(lines_of_run(view, run)))
        last = next(newest, None) if count else None
    return sorted(runs, key=lambda run: run == last), count


def _begin(journal: Path) -> tuple[str, str]:
    """Return when a run began, as its first decision says."""
    first = first_decision(journal)
    when = first.when if first else None
    return when.isoformat() if when else "", journal.stem


@contextmanager
def reading(chosen: Chosen, warn: Callable[[str], object] = warn) -> Iterator[Journals]:
    """Open journals to be read from end to end, with a progress bar if that takes long."""
    in_bytes = all(isinstance(source, JournalFile) for source in chosen.sources)
    total = sum(source.size for source in chosen.sources)
    with ProgressBar(total, "Reading", in_bytes=in_bytes, delay=SOON) as bar:
        for source in chosen.sources:
            source.watch = bar.advance
        yield Journals(chosen.sources, warn)


def store_of(journal: Path) -> Path | None:
    """Return the store that a journal belongs to, if it is still there."""
    store = journal.absolute().parent.parent
    return store if is_store(store) else None


def name_of(store: Path | str, *, brief: bool = True) -> str:
    """Name a store for people: its folder, or its URL without the password."""
    if is_url(store):
        return Address.parse(str(store)).name
    return short_path(Path(store)) if brief else str(store)


def own_folder(store: Path | str) -> Path:
    """Return the folder for files that belong to a store, such as answers of people."""
    return project_data() / Address.parse(str(store)).folder if is_url(store) else Path(store)


def is_store(place: Path | str) -> bool:
    """Return True for the folder of a store, or for a server."""
    return is_url(place) or Path(place, "data.mdb").is_file()


def newest_store() -> Path | str:
    """Return the store that was used last; print which one that is."""
    store = last_used()
    warn(f"Store: {name_of(store)}")
    return store


def store_of_options(opts: Namespace, out: Screen) -> Path | str:
    """Return the store that is named, else the one that was used last; say which one that is."""
    store: Path | str = opts.store or last_used()
    out.source(f"Store: {name_of(store)}", is_named=opts.store is not None)
    return store


def last_used() -> Path | str:
    """Return the store that was used last, wherever it is; if it is gone, the project's newest."""
    noted = _noted()
    if is_url(noted):
        return _with_password(str(noted))
    return noted or max(all_stores(), key=_used)


def all_stores() -> list[Path]:
    """Return all stores of the project, and the folder that was used last."""
    # a store that has lost its data still has journals, and the other way round
    stores = {path.parent for path in project_data().rglob("data.mdb")}
    journals = (path.parent for path in project_data().rglob("*.jsonl"))
    stores |= {path.parent for path in journals if path.name == "journal"}
    stores |= {noted} if isinstance(noted := _noted(), Path) else set()
    if not stores:
        raise NotAStore(
            f"There is no store under {project_data()} yet. Run a crawl with the add-on enabled or "
            "`scrapy dedup scan PATH…`, or name a store with --store DIR"
        )
    return sorted(stores)


def _noted() -> Path | str | None:
    """Return the store that the project has noted, if it is still there."""
    from dedup_middleware.store.last import last_store  # imports numpy

    last = last_store(project_data())
    is_gone = isinstance(last, Path) and not (is_store(last) or any(last.glob("journal/*.jsonl")))
    return None if is_gone else last


def _used(store: Path) -> tuple[int, Path]:
    """Return when a store was written to."""
    files = [store / "data.mdb"] if is_store(store) else store.glob("journal/*.jsonl")
    return max(path.stat().st_mtime_ns for path in files), store


def _with_password(url: str) -> str:
    """Return the URL of a server as the project's settings have it, if it is theirs."""
    scope = get_project_settings().get("DEDUP_SCOPE")
    return scope if is_url(scope) and Address.parse(scope).name == url else url


def project_data() -> Path:
    """Return the folder in which the project keeps its stores."""
    return Path(data_path("dedup"))


def _named(names: list[str]) -> list[Path]:
    """Return the files that exist; print which do not."""
    paths = [Path(name) for name in names]
    there = [path for path in paths if path.is_file()]
    missing = [f"There is no journal {path}" for path in paths if path not in there]
    if not there:
        raise NotAStore("; ".join(missing))
    for text in missing:
        warn(text)
    return there
