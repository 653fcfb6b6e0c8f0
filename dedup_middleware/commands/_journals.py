"""Where journals are, as the user says it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.project import data_path

from dedup_middleware.errors import NotAStore
from dedup_middleware.text import complain

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Let the user say which store or journal is meant."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--store", metavar="DIR", help="folder of the store, instead of the one used last"
    )
    where.add_argument(
        "--journal",
        action="append",
        metavar="FILE",
        help="read this journal file instead; may be given more than once",
    )


def find(opts: Namespace) -> list[Path]:
    """Find the journals that are meant, oldest run first; say which store was chosen."""
    if opts.journal:
        return _named(opts.journal)
    store = Path(opts.store) if opts.store else newest_store()
    journals = _journals(store)
    if not journals:
        raise NotAStore(
            f"There is no journal in {store}; a store keeps them in {store / 'journal'}. "
            "Name the store's folder with --store, or a journal file with --journal"
        )
    return journals


def chosen(opts: Namespace) -> list[Path]:
    """Find the journals of the runs that are meant: the newest, one, or all."""
    found = find(opts)
    if opts.all_runs or opts.journal:
        return found
    if opts.run is None:
        return found[-1:]
    named = [path for path in found if path.stem == opts.run]
    if not named:
        known = ", ".join(path.stem for path in found[-5:])
        raise NotAStore(f"There is no journal of a run {opts.run}; the newest runs are {known}")
    return named


def store_of(journal: Path) -> Path | None:
    """Find the store that a journal belongs to, if it is still there."""
    store = journal.absolute().parent.parent
    return store if (store / "data.mdb").is_file() else None


def newest_store() -> Path:
    """Find the store under the project's data whose journal was written last."""
    root = Path(data_path("dedup"))
    journals = [
        path
        for path in root.rglob("*.jsonl")
        # `scrapy shell` and its like leave empty ones
        if path.parent.name == "journal" and path.stat().st_size
    ]
    if not journals:
        raise NotAStore(
            f"There is no store under {root} yet. Run a crawl with the add-on enabled or "
            "`scrapy dedup scan PATH…`, or name a store with --store DIR"
        )
    store = max(journals, key=lambda path: (path.stat().st_mtime_ns, path.name)).parent.parent
    complain(f"Store: {store}")
    return store


def _named(names: list[str]) -> list[Path]:
    """Take the files that are there; say which are not."""
    paths = [Path(name) for name in names]
    there = [path for path in paths if path.is_file()]
    missing = [f"There is no journal {path}" for path in paths if path not in there]
    if not there:
        raise NotAStore("; ".join(missing))
    for text in missing:
        complain(text)
    return there


def _journals(store: Path) -> list[Path]:
    return sorted((store / "journal").glob("*.jsonl"))  # names of runs sort by time
