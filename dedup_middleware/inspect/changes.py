"""What changed from one run to another: for those who keep an index of what was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .decisions import Decision

CHANGES = ("new", "changed", "same", "removed")
MOVED = "moved"
_SAME = frozenset({Kind.EXACT, Kind.NEAR, Kind.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a page from one run to another."""

    change: str
    """One of CHANGES."""
    url: str
    """Where the page is now; if it was removed, where it was."""
    other: str | None = None
    """Where it was before it moved; of one that was removed, the page that it now repeats."""
    share: float | None = None
    """How much of the main text of a changed page is new or gone."""
    classes: tuple[str, ...] = ()
    """Of what classes that is."""

    @property
    def label(self) -> str:
        """What people read: a page that is the same at another URL has moved."""
        return MOVED if self.change == "same" and self.other else self.change


def changes(
    before: Iterable[Decision], after: Iterable[Decision], *, with_same: bool = False
) -> list[Change]:
    """List what is new, changed, moved or removed from one run to another, or also the same.

    Only pages count that are in an index of what was delivered: copies were never there. A page
    has moved if it was not seen again, but an equal or near one was, which was not there before.
    """
    first, second = _Run(before), _Run(after)
    moved = {
        origin: key
        for origin, key in second.stand_ins.items()
        if origin in first.pages and key not in first.pages
    }
    targets = {*moved.values()}
    found = []
    for key in first.pages.keys() | second.pages.keys():
        was, now = first.pages.get(key), second.pages.get(key)
        if was and key in moved:
            found.append(Change("same", second.pages[moved[key]].url, was.url))
        elif was and not now:
            seen = second.seen.get(key)
            found.append(Change("removed", was.url, seen.original if seen else None))
        elif now and not was and key not in targets:
            found.append(Change("new", now.url))
        elif was and now and now.verdict == Kind.UPDATED:
            classes = tuple(now.change_classes)
            found.append(Change("changed", now.url, share=now.changed, classes=classes))
        elif was and now and with_same and key not in targets:
            found.append(Change("same", now.url))
    return sorted(found, key=lambda one: (CHANGES.index(one.change), one.url))


class _Run:
    """What a run has seen, and what of it is in an index, by keys of URLs."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self.seen = {url_key(one.url): one for one in decisions}
        self.stand_ins: dict[bytes, bytes] = {}
        """Of pages that were not seen themselves, the first URL that shows the same."""
        self.pages: dict[bytes, Decision] = {}
        for key, one in sorted(self.seen.items(), key=lambda pair: pair[1].url):
            origin = url_key(one.original) if one.original else key
            if one.action != Action.DROP or origin == key:
                self.pages[key] = one
            elif one.verdict in _SAME and not (origin in self.seen or origin in self.stand_ins):
                self.stand_ins[origin] = key
                self.pages[key] = one
