"""The location of the store of a crawl, and which commands are no crawl."""

from __future__ import annotations

import inspect
import logging
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from dedup_middleware.address import Address, is_url
from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.journal import journal_path
from dedup_middleware.judge.overrides import NAME as OVERRIDES
from dedup_middleware.store import copy_store, open_reader
from dedup_middleware.store.forgetting import Expiry, forget_expired
from dedup_middleware.store.last import note_last_store
from dedup_middleware.store.prune import RESERVED

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from dedup_middleware.settings import Settings

logger = logging.getLogger(__name__)

NO_CRAWL = {f"scrapy.commands.{name}" for name in ("bench", "fetch", "parse", "shell")}
"""Commands that fetch a page or two, and for which no store is made."""


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
