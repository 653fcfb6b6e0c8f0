"""Removal of the stores of old runs, which a project keeps in one folder for each spider."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from .locks import live_runs
from .runs import is_run_id

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

RESERVED = frozenset({"scan", "servers", "shared"})
"""Folders beside those of the spiders, whose stores are not of one run of a spider."""


def spider_folders(root: Path) -> list[Path]:
    """List the folders under a project's data that hold the stores of a spider's runs."""
    return [path for path in _folders(root) if path.name not in RESERVED]


def old_stores(folder: Path, keep: int, older_than: timedelta | None = None) -> list[Path]:
    """List stores in a spider's folder to be removed, oldest first.

    The newest `keep` stay, those written to within `older_than`, and those in use.
    """
    # a store under any other name was named by a user, and is not ours
    stores = [path for path in _folders(folder) if is_run_id(path.name) and _is_store(path)]
    old = stores[: max(0, len(stores) - keep)]
    if older_than is not None:
        limit = time.time() - older_than.total_seconds()
        old = [path for path in old if (path / "data.mdb").stat().st_mtime < limit]
    return [path for path in old if not live_runs(path / "runs")]


def prune(folder: Path, keep: int, older_than: timedelta | None = None) -> list[Path]:
    """Remove old stores from a spider's folder; return those that are gone."""
    removed = []
    for store in old_stores(folder, keep, older_than):
        with suppress(OSError):  # perhaps another user's; no reason to end a crawl
            shutil.rmtree(store)
            removed.append(store)
    return removed


def disk_size(store: Path) -> int:
    """Return the bytes of all files of a store."""
    total = 0
    for folder, _, names in os.walk(store):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - faster
    return total


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
