"""Stores that the arguments of a command name, and their decisions."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.project import data_path, get_project_settings

from dedup_middleware.errors import NotAStore
from dedup_middleware.inspect.stored_decisions import StoredDecisions
from dedup_middleware.text import short_path, warn
from dedup_middleware.urls import Address, is_url

from ._screen import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from ._screen import Screen

FEW_SPIDERS = 3
MANY = 20_000
"""Decisions that take so long to read that a bar shows how far it is."""


def decisions_of(opts: Namespace, out: Screen | None = None) -> StoredDecisions:
    """Return the decisions that are named: of the newest run, of one, or of all.

    Commands without options for runs get all of them. Say which store it is, and which of its runs
    were dry.
    """
    store = opts.store or of_run(getattr(opts, "run", None)) or last_used()
    if getattr(opts, "all_runs", True) or opts.run is not None:
        found = StoredDecisions(store, getattr(opts, "run", None))
    else:
        found = StoredDecisions.newest(store)
    text, dry = f"Store: {name_of(store)}", found.dry_runs
    if dry and found.is_dry:
        text += "; a dry run: nothing was dropped"
    elif dry:
        text += f"; dry runs, which dropped nothing: {', '.join(dry)}"
    _tell(text, out, is_known=opts.store is not None and not dry)
    return found


def title_of(found: StoredDecisions) -> str:
    """Return what was crawled: the spiders, if they are few, else the store."""
    few = 0 < len(found.spiders) <= FEW_SPIDERS
    return ", ".join(found.spiders) if few else name_of(found.place)


def of_run(run: str | None) -> Path | None:
    """Return the store that a run has of its own; None if it has none."""
    stores = (one for one in all_stores() if isinstance(one, Path))
    return next((one for one in stores if one.name == run), None)


@contextmanager
def reading(found: StoredDecisions) -> Iterator[StoredDecisions]:
    """Show a progress bar while decisions are read from end to end, if there are many."""
    if found.size < MANY:
        yield found
        return
    with ProgressBar(found.size, "Reading") as bar:
        found.watch = bar.advance
        yield found
        found.watch = None


def name_of(store: Path | str, *, brief: bool = True) -> str:
    """Name a store for people: its folder, or its URL without the password."""
    if is_url(store):
        return Address.parse(str(store)).name
    return short_path(Path(store)) if brief else str(store)


def store_of_options(opts: Namespace, out: Screen | None = None) -> Path | str:
    """Return the store that is named, else the one that was used last; say which one that is."""
    store: Path | str = opts.store or last_used()
    _tell(f"Store: {name_of(store)}", out, is_known=opts.store is not None)
    return store


def _tell(text: str, out: Screen | None, *, is_known: bool) -> None:
    """Say which store it is: above a table; elsewhere, unless the user named it, in a message."""
    if out and out.terminal:
        out.text(text, "dim")
    elif not is_known:
        warn(text)


def last_used() -> Path | str:
    """Return the store that was used last, wherever it is; if it is gone, the project's newest."""
    return all_stores()[-1]


def all_stores() -> list[Path | str]:
    """Return all stores of the project, that of the last change last, or the one used last."""
    files = sorted(project_data().rglob("data.mdb"), key=lambda path: path.stat().st_mtime_ns)
    stores: list[Path | str] = [path.parent for path in files]
    if noted := _noted():
        stores = [*(store for store in stores if store != noted), noted]
    if not stores:
        raise NotAStore(
            f"There is no store under {project_data()} yet. Run a crawl with the add-on enabled or "
            "`scrapy dedup scan PATH…`, or name a store with --store DIR"
        )
    return stores


def project_data() -> Path:
    """Return the folder in which the project keeps its stores."""
    return Path(data_path("dedup"))


def _noted() -> Path | str | None:
    """Return the store that the project has noted, if it is still there.

    That of a server has the password that the settings of the project have.
    """
    from dedup_middleware.plugin.store_location import last_store  # imports numpy

    last = last_store(project_data())
    if isinstance(last, Path):
        return last if Path(last, "data.mdb").is_file() else None
    scope = get_project_settings().get("DEDUP_SCOPE")
    has_password = last and is_url(scope) and Address.parse(scope).name == last
    return str(scope) if has_password else last
