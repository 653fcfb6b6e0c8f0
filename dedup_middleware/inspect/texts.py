"""Texts of pages, as far as a store still has them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import without
from dedup_middleware.similarity.sentences import sentences_of
from dedup_middleware.store import open_reader
from dedup_middleware.urls import host_key, url_key

if TYPE_CHECKING:
    from pathlib import Path

    from dedup_middleware.read import Outline


class Texts(AbstractContextManager["Texts"]):
    """The texts of a store, looked up by URL; the store stays as it is."""

    def __init__(self, store: Path | str, map_size: int = 1 << 40) -> None:
        self._store = open_reader(store, map_size=map_size)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def outline(self, url: str) -> Outline | None:
        """Return what a URL showed last; None if the store does not have it (any more).

        Of exact copies that is the text of their original, and its title.
        """
        with self._store.snapshot() as view:  # a short one: the store may be in use
            return view.last_text(url_key(url))

    def own(self, url: str) -> Outline | None:
        """Return the same page with what its host repeats marked, as far as that is known now."""
        outline = self.outline(url)
        return self.on_host(outline, url) if outline else None

    def on_host(self, outline: Outline, url: str) -> Outline:
        """Return a page at a URL with what its host repeats marked."""
        with self._store.snapshot() as view:
            return without(outline, view.host(host_key(url)))

    def title(self, url: str) -> str | None:
        """Return the title of a page; None if it is not kept, as that of an exact copy."""
        with self._store.snapshot() as view:
            outline = view.last_text(url_key(url), own=True)
        return outline.title if outline else None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two pages differ: a sentence of each, None where it has none there."""

    first: str | None
    second: str | None


def first_difference(first: Outline, second: Outline) -> Difference | None:
    """Return the first sentence of two pages that differs; None if there is none.

    The main text is looked at first, then the rest.

    >>> from dedup_middleware import Page
    >>> from dedup_middleware.read import read
    >>> texts = "Tides turn. Boats swing. Dogs bark.", "Tides turn. Dogs bark. Nobody sleeps."
    >>> first_difference(*(read(Page(url="", text=text)) for text in texts))
    Difference(first='Boats swing.', second=None)
    """
    sides = [[text for _, text in sentences_of(page)] for page in (first, second)]
    if sides[0] == sides[1]:
        sides = [[text for text in page.texts if text] for page in (first, second)]
    one, other = sides
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    if at == len(one) == len(other):
        return None
    here, there = ((*side[at:], None)[0] for side in sides)
    if here is not None and there is not None:  # what the other has too is not what differs
        new = here not in set(other[at:]), there not in set(one[at:])
        if new == (True, False):
            there = None
        elif new == (False, True):
            here = None
    return Difference(here, there)
