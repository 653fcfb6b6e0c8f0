"""Stores and journals that the arguments of a command name."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.project import data_path

from dedup_middleware.address import MARKER, Address, server_of
from dedup_middleware.errors import NotAStore
from dedup_middleware.inspect.decisions import LONGEST_LINE, Decision, Journals
from dedup_middleware.inspect.doubt import DEFAULT, Thresholds, doubt
from dedup_middleware.text import complain, short_path

from ._progress import SOON, progress_bar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence


def find(opts: Namespace) -> list[Path]:
    """Return all journals that are named, oldest run first; print which store was chosen."""
    if opts.journal:
        return _named(opts.journal)
    store = Path(opts.store) if opts.store else newest_store()
    journals = sorted((store / "journal").glob("*.jsonl"), key=_begin)
    if not journals:
        raise NotAStore(
            f"There is no decision on {name_of(store)}"
            if server_of(store)
            else f"There is no journal in {store}; a store keeps them in {store / 'journal'}. "
            "Name the store's folder with --store, or a journal file with --journal"
        )
    return journals


def of_runs(opts: Namespace) -> list[Path]:
    """Return the journals of the runs that are named: the newest, one, or all."""
    found = find(opts)
    if opts.all_runs or opts.journal:
        return found
    if opts.run is None:
        return found[-1:]
    return [_named_run(found, opts.run)]


def of_run(store: Path, run: str) -> Path:
    """Return the journal of a run."""
    return _named_run(sorted((store / "journal").glob("*.jsonl"), key=_begin), run)


def _named_run(found: list[Path], run: str) -> Path:
    named = [path for path in found if path.stem == run]
    if not named:
        known = ", ".join(path.stem for path in found[-5:])
        raise NotAStore(f"There is no journal of a run {run}; the newest runs are {known}")
    return named[0]


def _begin(journal: Path) -> str:
    """Return when a run began: most have it in their names."""
    from dedup_middleware.store.runs import is_run_id  # brings numpy

    if is_run_id(journal.stem):
        return journal.stem
    first = _first(journal)
    when = first.when if first else None
    return f"{when:%Y%m%dT%H%M%S-%f}" if when else journal.stem


@contextmanager
def reading(
    journals: Sequence[Path], complain: Callable[[str], object] = complain
) -> Iterator[Journals]:
    """Open journals to be read from end to end; a bar shows how far that is, if it takes long."""
    total = sum(path.stat().st_size for path in journals)
    with progress_bar(total, "Reading", in_bytes=True, delay=SOON) as bar:
        yield Journals(journals, complain, bar.advance)


def _first(journal: Path) -> Decision | None:
    with journal.open("rb") as file:
        return Decision.parse(file.readline(LONGEST_LINE))


class Doubts:
    """How doubtful decisions are by the thresholds of their runs, which journals begin with."""

    def __init__(self, journals: Iterable[Path]) -> None:
        firsts = [first for path in journals if (first := _first(path))]
        self._thresholds = {one.run: Thresholds.of_entry(one.entry) or DEFAULT for one in firsts}

    def __call__(self, decision: Decision) -> float:
        return round(doubt(decision, self._thresholds.get(decision.run, DEFAULT)), 4)


def store_of(journal: Path) -> Path | None:
    """Return the store that a journal belongs to, if it is still there."""
    store = journal.absolute().parent.parent
    return store if is_store(store) else None


def name_of(store: Path, *, brief: bool = True) -> str:
    """Name a store for people: its folder, or the server that a folder stands for."""
    url = server_of(store)
    if url:
        return Address.parse(url).name
    return short_path(store) if brief else str(store)


def own_folder(store: Path) -> Path:
    """Return where files of one's own can be kept that belong to a store."""
    url = server_of(store)
    return project_data() / Address.parse(url).folder if url else store


def is_store(folder: Path) -> bool:
    """Return True for the folder of a store, or for one that stands for a server."""
    return any((folder / name).is_file() for name in ("data.mdb", MARKER))


def newest_store() -> Path:
    """Return the project's store whose journal was written last; print which one that is."""
    # `scrapy shell` and its like leave empty journals
    journals = [path for path in _project_journals() if path.stat().st_size]
    if not journals:
        raise _no_store()
    store = max(journals, key=lambda path: (path.stat().st_mtime_ns, path.name)).parent.parent
    complain(f"Store: {short_path(store)}")
    return store


def all_stores() -> list[Path]:
    """Return all stores of the project."""
    # a store that has lost its data still has journals, and the other way round
    stores = {path.parent for path in project_data().rglob("data.mdb")}
    stores |= {path.parent.parent for path in _project_journals()}
    if not stores:
        raise _no_store()
    return sorted(stores)


def project_data() -> Path:
    """Return the folder in which the project keeps its stores."""
    return Path(data_path("dedup"))


def _project_journals() -> list[Path]:
    return [path for path in project_data().rglob("*.jsonl") if path.parent.name == "journal"]


def _no_store() -> NotAStore:
    return NotAStore(
        f"There is no store under {project_data()} yet. Run a crawl with the add-on enabled or "
        "`scrapy dedup scan PATH…`, or name a store with --store DIR"
    )


def _named(names: list[str]) -> list[Path]:
    """Return the files that exist; print which do not."""
    paths = [Path(name) for name in names]
    there = [path for path in paths if path.is_file()]
    missing = [f"There is no journal {path}" for path in paths if path not in there]
    if not there:
        raise NotAStore("; ".join(missing))
    for text in missing:
        complain(text)
    return there
