"""Checks of an LMDB store: its tables against each other."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.fingerprint.keys import digest_key
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
from dedup_middleware.store.records import PageRecord

from .layout import NUMBER_KEY, PART_KEY, SEQUENCE_KEY, unsealed
from .recent import unpacked
from .sorted_runs import pages_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from dedup_middleware.store.protocol import Step

    from .view import View

_WALK = "import sys; from dedup_middleware.store.lmdb.verify import walk; walk(sys.argv[1])"
_BATCH, _BATCH_SIZE = 100_000, 1 << 24
_URL_KEY = 16  # bytes
_BEYOND = 1 << 24  # how far an undamaged key may be ahead of its counter


def check_file(path: Path) -> None:
    """Read the whole file in a process of its own: damaged pages may end it."""
    command = [sys.executable, "-c", _WALK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - own program
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise StoreError(
            f"{path / 'data.mdb'} is damaged, or shorter than it was: reading it ends with {name}. "
            f"It can't be repaired. Start a new store; the journals in {path / 'journal'} are "
            "still good: name them with --journal"
        )
    if done.returncode:
        raise StoreError(done.stderr.strip() or f"{path} can't be read")


def walk(path: str) -> None:
    """Go through every entry; end the process with 1 and the reason if there is an error."""
    from .store import LmdbReader

    try:
        with LmdbReader(path) as store, store.snapshot() as view:
            for name in view.sizes():
                for _ in view.raw_entries(name):
                    pass
    except DedupError as error:
        sys.exit(str(error))


def verify(view: View, step: Step) -> Damages:
    """Check all tables; `step` gets how many more entries were looked at."""
    damages = Damages()
    check = _Check(view, damages, step)
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


class _Check:
    def __init__(self, view: View, damages: Damages, step: Step) -> None:
        self._view = view
        self._found = damages
        self._step = step
        self._numbers: NDArray[np.int64] = np.array(
            [NUMBER_KEY.unpack(key)[0] for key, _ in view.raw_entries("pages")], np.int64
        )
        self._posted: NDArray[np.int64] = np.zeros(0, np.int64)

    def runs(self) -> None:
        highest, readable = 0, self._view.numbered_runs()
        for key, _ in self._view.raw_entries("runs"):
            (number,) = NUMBER_KEY.unpack(key)
            if number not in readable or number != highest + 1:
                self._found.add(Damage.RUN, f"run number {number}")
            highest = number
        check_counter(self._found, "run", self._view.counter("run"), highest)
        last = int(self._numbers[-1]) if len(self._numbers) else 0
        check_counter(self._found, "page", self._view.counter("page"), last)

    def postings(self) -> None:
        """Find postings that lead to no page, and parts of runs that can't be read."""
        posted: list[NDArray[np.int64]] = []
        for example, pages in self._posted_pages():
            posted.append(pages)
            missing = pages[~self._exist(pages)]
            missing = missing[~self._view.is_gone(missing)]
            if len(missing):
                self._found.add(Damage.POSTING, f"{example} to page {missing[0]}", len(missing))
                self._found.missing.update(missing.tolist())
        if posted:
            self._posted = np.unique(np.concatenate(posted))

    def _posted_pages(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield the pages of each list of postings, each once."""
        for key, data in self._view.raw_entries("recent"):
            value = unsealed(key, data)
            if value is None:
                self._found.add(Damage.INDEX, f"that of pages up to {NUMBER_KEY.unpack(key)[0]}")
            else:
                yield "a recent key", np.unique(unpacked(value)[1])
            self._step(1)
        manifest = self._view.manifest
        needed = {(run.number, part) for run in manifest.runs for part in range(run.parts)}
        runs = {run.number: run for run in manifest.runs}
        for key, data in self._view.raw_entries("postings"):
            part = PART_KEY.unpack(key)
            value = unsealed(key, data)
            pages = None if value is None else pages_of(value, runs.get(part[0]))
            if pages is None:
                self._found.add(Damage.INDEX, f"part {part[1]} of run {part[0]}")
            elif part in needed:
                yield f"a key of run {part[0]}", pages
            needed.discard(part)
            self._step(1)
        for number, missing in needed:
            self._found.add(Damage.INDEX, f"part {missing} of run {number}, which is missing")

    def pages(self) -> None:
        for entries in _batches(self._view.raw_entries("pages"), self._step):
            for key, data in entries:
                (number,) = NUMBER_KEY.unpack(key)
                damage, example = self._page(number, key, unsealed(key, data))
                if damage:
                    self._found.add(damage, example)
                    self._found.pages.add(number)

    def _page(self, number: int, key: bytes, value: bytes | None) -> tuple[Damage | None, str]:
        """Return the first thing that is wrong with a page, and an example."""
        try:
            record = PageRecord.unpack(number, value or b"")
        except UNREADABLE:
            return Damage.PAGE, f"page {number}"
        example = f"page {number}, {record.url}"
        damage = damage_of(record, self._view.url, self._view.long_entry("outlines", key))
        if damage:
            return damage, example
        if not _in(self._posted, number) and not self._has_postings(record):
            return Damage.UNFOUND, example
        if (self._view.entry("pending", key) is not None) is record.delivered:
            self._found.add(Damage.PENDING, example)
            self._found.pending[number] = not record.delivered
        return None, ""

    def outlines(self) -> None:
        for entries in _batches(self._view.raw_entries("outlines"), self._step):
            pages = np.array([NUMBER_KEY.unpack_from(key)[0] for key, _ in entries], np.int64)
            for at in np.flatnonzero(~self._exist(pages)).tolist():
                self._found.add(Damage.ORPHAN, f"that of page {pages[at]}")
                self._found.entries.append(Entry("outlines", entries[at][0]))

    def sites(self) -> None:
        for table in ("sites", "site_counts", "site_pages", "arrivals", "gone"):
            for key, data in self._view.raw_entries(table):
                if unsealed(key, data) is None:
                    self._found.add(Damage.SITE, f"{table} {key.hex()}")
                    self._found.entries.append(Entry(table, key))
                self._step(1)

    def urls(self) -> None:
        given_out = self._view.counter("page")
        withdrawn = 0
        for entries in _batches(self._view.raw_entries("urls"), self._step):
            records = [url_record(unsealed(*entry)) for entry in entries]
            numbers = np.array([one.number if one else -1 for one in records], np.int64)
            for at in np.flatnonzero(~self._exist(numbers)).tolist():
                one, key = records[at], entries[at][0]
                if one and one.alias and one.number <= given_out:
                    withdrawn += 1
                    continue
                self._found.add(Damage.URL, f"{key.hex()} to page {numbers[at]}")
                self._found.entries.append(Entry("urls", key))
        note_withdrawn(self._found, withdrawn)

    def pending(self) -> None:
        for key, data in self._view.raw_entries("pending"):
            (number,) = NUMBER_KEY.unpack(key)
            if not _in(self._numbers, number) or unsealed(key, data) is None:
                self._found.add(Damage.PENDING, f"page {number}")
                self._found.pending[number] = False

    def kept(self) -> None:
        for key in {key[:_URL_KEY] for key, _ in self._view.raw_entries("redundant")}:
            if unpacked_text(self._view.long_entry("redundant", key) or b"") is None:
                self._found.add(Damage.KEPT, f"that of {key.hex()}")
                self._found.entries += (
                    Entry("redundant", piece)
                    for piece, _ in self._view.raw_entries("redundant", key)
                    if piece.startswith(key)
                )
            self._step(1)

    def decisions(self) -> None:
        last, most = self._view.first_sequence() - 1, self._view.counter("sequence") + _BEYOND
        for entries in _batches(self._view.raw_entries("decisions"), self._step):
            for key, data in entries:
                (sequence,) = SEQUENCE_KEY.unpack(key)
                if sequence > most or not is_decision(
                    packing.unpack_line(unsealed(key, data) or b""), sequence
                ):
                    self._found.add(Damage.DECISION, f"decision {sequence}")
                if sequence > most:
                    continue
                if sequence > last + 1:
                    self._found.add(Damage.GAP, f"before decision {sequence}", sequence - last - 1)
                last = sequence
        check_counter(self._found, "sequence", self._view.counter("sequence"), last)

    def _has_postings(self, record: PageRecord) -> bool:
        """Return True if a page is unlisted only because its key leads to so many others."""
        key = np.array([digest_key(record.digest)], np.uint64)
        return bool(self._view.arrived(key, after=0))

    def _exist(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(numbers, self._numbers)


def _in(numbers: NDArray[np.int64], number: int) -> bool:
    """Return True if a number is among ascending ones."""
    at = np.searchsorted(numbers, number)
    return bool(at < len(numbers) and numbers[at] == number)


def _batches(
    entries: Iterator[tuple[bytes, bytes]], step: Step
) -> Iterator[list[tuple[bytes, bytes]]]:
    batch: list[tuple[bytes, bytes]] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += len(entry[1])
        if len(batch) == _BATCH or size > _BATCH_SIZE:
            yield batch
            step(len(batch))
            batch, size = [], 0
    if batch:
        yield batch
        step(len(batch))
