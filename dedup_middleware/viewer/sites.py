"""The section of the report on whole sites: what need not be fetched, and why."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.sites import Top, found_on, sites_in, tally_of

from .rows import LONGEST_URL

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dedup_middleware.inspect.sites import Found

MOST_FOUND, MOST_SHAPES = 30, 12
"""Rules, mirrors and walls, and shapes of URLs, that are shown."""


def sites_section(store: Path | str | None, runs: Iterable[str]) -> dict[str, Any]:
    """Return what a store knows of sites, and what that saved some runs, ready for JSON.

    Of shapes, only those are shown whose pages were redundant or that are traps. Nothing is shown
    without a store, or if it can't be opened, which others warn about.
    """
    shapes, others, lines = Top(MOST_SHAPES, _useless), Top(MOST_FOUND), []
    with suppress(StoreError):
        for one in (one for site in (sites_in(store) if store else ()) for one in found_on(site)):
            if one.what != "shape":
                others.add(one)
            elif _useless(one):
                shapes.add(one)
        lines = [*tally_of(store, runs).lines()] if store else []
    counts = ("fetched", "new", "redundant", "left")
    return {
        "lines": lines,
        "shapes": [{name: one.facts[name] for name in counts} | _shown(one) for one in shapes],
        "found": [*map(_shown, others)],
        "more": [shapes.more, others.more],
    }


def _useless(shape: Found) -> int:
    """Return how many pages of a shape brought nothing new: all of a trap, but for digits."""
    return int(shape.facts["fetched" if shape.facts["left"] else "redundant"])


def _shown(one: Found) -> dict[str, Any]:
    return {
        "what": one.what,
        "name": one.name[:LONGEST_URL],
        "about": one.about,
        "sign": one.sign,
        "examples": [url[:LONGEST_URL] for url in one.examples],
    }
