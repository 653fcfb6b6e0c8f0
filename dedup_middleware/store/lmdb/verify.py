"""Checks of an LMDB store: its tables against each other."""

from __future__ import annotations

import json
import signal
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.fingerprint.scheme import text_digest
from dedup_middleware.store import packing
from dedup_middleware.store.damage import Damage, Damages, Entry
from dedup_middleware.store.keys import NUMBER
from dedup_middleware.store.records import PageRecord, UrlRecord
from dedup_middleware.urls import url_key

from .view import NUMBER_KEY, SEQUENCE_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline
    from dedup_middleware.store.protocol import Step

    from .view import View

_UNREADABLE = (struct.error, zstandard.ZstdError, ValueError, IndexError, OverflowError)
_WALK = "import sys; from dedup_middleware.store.lmdb.verify import walk; walk(sys.argv[1])"
_BATCH, _BATCH_SIZE = 100_000, 1 << 24
_COUNTED = {"run": "runs", "page": "pages", "sequence": "decisions"}
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
                for _ in view.entries(name):
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
        self._numbers: NDArray[np.int64] = np.array(list(view.numbers()), np.int64)
        self._posted: NDArray[np.int64] = np.zeros(0, np.int64)

    def runs(self) -> None:
        highest, readable = 0, self._view.numbered_runs()
        for key, _ in self._view.entries("runs"):
            (number,) = NUMBER_KEY.unpack(key)
            if number not in readable or number != highest + 1:
                self._found.add(Damage.RUN, f"run number {number}")
            highest = number
        self._check_counter("run", highest)
        self._check_counter("page", int(self._numbers[-1]) if len(self._numbers) else 0)

    def postings(self) -> None:
        """Find keys that lead to no page."""
        posted: list[NDArray[np.int64]] = []
        for entries in _batches(self._view.entries("postings"), self._step):
            pages = np.frombuffer(b"".join(value for _, value in entries), NUMBER).astype(np.int64)
            posted.append(np.unique(pages))
            for at in np.flatnonzero(~self._exist(pages)).tolist():
                key, value = entries[at]
                self._found.add(Damage.POSTING, f"key {key.hex()} to page {pages[at]}")
                self._found.entries.append(Entry("postings", key, value))
        if posted:
            self._posted = np.unique(np.concatenate(posted))

    def pages(self) -> None:
        for entries in _batches(self._view.entries("pages"), self._step):
            for key, value in entries:
                (number,) = NUMBER_KEY.unpack(key)
                damage, example = self._page(number, key, value)
                if damage:
                    self._found.add(damage, example)
                    self._found.pages.add(number)

    def _page(self, number: int, key: bytes, value: bytes) -> tuple[Damage | None, str]:
        """Return the first thing that is wrong with a page, and an example."""
        try:
            record = PageRecord.unpack(number, value)
        except _UNREADABLE:
            return Damage.PAGE, f"page {number}"
        example = f"page {number}, {record.url}"
        try:
            known = self._view.url(record.key)
        except struct.error:
            known = None
        own = UrlRecord(alias=False, number=number, digest=record.digest)
        if known != own or url_key(record.url) != record.key:
            return Damage.ADDRESS, example
        outline = self._outline("outlines", key)
        if outline is None:
            return Damage.TEXT, example
        if text_digest(outline, record.body) != record.digest:
            return Damage.DIGEST, example
        if not _in(self._posted, number) and not self._has_postings(record):
            return Damage.UNFOUND, example
        if (self._view.entry("pending", key) is not None) is record.delivered:
            self._found.add(Damage.PENDING, example)
            self._found.pending[number] = not record.delivered
        return None, ""

    def outlines(self) -> None:
        for entries in _batches(self._view.entries("outlines"), self._step):
            pages = np.array([NUMBER_KEY.unpack(key)[0] for key, _ in entries], np.int64)
            for at in np.flatnonzero(~self._exist(pages)).tolist():
                self._found.add(Damage.ORPHAN, f"that of page {pages[at]}")
                self._found.entries.append(Entry("outlines", entries[at][0]))

    def urls(self) -> None:
        given_out = self._view.counter("page")
        withdrawn = 0
        for entries in _batches(self._view.entries("urls"), self._step):
            records = [_url_record(value) for _, value in entries]
            numbers = np.array([one.number if one else -1 for one in records], np.int64)
            for at in np.flatnonzero(~self._exist(numbers)).tolist():
                one, key = records[at], entries[at][0]
                if one and one.alias and one.number <= given_out:
                    withdrawn += 1
                    continue
                self._found.add(Damage.URL, f"{key.hex()} to page {numbers[at]}")
                self._found.entries.append(Entry("urls", key))
        if withdrawn:
            self._found.notes.append(
                f"{withdrawn:,} URLs repeat pages that were withdrawn since; they pass when they "
                "are seen again"
            )

    def pending(self) -> None:
        for key, _ in self._view.entries("pending"):
            (number,) = NUMBER_KEY.unpack(key)
            if not _in(self._numbers, number):
                self._found.add(Damage.PENDING, f"page {number}, which is missing")
                self._found.pending[number] = False

    def kept(self) -> None:
        for entries in _batches(self._view.entries("redundant"), self._step):
            for key, value in entries:
                if _unpacked(value) is None:
                    self._found.add(Damage.KEPT, f"that of {key.hex()}")
                    self._found.entries.append(Entry("redundant", key))

    def decisions(self) -> None:
        last, most = 0, self._view.counter("sequence") + _BEYOND
        for entries in _batches(self._view.entries("decisions"), self._step):
            for key, value in entries:
                (sequence,) = SEQUENCE_KEY.unpack(key)
                if sequence > most or not _is_decision(value, sequence):
                    self._found.add(Damage.DECISION, f"decision {sequence}")
                if sequence > most:
                    continue
                if sequence > last + 1:
                    self._found.add(Damage.GAP, f"before decision {sequence}", sequence - last - 1)
                last = sequence
        self._check_counter("sequence", last)

    def _outline(self, table: str, key: bytes) -> Outline | None:
        return _unpacked(self._view.entry(table, key) or b"")

    def _has_postings(self, record: PageRecord) -> bool:
        """Return True if a page is unlisted only because its key leads to so many others."""
        return bool(self._view.candidates(record, alike=False, cap=1, most=1).same_digest)

    def _exist(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(numbers, self._numbers)

    def _check_counter(self, name: str, highest: int) -> None:
        if self._view.counter(name) < highest:
            self._found.add(Damage.COUNTER, f"that of {_COUNTED[name]}")
            self._found.counters[name] = highest


def _in(numbers: NDArray[np.int64], number: int) -> bool:
    """Return True if a number is among ascending ones."""
    at = np.searchsorted(numbers, number)
    return bool(at < len(numbers) and numbers[at] == number)


def _unpacked(data: bytes) -> Outline | None:
    try:
        outline = packing.unpack(data)
        _ = outline.nodes  # as many kinds, parents and texts as nodes
    except _UNREADABLE:
        return None
    return outline


def _is_decision(data: bytes, sequence: int) -> bool:
    try:
        entry = json.loads(data)
        texts = [entry[name] for name in ("url", "verdict", "action")]
        return entry["seq"] == sequence and all(isinstance(text, str) for text in texts)
    except (ValueError, TypeError, LookupError, RecursionError):
        return False


def _url_record(data: bytes) -> UrlRecord | None:
    try:
        return UrlRecord.unpack(data)
    except struct.error:
        return None


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
