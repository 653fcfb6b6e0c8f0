"""What changed from one run to another: for those who keep an index of what was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.urls import url_key
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .decisions import Decision

CHANGES = ("appeared", "changed", "moved", "removed")
_COPIES = frozenset({Kind.EXACT, Kind.NEAR})


@dataclass(frozen=True, slots=True)
class Change:
    """Something that one run found otherwise than an earlier one."""

    change: str
    """One of CHANGES."""
    url: str
    """Where the page is now; if it was removed, where it was."""
    other: str | None = None
    """Where it was before it moved; of one that was removed, the page that it now repeats."""


def changes(before: Iterable[Decision], after: Iterable[Decision]) -> list[Change]:
    """List what appeared, changed, moved or was removed between two runs.

    Only pages count that are in an index of what was delivered: copies were never there. A page
    has moved if it was not seen again, but an equal or near one was found at a new URL.
    """
    first = {url_key(one.url): one for one in before}
    second = {url_key(one.url): one for one in after}
    moved = dict(_moves(first, second))
    targets = {*moved.values()}
    found = []
    for key in first.keys() | second.keys():
        was, now = first.get(key), second.get(key)
        was_there = was is not None and _is_delivered(was)
        is_there = now is not None and _is_delivered(now)
        if was and key in moved:
            found.append(Change("moved", second[moved[key]].url, was.url))
        elif was and was_there and not is_there:
            found.append(Change("removed", was.url, now.original if now else None))
        elif now and is_there and not was_there and key not in targets:
            found.append(Change("appeared", now.url))
        elif now and was_there and now.verdict == Kind.UPDATED:
            found.append(Change("changed", now.url))
    return sorted(found, key=lambda one: (CHANGES.index(one.change), one.url))


def _moves(
    first: Mapping[bytes, Decision], second: Mapping[bytes, Decision]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield where a page was that was not seen again, and a new URL that shows it."""
    for key, now in second.items():
        if key not in first and now.original and now.verdict in _COPIES:
            origin = url_key(now.original)
            if origin in first and origin not in second and _is_delivered(first[origin]):
                yield origin, key


def _is_delivered(decision: Decision) -> bool:
    """Return True if a page was delivered, now or by an earlier run."""
    if decision.action != Action.DROP:
        return True
    own = decision.original and url_key(decision.original) == url_key(decision.url)
    return decision.verdict == Kind.UNCHANGED and bool(own)
