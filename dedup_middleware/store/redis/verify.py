"""Checks of a store on a server: its tables against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware.fingerprint.site import Arrival, SiteCounts, SiteMemory
from dedup_middleware.store import packing
from dedup_middleware.store.checks import (
    UNREADABLE,
    check_counter,
    damage_of,
    is_decision,
    note_withdrawn,
    unpacked_text,
    url_record,
)
from dedup_middleware.store.damage import Damage, Damages, Entry
from dedup_middleware.store.records import UrlRecord

from .connection import pairs
from .layout import NUMBER, parts, unpacked_numbers, unpacked_page
from .postings import ENTRY
from .view import numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dedup_middleware.store.protocol import Step

    from .connection import Server
    from .view import RedisView

_SITES: dict[str, Callable[[bytes], object]] = {
    "sites": SiteMemory.unpack,
    "site_counts": SiteCounts.unpack,
    "arrivals": Arrival.unpack,
}


def verify(server: Server, view: RedisView, step: Step) -> Damages:
    """Check all tables; `step` gets how many more entries were looked at."""
    damages = Damages()
    check = _Check(server, view, damages, step)
    check.runs()
    check.postings()
    check.pages()
    check.outlines()
    check.sites()
    check.urls()
    check.pending()
    check.kept()
    check.decisions()
    return damages


def repair(server: Server, damages: Damages) -> None:
    """Remove what can't be right, and put back what journals have kept."""
    tables = server.tables
    commands: list[tuple[Any, ...]] = []
    for number in (*damages.pages, *damages.missing):
        page = NUMBER.pack(number)
        of_page = ("pages", "outlines", "pending", "recent")
        commands += (("HDEL", tables[table], page) for table in of_page)
        commands.append(("APPEND", tables["gone"], page))
    commands += (("HDEL", tables[table], key) for table, key in damages.entries)
    for number in damages.pending:
        commands.append(("HDEL", tables["pending"], NUMBER.pack(number)))
    for sequence, line in damages.decisions.items():
        packed = packing.pack_line(line)
        commands.append(("HSET", tables["decisions"], NUMBER.pack(sequence), packed))
    for name, number in damages.counters.items():
        commands.append(("HSET", tables["meta"], name, number))
    for some in parts(commands):
        server.calls(some)


class _Check:
    def __init__(self, server: Server, view: RedisView, damages: Damages, step: Step) -> None:
        self._server = server
        self._view = view
        self._found = damages
        self._step = step
        self._numbers: NDArray[np.int64] = np.array(list(view.numbers()), np.int64)
        self._posted: NDArray[np.int64] = np.zeros(0, np.int64)

    def runs(self) -> None:
        readable = self._view.numbered_runs()
        numbers = [NUMBER.unpack(key)[0] for key, _ in self._entries("runs")]
        for number in numbers:
            if number not in readable:
                self._found.add(Damage.RUN, f"run number {number}")
        check_counter(self._found, "run", self._view.counter("run"), max(numbers, default=0))

    def postings(self) -> None:
        """Find postings that lead to no page, and buckets that can't be read."""
        gone = np.array(unpacked_numbers(self._gone()), np.int64)
        posted: list[NDArray[np.int64]] = []
        for key, entries in self._entries("postings"):
            if len(entries) % ENTRY.itemsize:
                self._found.add(Damage.INDEX, f"bucket {key.hex()}")
                continue
            pages = np.unique(np.frombuffer(entries, ENTRY)["page"])
            pages = pages.astype(np.int64)
            pages = pages[pages <= self._view.last_page]  # others have come since
            posted.append(pages)
            missing = pages[~np.isin(pages, self._numbers) & ~np.isin(pages, gone)]
            if len(missing):
                self._found.add(Damage.POSTING, f"a key to page {missing[0]}", len(missing))
                self._found.missing.update(missing.tolist())
        if posted:
            self._posted = np.unique(np.concatenate(posted))

    def pages(self) -> None:
        for numbers in parts(self._numbers.tolist()):
            records, texts = (self._server.many(table, numbers) for table in ("pages", "outlines"))
            for number, record, text in zip(numbers, records, texts, strict=True):
                if record is None:  # withdrawn meanwhile
                    continue
                damage, example = self._page(number, record, text)
                if damage:
                    self._found.add(damage, example)
                    self._found.pages.add(number)
            self._step(len(numbers))

    def _page(self, number: int, data: bytes, text: bytes | None) -> tuple[Damage | None, str]:
        """Return the first thing that is wrong with a page, and an example."""
        try:
            record = unpacked_page(number, data, delivered=True)
        except UNREADABLE:
            return Damage.PAGE, f"page {number}"
        example = f"page {number}, {record.url}"
        return damage_of(record, self._view.url, text), example

    def outlines(self) -> None:
        for key, _ in self._entries("outlines"):
            (number,) = NUMBER.unpack(key)
            if number <= self._view.last_page and not self._exists(number):
                self._found.add(Damage.ORPHAN, f"that of page {number}")
                self._found.entries.append(Entry("outlines", key))

    def sites(self) -> None:
        for table, unpack in _SITES.items():
            for key, data in self._entries(table):
                try:
                    unpack(data)
                except UNREADABLE:
                    self._found.add(Damage.SITE, f"{table} {key.hex()}")
                    self._found.entries.append(Entry(table, key))
                    if table == "sites":
                        self._found.entries.append(Entry("generations", key))

    def urls(self) -> None:
        withdrawn = 0
        for key, data in self._entries("urls"):
            record = url_record(data) or UrlRecord(alias=False, number=0, digest=b"")
            if self._exists(record.number) or record.number > self._view.last_page:
                continue
            if record.alias and record.number:
                withdrawn += 1
                continue
            self._found.add(Damage.URL, f"{key.hex()} to page {record.number}")
            self._found.entries.append(Entry("urls", key))
        note_withdrawn(self._found, withdrawn)

    def pending(self) -> None:
        pending = self._server.call("HGETALL", self._server.tables["pending"])
        for page, _ in pairs(pending):
            (number,) = NUMBER.unpack(page)
            if number <= self._view.last_page and not self._exists(number):
                self._found.add(Damage.PENDING, f"page {number}")
                self._found.pending[number] = False

    def kept(self) -> None:
        for key, data in self._entries("kept"):
            if unpacked_text(data) is None:
                self._found.add(Damage.KEPT, f"that of {key.hex()}")
                self._found.entries.append(Entry("kept", key))

    def decisions(self) -> None:
        last = self._view.last_sequence()
        there = np.zeros(last + 1, bool)
        there[: self._view.first_sequence()] = True  # forgotten
        for key, data in self._entries("decisions"):
            (sequence,) = NUMBER.unpack(key)
            if not is_decision(numbered(packing.unpack_line(data), sequence), sequence):
                self._found.add(Damage.DECISION, f"decision {sequence}")
            if sequence <= last:
                there[sequence] = True
        missing = np.flatnonzero(~there[1:]) + 1
        if len(missing):
            self._found.add(Damage.GAP, f"decision {missing[0]}", len(missing))

    def _entries(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        for entry in self._server.entries(table):
            yield entry
            self._step(1)

    def _gone(self) -> bytes:
        data: bytes = self._server.call("GET", self._server.tables["gone"]) or b""
        return data

    def _exists(self, number: int) -> bool:
        at = np.searchsorted(self._numbers, number)
        return bool(at < len(self._numbers) and self._numbers[at] == number)
