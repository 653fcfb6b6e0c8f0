"""Changing one's mind about a drop: where that is kept, and how it is taken back."""

from __future__ import annotations

from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import data_path

from dedup_middleware.judge.overrides import NAME, Overrides, Restoration, append_restoration

__all__ = ["Overrides", "Restoration", "lists_of", "project_list", "restore", "restored_in", "undo"]


def project_list() -> Path:
    """Name the file that holds for all crawls of the project: most stores live for one crawl."""
    return Path(data_path("dedup")) / NAME


def lists_of(store: Path | None) -> tuple[Path, ...]:
    """Name the files that a crawl over a store heeds; what is restored goes into the first.

    That is the project's, but for a store that lies outside: others may use that one.
    """
    project = project_list()
    if store is None:
        return (project,)
    own = store / NAME
    place = store.resolve()
    if any(place.is_relative_to(home.resolve()) for home in (project.parent, _project())):
        return project, own
    return own, project


def restored_in(store: Path | None) -> Overrides:
    """Read what holds for crawls over a store."""
    return Overrides.read(*lists_of(store))


def restore(
    store: Path | None, url: str, original: str, *, by: str = "", note: str = ""
) -> Restoration | None:
    """Tell a page apart from the one that it was dropped for; None if that was done before.

    The two never match again, and the page is dropped for no other. Crawls that run hear of it.
    """
    new, place = Restoration(url, original, by, note), lists_of(store)[0]
    if any(one.pair == new.pair for one in Overrides.read(place).all):
        return None
    return append_restoration(place, new)


def undo(
    store: Path | None, url: str, original: str | None = None, *, by: str = "", note: str = ""
) -> list[Restoration]:
    """Take back that a page was restored; give what is thereby undone, in favour of which page."""
    wanted = Restoration(url, original or url).pair
    return [
        append_restoration(path, Restoration(one.url, one.original, by, note), undo=True)
        for path in lists_of(store)
        for one in Overrides.read(path).all
        if one.pair[0] == wanted[0] and (original is None or one.pair[1] == wanted[1])
    ]


def _project() -> Path:
    found = closest_scrapy_cfg()
    return Path(found).parent if found else Path.cwd()
