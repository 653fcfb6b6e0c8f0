"""Files of a project and its stores that list restored pages: read, add, undo."""

from __future__ import annotations

from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import data_path

from dedup_middleware.judge.overrides import NAME, Overrides, Restoration, append_restoration
from dedup_middleware.urls import is_url, url_key

__all__ = ["Overrides", "Restoration", "lists_of", "project_list", "restore", "restored_in", "undo"]


def project_list() -> Path:
    """Return the file that applies to all crawls of the project: most stores serve one crawl."""
    return Path(data_path("dedup")) / NAME


def lists_of(store: Path | str | None) -> tuple[Path, ...]:
    """Return the files that a crawl with a store reads; new entries go into the first.

    The first is the project's, unless the store is outside the project: others may use that store.
    A server keeps no such list.
    """
    project = project_list()
    if store is None or is_url(store):
        return (project,)
    own, place = Path(store, NAME), Path(store).resolve()
    if any(place.is_relative_to(home.resolve()) for home in (project.parent, _project())):
        return project, own
    return own, project


def restored_in(store: Path | str | None) -> Overrides:
    """Read the restored pages that apply to crawls with a store."""
    return Overrides.read(*lists_of(store))


def restore(
    store: Path | str | None, url: str, original: str, *, by: str = "", note: str = ""
) -> Restoration | None:
    """Restore a page that was dropped for another; return None if it was restored before.

    The two never match again, and the page is not dropped for any other either. Running crawls
    notice it.
    """
    new, place = Restoration(url, original, by, note), lists_of(store)[0]
    if any(one.pair == new.pair for one in Overrides.read(place).all):
        return None
    return append_restoration(place, new)


def undo(store: Path | str | None, url: str, *, by: str = "", note: str = "") -> list[Restoration]:
    """Undo the restoration of a page; return what was undone."""
    key = url_key(url)
    return [
        append_restoration(path, Restoration(one.url, one.original, by, note), undo=True)
        for path in lists_of(store)
        for one in Overrides.read(path).all
        if one.pair[0] == key
    ]


def _project() -> Path:
    found = closest_scrapy_cfg()
    return Path(found).parent if found else Path.cwd()
