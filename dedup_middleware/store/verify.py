"""Checks of a store: its tables against each other, whatever engine keeps them."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from dedup_middleware.fingerprint.rarity import SiteCounts
from dedup_middleware.fingerprint.scheme import digest_key, text_digest
from dedup_middleware.fingerprint.site import Arrival, SiteMemory
from dedup_middleware.fingerprint.volatile import Revisit, RevisitCounts
from dedup_middleware.urls import url_key

from . import packing
from .books import check_bucket, unpack_book
from .engine import NUMBER
from .hosts import is_of_revisits
from .records import PageRecord, UrlRecord
from .runs import unpacked_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline

    from .engine import Pages
    from .protocol import Step
    from .view import View


class Damage(Enum):
    """Kinds of damage: what is wrong, and what repair does about it (empty: nothing)."""

    PAGE = "records of pages can't be read", "removes the pages, which then pass again"
    TEXT = "texts of pages are missing or can't be unpacked", PAGE[1]
    DIGEST = "texts of pages don't match their digests", PAGE[1]
    ADDRESS = "pages are not listed under their own URL", PAGE[1]
    UNFOUND = "pages can't be found by any look-up key", PAGE[1]
    ORPHAN = "texts belong to no page", "deletes them"
    POSTING = "look-up keys lead to missing pages", "takes them off the index"
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
    missing: set[int] = field(default_factory=set)
    """Pages that only postings know of."""
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
_SITES: dict[str, tuple[Callable[[bytes], object], Callable[[bytes], object]]] = {
    "sites": (SiteMemory.unpack, partial(np.frombuffer, dtype="<u8")),
    "site_counts": (SiteCounts.unpack, RevisitCounts.unpack),
    "site_pages": (NUMBER.unpack, NUMBER.unpack),
    "site_texts": (len, len),
    "arrivals": (Arrival.unpack, Revisit.unpack),
    "site_books": (unpack_book, unpack_book),
    "site_forms": (check_bucket, check_bucket),
}
"""How entries of the log of arrivals of a host are read, and those of its log of revisits."""
_COUNTED = {"run": "runs", "page": "pages", "sequence": "decisions"}
_BATCH, _BATCH_SIZE = 10_000, 1 << 24
_BEYOND = 1 << 24  # how far an undamaged key may be ahead of its counter


def verify(view: View, step: Step) -> Damages:
    """Check all tables; `step` gets how many more entries were looked at."""
    check = _Check(view, step)
    check.runs()
    check.postings()
    check.pages()
    check.outlines()
    check.sites()
    check.urls()
    check.pending()
    check.kept()
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
        self._posted: Pages = np.zeros(0, np.int64)

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

    def postings(self) -> None:
        """Find postings that lead to no page, and parts of the index that can't be read."""
        posted: list[Pages] = []
        for example, pages in self._snapshot.postings(self.found, self._step):
            posted.append(pages)
            missing = pages[~self._exist(pages)]
            missing = missing[~self._snapshot.withdrawn(missing)]
            if len(missing):
                self.found.add(Damage.POSTING, f"{example} to page {missing[0]}", len(missing))
                self.found.missing.update(missing.tolist())
        if posted:
            self._posted = np.unique(np.concatenate(posted))

    def pages(self) -> None:
        for entries in self._batches("pages"):
            texts = self._snapshot.get("outlines", [key for key, _ in entries])
            for (key, data), text in zip(entries, texts, strict=True):
                number = self._number("pages", key)
                damage, example = self._page(number, data, text)
                if damage:
                    self.found.add(damage, example)
                    self.found.pages.add(number)

    def _page(
        self, number: int, data: bytes | None, text: bytes | None
    ) -> tuple[Damage | None, str]:
        """Return the first thing that is wrong with a page, and an example."""
        try:
            record = PageRecord.unpack(number, data or b"")
        except _UNREADABLE:
            return Damage.PAGE, f"page {number}"
        example = f"page {number}, {record.url}"
        known = _url_record(self._snapshot.get("urls", (record.key,))[0])
        own = UrlRecord(alias=False, number=number, digest=record.digest)
        if known != own or url_key(record.url) != record.key:
            return Damage.ADDRESS, example
        outline = _outline(text)
        if outline is None:
            return Damage.TEXT, example
        if text_digest(outline, record.body) != record.digest:
            return Damage.DIGEST, example
        if not _in(self._posted, number) and not self._has_postings(record):
            return Damage.UNFOUND, example
        return None, ""

    def outlines(self) -> None:
        for entries in self._batches("outlines"):
            pages = np.array([self._number("outlines", key) for key, _ in entries], np.int64)
            for at in np.flatnonzero(~self._exist(pages)).tolist():
                if self._came_since(int(pages[at])):
                    continue
                example = f"that of page {pages[at]}"
                self._delete(Damage.ORPHAN, example, "outlines", entries[at][0])

    def sites(self) -> None:
        for table, unpack in _SITES.items():
            for key, data in self._entries(table):
                if data is None or not _is_readable(unpack[is_of_revisits(key)], data):
                    self._delete(Damage.SITE, f"{table} {key.hex()}", table, key)

    def urls(self) -> None:
        withdrawn = 0
        for entries in self._batches("urls"):
            records = [_url_record(data) for _, data in entries]
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

    def kept(self) -> None:
        for key, data in self._entries("redundant"):
            if _outline(data) is None:
                self._delete(Damage.KEPT, f"that of {key.hex()}", "redundant", key)

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

    def _has_postings(self, record: PageRecord) -> bool:
        """Return True if a page is unlisted only because its key leads to so many others."""
        return len(self._snapshot.search(np.array([digest_key(record.digest)], np.uint64))) > 0

    def _exist(self, numbers: Pages) -> NDArray[np.bool_]:
        return np.isin(numbers, self._numbers)

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


def _is_readable(unpack: Callable[[bytes], object], data: bytes) -> bool:
    try:
        unpack(data)
    except _UNREADABLE:
        return False
    return True


def _url_record(data: bytes | None) -> UrlRecord | None:
    """Restore the record of a URL; None if it can't be read."""
    try:
        return UrlRecord.unpack(data or b"")
    except struct.error:
        return None


def _outline(data: bytes | None) -> Outline | None:
    """Restore an outline; None if it can't be read."""
    try:
        outline = packing.unpack(data or b"")
        _ = outline.nodes  # as many kinds, parents and texts as nodes
    except _UNREADABLE:
        return None
    return outline


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
