"""What a store forgets: pages that were not seen for long, and those of a host, a URL."""

from __future__ import annotations

import json
import time
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dedup_middleware.urls import host_of, is_within, url_key

from .engine import portions
from .hosts import books

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from .packing import PageRecord
    from .reader import Reader
    from .runs import Run
    from .view import View

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Expiry:
    """How long is kept what a store knows; 0 is without an end."""

    days: float = 0.0
    """Since a page was last seen."""
    runs: int = 0
    """Runs that succeeded and did not see a page."""
    size: int = 0
    """Of all tables, in bytes."""

    @property
    def is_set(self) -> bool:
        return bool(self.days or self.runs or self.size)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much was forgotten, or would be."""

    pages: int = 0
    copies: int = 0
    """URLs that showed what a forgotten page shows."""
    decisions: int = 0
    journals: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten."""

    pages: frozenset[int] = frozenset()
    urls: frozenset[bytes] = frozenset()
    """Keys of URLs; of those that are copies nothing else is known."""
    decisions: int = 0
    """All up to this number."""
    journals: frozenset[str] = frozenset()
    """Runs of which no decision is left."""
    books: frozenset[bytes] = frozenset()
    """Keys of the books of hosts."""


def older_than(view: View, before: float) -> Selection:
    """Choose pages and hosts last seen before a time, and decisions of runs that had ended."""
    pages = frozenset(page.number for page in _records(view) if page.last_seen < before)
    runs = view.runs()
    old = _ended_before(runs, before)
    unseen = frozenset(key for key, book in books(view.snapshot) if book.get("seen", 0) < before)
    decisions = _decisions_of(view, runs, old)
    return Selection(pages, decisions=decisions, journals=old, books=unseen)


def at_urls(urls: Iterable[str]) -> Selection:
    return Selection(urls=frozenset(map(url_key, urls)))


def of_host(view: View, host: str) -> Selection:
    """Choose what is known of a host and its sub-domains, and the copies that decisions tell of."""
    urls = [page.url for page in _records(view)]
    urls += (json.loads(line)["url"] for line in view.decisions() if line)
    chosen = at_urls(url for url in urls if is_within(host_of(url), host))
    bare = host.removeprefix("www.")  # a book is about a host with and without it
    known = (key for key, book in books(view.snapshot) if is_within(book["host"], bare))
    return replace(chosen, books=frozenset(known))


def expired(view: View, expiry: Expiry, now: float | None = None) -> Selection:
    """Choose what is kept no longer."""
    limits = [0.0]
    if expiry.days:
        limits.append((time.time() if now is None else now) - expiry.days * DAY)
    if expiry.runs:
        good = [run["started"] for run in view.runs() if run.get("succeeded")]
        limits += good[-expiry.runs :][:1] if len(good) > expiry.runs else ()
    if expiry.size:
        limits.append(_fitting(view, expiry.size))
    return older_than(view, max(limits)) if max(limits) else Selection()


def forget_expired(store: Reader, expiry: Expiry) -> Forgotten:
    with store.snapshot() as view:
        chosen = expired(view, expiry)
    return store.forget(chosen)


def pages_and_copies(view: View, chosen: Selection) -> tuple[list[int], list[bytes]]:
    """Return the pages that are chosen, and the URLs that show what one of them shows."""
    records = {key: view.url(key) for key in chosen.urls}
    own = {one.number for one in records.values() if one and not one.alias}
    pages = {one.number for one in view.records(chosen.pages | own)}
    copies = [
        key
        for key, known in view.url_records()
        if known.alias and (known.number in pages or key in chosen.urls)
    ]
    return sorted(pages), copies


def _fitting(view: View, size: int) -> float:
    """Return the start of the oldest run that can stay with all that follow; 0 if all can."""
    tables = view.sizes()
    total = sum(table.size for table in tables.values())
    seen = sorted(page.last_seen for page in _records(view))
    if total <= size or not seen:
        return 0.0
    entries, decided = tables["decisions"]
    of_decision, of_page = decided / max(entries, 1), (total - decided) / len(seen)
    runs = view.runs()
    starts = sorted(run["started"] for run in runs)
    for start in starts:
        decisions = view.last_sequence() - _decisions_of(view, runs, _ended_before(runs, start))
        pages = len(seen) - bisect_left(seen, start)
        if of_decision * decisions + of_page * pages <= size:
            return start
    return starts[-1]


def _decisions_of(view: View, runs: Sequence[Run], old: Container[str]) -> int:
    """Return up to which number decisions are of old runs."""
    kept = [run.get("last_sequence", 0) for run in runs if run["run"] not in old]
    return min(kept, default=view.last_sequence())


def _ended_before(runs: Sequence[Run], before: float) -> frozenset[str]:
    """Return the runs that had ended before a time, and before any other run began that stays."""
    while True:
        stay = [run for run in runs if not run.get("finished", before) < before]
        begin = min((run["started"] for run in stay), default=before)
        if begin >= before:
            names = {run["run"] for run in stay}
            return frozenset(run["run"] for run in runs if run["run"] not in names)
        before = begin


def _records(view: View) -> Iterator[PageRecord]:
    for numbers in portions(list(view.numbers())):
        yield from view.records(numbers)
