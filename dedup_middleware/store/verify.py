"""Checks of a store: its tables against each other, whatever engine keeps them."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import zstandard

from dedup_middleware.fingerprint.rarity import SiteCounts
from dedup_middleware.fingerprint.scheme import digest_key, text_digest
from dedup_middleware.fingerprint.site import Arrival, SiteMemory
from dedup_middleware.fingerprint.volatile import Revisit, RevisitCounts
from dedup_middleware.urls import url_key

from . import packing
from .engine import NUMBER, TABLES
from .hosts import count_forms, is_of_revisits, unpack_book
from .packing import PageRecord, UrlRecord
from .runs import unpacked_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline

    from .engine import Pages, Step
    from .view import View


class Damage(Enum):
    """Kinds of damage: what is wrong, and what repair does about it (empty: nothing)."""

    PAGE = "records of pages can't be read", "removes the pages, which then pass again"
    TEXT = "texts of pages are missing or can't be unpacked", PAGE[1]
    DIGEST = "texts of pages don't match their digests", PAGE[1]
    ADDRESS = "pages are not listed under their own URL", PAGE[1]
    UNFOUND = "pages can't be found by any look-up key", PAGE[1]
    ORPHAN = "texts belong to no page", "deletes them"
    INDEX = "parts of the index can't be read", ""
    URL = "records of URLs can't be read, or lead to pages that never were", "deletes them"
    KEY = "keys of tables are of another kind", "deletes the entries"
    PENDING = "marks of pending pages contradict the records", "deletes the marks"
    SITE = "what was learned of hosts can't be read", "deletes it, to be learned again"
    KEPT = "texts kept of dropped pages can't be unpacked", "deletes them"
    RUN = "records of runs can't be read or lack a number", ""
    COUNTER = "counters are lower than the numbers in use", "corrects them"
    DECISION = (
        "decisions can't be read, or are stored under another number",
        "restores those that journals have",
    )
    GAP = "decisions are missing between others", DECISION[1]

    @property
    def description(self) -> str:
        return self.value[0]

    @property
    def repair(self) -> str:
        return self.value[1]


@dataclass(slots=True)
class Finding:
    """All cases of one kind of damage."""

    damage: Damage
    example: str
    count: int = 0


@dataclass(slots=True)
class Damages:
    """What a check has found, and what repair has to do."""

    found: dict[Damage, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What is unusual, but no damage."""
    pages: set[int] = field(default_factory=set)
    """Pages to remove."""
    entries: dict[tuple[str, bytes], None] = field(default_factory=dict)
    """Tables and keys of entries to delete."""
    counters: dict[str, int] = field(default_factory=dict)
    decisions: dict[int, bytes] = field(default_factory=dict)
    """Lines that the store has lost and journals have."""

    def add(self, damage: Damage, example: str, count: int = 1) -> None:
        self.found.setdefault(damage, Finding(damage, example)).count += count

    @property
    def repairable(self) -> bool:
        lost = {Damage.DECISION, Damage.GAP}
        return bool(self.decisions) or any(one.repair for one in {*self.found} - lost)


_UNREADABLE = (struct.error, zstandard.ZstdError, ValueError, IndexError, OverflowError)
_T = TypeVar("_T")
_COUNTED = {"run": "runs", "page": "pages", "sequence": "decisions"}
_BATCH, _BATCH_SIZE = 10_000, 1 << 24
_BEYOND = 1 << 24  # how far an undamaged key may be ahead of its counter


def verify(view: View, step: Step) -> Damages:
    """Check all tables; `step` gets how many more entries were looked at."""
    check = _Check(view, step)
    check.runs()
    check.index()
    check.pages()
    check.outlines()
    check.values()
    check.urls()
    check.pending()
    check.decisions()
    return check.found


class _Check:
    def __init__(self, view: View, step: Step) -> None:
        self._view = view
        self._snapshot = view.snapshot
        self._step = step
        self.found = Damages()
        numbers = [self._number("pages", key) for key, _ in self._snapshot.scan("pages")]
        self._numbers: Pages = np.unique(np.array([n for n in numbers if n], np.int64))

    def runs(self) -> None:
        highest = 0
        for key, data in self._snapshot.scan("runs"):
            number = self._number("runs", key)
            if not unpacked_run(data or b"") or number != highest + 1:
                self.found.add(Damage.RUN, f"run number {number}")
            highest = max(highest, number)
        self._counter("run", self._view.counter(b"run"), highest)
        last = int(self._numbers[-1]) if len(self._numbers) else 0
        self._counter("page", self._view.last_page, last)

    def index(self) -> None:
        """Find parts of the index that can't be read; what they held is missed by `pages`."""
        for example in self._snapshot.unreadable_index():
            self.found.add(Damage.INDEX, example)
        sizes = self._snapshot.sizes()
        self._step(sum(sizes[name].entries for name in sizes.keys() - TABLES))

    def pages(self) -> None:
        for entries in self._batches("pages"):
            texts = self._snapshot.get("outlines", [key for key, _ in entries])
            sound: list[PageRecord] = []
            for (key, data), text in zip(entries, texts, strict=True):
                number = self._number("pages", key)
                record = _restored(partial(PageRecord.unpack, number), data)
                damage = self._damage_of(record, text) if record else Damage.PAGE
                if record and not damage:
                    sound.append(record)
                elif damage:
                    self._remove(damage, number, record)
            for record in self._unfound(sound):
                self._remove(Damage.UNFOUND, record.number, record)

    def _damage_of(self, record: PageRecord, text: bytes | None) -> Damage | None:
        """Return the first thing that is wrong with a page that can be read."""
        known = _restored(UrlRecord.unpack, self._snapshot.get("urls", (record.key,))[0])
        own = UrlRecord(alias=False, number=record.number, digest=record.digest)
        if known != own or url_key(record.url) != record.key:
            return Damage.ADDRESS
        outline = _restored(_outline, text)
        if outline is None:
            return Damage.TEXT
        is_same = text_digest(outline, record.body) == record.digest
        return None if is_same else Damage.DIGEST

    def _unfound(self, records: Sequence[PageRecord]) -> Iterator[PageRecord]:
        """Yield the pages of whose text a search finds none.

        It need not find the page itself: a key that leads to many pages takes no more.
        """
        digests = np.array([digest_key(record.digest) for record in records], np.uint64)
        keys, places = np.unique(digests, return_inverse=True)
        found = np.unique(self._snapshot.search(keys)[:, 0]) if len(keys) else keys
        for at in np.flatnonzero(~np.isin(places, found)).tolist():
            if records[at].number <= self._view.last_page:
                yield records[at]

    def outlines(self) -> None:
        for entries in self._batches("outlines"):
            pages = np.array([self._number("outlines", key) for key, _ in entries], np.int64)
            for at in np.flatnonzero(~self._exist(pages)).tolist():
                if self._came_since(int(pages[at])):
                    continue
                example = f"that of page {pages[at]}"
                self._delete(Damage.ORPHAN, example, "outlines", entries[at][0])

    def values(self) -> None:
        for table, (damage, *unpack) in _VALUES.items():
            for key, data in self._entries(table):
                if data is None or _restored(unpack[is_of_revisits(key)], data) is None:
                    self._delete(damage, f"{table} {key.hex()}", table, key)

    def urls(self) -> None:
        withdrawn = 0
        for entries in self._batches("urls"):
            records = [_restored(UrlRecord.unpack, data) for _, data in entries]
            numbers = np.array([one.number if one else -1 for one in records], np.int64)
            there = self._exist(numbers)
            for at in np.flatnonzero(~there).tolist():
                one, key = records[at], entries[at][0]
                if one and one.alias and 0 < one.number <= self._view.last_page:
                    withdrawn += 1
                elif not (one and self._came_since(one.number)):
                    example = f"{key.hex()} to page {numbers[at]}"
                    self._delete(Damage.URL, example, "urls", key)
        if withdrawn:
            self.found.notes.append(
                f"{withdrawn:,} URLs repeat pages that were withdrawn since; they pass when they "
                "are seen again"
            )

    def pending(self) -> None:
        for key, data in self._snapshot.scan("pending"):
            number = self._number("pending", key)
            is_there = _in(self._numbers, number) or self._came_since(number)
            if data is None or not is_there:
                self._delete(Damage.PENDING, f"page {number}", "pending", key)

    def decisions(self) -> None:
        last, counter = self._view.first_sequence() - 1, self._view.last_sequence()
        for key, data in self._entries("decisions"):
            sequence = self._number("decisions", key)
            line = packing.numbered(packing.unpack_line(data or b""), sequence)
            if sequence > counter + _BEYOND or not _is_decision(line, sequence):
                self.found.add(Damage.DECISION, f"decision {sequence}")
            if sequence > counter + _BEYOND:
                continue
            if sequence > last + 1:
                self.found.add(Damage.GAP, f"before decision {sequence}", sequence - last - 1)
            last = max(last, sequence)
        self._counter("sequence", counter, last)

    def _counter(self, name: str, counter: int, highest: int) -> None:
        """Note a counter that is behind what it has counted."""
        if counter < highest:
            self.found.add(Damage.COUNTER, f"that of {_COUNTED[name]}")
            self.found.counters[name] = highest

    def _number(self, table: str, key: bytes) -> int:
        """Return the number that a key is; 0, and the entry is to be deleted, if it is none."""
        if len(key) == NUMBER.size:
            return int.from_bytes(key, "big")
        if (table, key) not in self.found.entries:
            self._delete(Damage.KEY, f"{key.hex()} in {table}", table, key)
        return 0

    def _came_since(self, number: int) -> bool:
        """Return True for a page that has come since the view, which some engines show."""
        if number <= self._view.last_page:
            return False
        return self._snapshot.get("pages", (NUMBER.pack(number),))[0] is not None

    def _exist(self, numbers: Pages) -> NDArray[np.bool_]:
        return np.isin(numbers, self._numbers)

    def _remove(self, damage: Damage, number: int, record: PageRecord | None) -> None:
        """Note damage that repair ends by forgetting a page."""
        self.found.add(damage, f"page {number}, {record.url}" if record else f"page {number}")
        self.found.pages.add(number)

    def _delete(self, damage: Damage, example: str, table: str, key: bytes) -> None:
        """Note damage that repair ends by deleting an entry."""
        self.found.add(damage, example)
        self.found.entries[table, key] = None

    def _entries(self, table: str) -> Iterator[tuple[bytes, bytes | None]]:
        for entries in self._batches(table):
            yield from entries

    def _batches(self, table: str) -> Iterator[list[tuple[bytes, bytes | None]]]:
        """Yield some entries at a time, to look up together what they need."""
        batch: list[tuple[bytes, bytes | None]] = []
        size = 0
        for entry in self._snapshot.scan(table):
            batch.append(entry)
            size += len(entry[1] or b"")
            if len(batch) == _BATCH or size > _BATCH_SIZE:
                yield batch
                self._step(len(batch))
                batch, size = [], 0
        yield batch
        self._step(len(batch))


def _in(numbers: Pages, number: int) -> bool:
    """Return True if a number is among ascending ones."""
    at = np.searchsorted(numbers, number)
    return bool(at < len(numbers) and numbers[at] == number)


def _restored(unpack: Callable[[bytes], _T], data: bytes | None) -> _T | None:
    """Restore a value; None if it can't be read."""
    try:
        return unpack(data or b"")
    except _UNREADABLE:
        return None


def _outline(data: bytes) -> Outline:
    outline = packing.unpack(data)
    _ = outline.nodes  # as many kinds, parents and texts as nodes
    return outline


_VALUES: dict[str, tuple[Damage, Callable[[bytes], object], Callable[[bytes], object]]] = {
    "sites": (Damage.SITE, SiteMemory.unpack, partial(np.frombuffer, dtype="<u8")),
    "site_counts": (Damage.SITE, SiteCounts.unpack, RevisitCounts.unpack),
    "site_pages": (Damage.SITE, NUMBER.unpack, NUMBER.unpack),
    "site_texts": (Damage.SITE, len, len),
    "arrivals": (Damage.SITE, Arrival.unpack, Revisit.unpack),
    "site_books": (Damage.SITE, unpack_book, unpack_book),
    "site_forms": (Damage.SITE, count_forms, count_forms),
    "redundant": (Damage.KEPT, _outline, _outline),
}
"""How entries are read: those of hosts and URLs, and those of a host's log of revisits."""


def _is_decision(line: bytes, sequence: int) -> bool:
    """Return True for the line of a journal that has a number."""
    try:
        entry = json.loads(line)
        # a request that was skipped has a rule in place of a verdict
        names = ("url", "verdict" if entry["verdict"] is not None else "rule", "action")
        texts = [entry[name] for name in names]
        return entry["seq"] == sequence and all(isinstance(text, str) for text in texts)
    except (*_UNREADABLE, TypeError, LookupError, RecursionError):
        return False
