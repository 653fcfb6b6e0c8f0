"""The stores of a project: where that of a crawl is, which was used last, which are removed."""

from __future__ import annotations

import inspect
import logging
import os
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.files import make_private_folder, write_atomically
from dedup_middleware.journal import journal_path
from dedup_middleware.judge.overrides import NAME as OVERRIDES
from dedup_middleware.store import copy_store, open_reader
from dedup_middleware.store.forgetting import Expiry, forget_expired
from dedup_middleware.store.runs import is_run_id, live_runs
from dedup_middleware.urls import Address, is_url

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from dedup_middleware.settings import Settings

logger = logging.getLogger(__name__)

NO_CRAWL = {f"scrapy.commands.{name}" for name in ("bench", "fetch", "parse", "shell")}
"""Commands that fetch a page or two, and for which no store is made."""
NAME = "last-store"
RESERVED = frozenset({"scan", "servers", "shared"})
"""Folders beside those of the spiders, whose stores are not of one run of a spider."""


class StoreLocation(NamedTuple):
    """Where a store is, and who uses it."""

    path: Path
    is_own: bool
    """Whether no other crawl uses it at the same time."""
    runs: Path | None = None
    """Where the stores of the spider's runs are, if this is one of them."""
    copy_of: Path | None = None
    """The store that a dry run begins with, and leaves as it is."""
    url: str = ""
    """Of the server that has the store; the folder is for journals then."""

    @property
    def is_shared(self) -> bool:
        """Whether later crawls know what this one registers."""
        return self.runs is None

    def open(self, settings: Settings, spider: str, run: str) -> Deduplicator:
        """Open the store for a run; a dry run begins with a copy of what is known."""
        project = Path(data_path("dedup"))
        note_last_store(project, self.url or self.path)
        if self.copy_of:
            copy_store(self.copy_of, self.path, map_size=settings.map_size)
        if settings.commit == "auto":
            # others use a server at the same time: they need not deliver what this run delivers
            settings = replace(settings, commit="page" if self.is_own or self.url else "finish")
        return Deduplicator(
            self.url or self.path,
            run=run,
            spider=spider,
            journal=journal_path(self.path, run) if self.url else None,
            overrides=project / OVERRIDES,
            is_sole=self.is_own,
            settings=settings,
        )

    def forget(self, settings: Settings) -> None:
        """Forget old pages as the settings say; the store must be closed."""
        expiry = Expiry(**settings.forget)
        if not self.is_shared or not expiry.is_set:
            return
        with open_reader(self.url or self.path, map_size=settings.map_size, write=True) as store:
            forgotten = forget_expired(store, expiry)
        if forgotten.pages:
            logger.info("Forgotten, because not seen for long: %d pages", forgotten.pages)


def locate_store(settings: Settings, project: BaseSettings, spider: str, run: str) -> StoreLocation:
    """Return where a run of a spider has its store."""
    lasting = _lasting_store(settings, project)
    if lasting and not settings.dry_run:
        return lasting
    folder = re.sub(r"[^\w.-]", "_", spider)
    runs = Path(data_path(f"dedup/{folder}{'_' * (folder in RESERVED)}"))
    known = lasting.path if lasting and (lasting.path / "data.mdb").is_file() else None
    return StoreLocation(runs / run, is_own=True, runs=runs, copy_of=known)


def _lasting_store(settings: Settings, project: BaseSettings) -> StoreLocation | None:
    """Return the store that outlives a run, if there is to be one."""
    if settings.scope == "shared":
        return StoreLocation(Path(data_path("dedup/shared")), is_own=False)
    if is_url(settings.scope):
        journals = Path(data_path(f"dedup/{Address.parse(settings.scope).folder}"))
        return StoreLocation(journals, is_own=False, url=settings.scope)
    if settings.scope != "run":
        return StoreLocation(Path(settings.scope), is_own=False)
    job = job_dir(project)
    return StoreLocation(Path(job, "dedup"), is_own=True) if job else None


def is_no_crawl() -> bool:
    """Return True below a Scrapy command that is no crawl: it is somewhere up the stack."""
    frame = inspect.currentframe()  # Scrapy does not say which command runs
    while frame:
        if frame.f_globals.get("__name__") in NO_CRAWL:
            return True
        frame = frame.f_back
    return False


def note_last_store(project: Path, store: Path | str) -> None:
    """Note which store is used now, in the folder in which a project keeps its stores.

    A folder is named from there, so that the project can be moved; a server without its password.
    """
    if is_url(store):
        name = Address.parse(str(store)).name
    else:
        name = str(Path(store).absolute())
        with suppress(ValueError):  # another drive of Windows
            name = os.path.relpath(name, project.absolute())
    with suppress(OSError):  # no reason not to crawl
        make_private_folder(project)
        write_atomically(project / NAME, f"{name}\n".encode(errors="surrogateescape"), private=True)


def last_store(project: Path) -> Path | str | None:
    """Return the store that was used last; None if none was noted."""
    try:
        name = (project / NAME).read_bytes().decode(errors="surrogateescape").rstrip("\n")
    except OSError:
        return None
    if is_url(name):
        return name
    return Path(os.path.normpath(project / name))


def old_stores(folder: Path, keep: int) -> list[Path]:
    """List stores in a spider's folder to be removed, oldest first.

    The newest `keep` stay, and those in use.
    """
    # a store under any other name was named by a user, and is not ours
    stores = [path for path in _folders(folder) if is_run_id(path.name) and _is_store(path)]
    return [path for path in stores[: max(0, len(stores) - keep)] if not live_runs(path / "runs")]


def prune(folder: Path, keep: int) -> list[Path]:
    """Remove old stores from a spider's folder; return those that are gone."""
    removed = []
    for store in old_stores(folder, keep):
        with suppress(OSError):  # perhaps another user's; no reason to end a crawl
            shutil.rmtree(store)
            removed.append(store)
    return removed


def _folders(folder: Path) -> list[Path]:
    """List folders in a folder, by name; symbolic links may lead out of the project."""
    try:
        found = list(folder.iterdir())
    except OSError:
        return []
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def _is_store(path: Path) -> bool:
    data = path / "data.mdb"
    return data.is_file() and not data.is_symlink()
