"""Whether a store is what it should be: its tables against each other and the journals."""

from __future__ import annotations

import json
import re
import struct
from array import array
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from dedup_middleware.fingerprint.scheme import text_digest
from dedup_middleware.jsonl import blocks, lines_of
from dedup_middleware.store import packing
from dedup_middleware.store.keys import NUMBER
from dedup_middleware.store.lmdb.view import NUMBER_KEY, SEQUENCE_KEY
from dedup_middleware.store.records import PageRecord, UrlRecord
from dedup_middleware.urls import url_key

from .damage import Delete, Findings, Trouble
from .decisions import LONGEST_LINE, Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline
    from dedup_middleware.store import Reader, View


TABLES = ("postings", "pages", "outlines", "urls", "redundant", "decisions")
"""Those that are long enough to be waited for."""
_UNREADABLE = (struct.error, zstandard.ZstdError, ValueError, IndexError, OverflowError)
_BATCH, _BATCH_SIZE = 100_000, 1 << 24


def verify(store: Reader, step: Callable[[int], object]) -> Findings:
    """Check all of a store; `step` is told how many more entries have been looked at."""
    findings = Findings()
    with store.snapshot() as view:
        check = _Check(view, findings, step)
        check.runs()
        check.postings()
        check.pages()
        check.outlines()
        check.urls()
        check.pending()
        check.kept()
        check_decisions(store, view, findings, step)
    return findings


class _Check:
    def __init__(self, view: View, findings: Findings, step: Callable[[int], object]) -> None:
        self._view = view
        self._found = findings
        self._step = step
        self._numbers: NDArray[np.int64] = np.array(list(view.pages_after(0)), np.int64)
        self._posted: NDArray[np.int64] = np.zeros(0, np.int64)

    def runs(self) -> None:
        highest = 0
        for key, value in self._view.entries("runs"):
            (number,) = NUMBER_KEY.unpack(key)
            try:
                readable = isinstance(json.loads(value)["run"], str)
            except (ValueError, TypeError, KeyError):
                readable = False
            if not readable or number != highest + 1:
                self._found.add(Trouble.RUN, f"run number {number}")
            highest = number
        self._check_counter("run", highest)
        self._check_counter("page", int(self._numbers[-1]) if len(self._numbers) else 0)

    def postings(self) -> None:
        """Look for keys that lead to no page."""
        posted: list[NDArray[np.int64]] = []
        for entries in _batches(self._view.entries("postings"), self._step):
            pages = np.frombuffer(b"".join(value for _, value in entries), NUMBER).astype(np.int64)
            posted.append(np.unique(pages))
            for at in np.flatnonzero(~self._are_there(pages)).tolist():
                key, value = entries[at]
                self._found.add(Trouble.POSTING, f"key {key.hex()} to page {pages[at]}")
                self._found.delete.append(Delete("postings", key, value))
        if posted:
            self._posted = np.unique(np.concatenate(posted))

    def pages(self) -> None:
        for entries in _batches(self._view.entries("pages"), self._step):
            for key, value in entries:
                (number,) = NUMBER_KEY.unpack(key)
                trouble, example = self._page(number, key, value)
                if trouble:
                    self._found.add(trouble, example)
                    self._found.forget.add(number)

    def _page(self, number: int, key: bytes, value: bytes) -> tuple[Trouble | None, str]:
        """Check a page; name the first thing that is wrong with it."""
        try:
            record = PageRecord.unpack(number, value)
        except _UNREADABLE:
            return Trouble.PAGE, f"page {number}"
        example = f"page {number}, {record.url}"
        try:
            known = self._view.url(record.key)
        except struct.error:
            known = None
        own = UrlRecord(alias=False, number=number, digest=record.digest)
        if known != own or url_key(record.url) != record.key:
            return Trouble.ADDRESS, example
        outline = self._outline("outlines", key)
        if outline is None:
            return Trouble.TEXT, example
        if text_digest(outline, record.body) != record.digest:
            return Trouble.DIGEST, example
        if not _in(self._posted, number) and not self._has_postings(record):
            return Trouble.UNFOUND, example
        if self._view.is_pending(number) is record.delivered:
            self._found.add(Trouble.PENDING, example)
            self._found.pending[number] = not record.delivered
        return None, ""

    def outlines(self) -> None:
        for entries in _batches(self._view.entries("outlines"), self._step):
            pages = np.array([NUMBER_KEY.unpack(key)[0] for key, _ in entries], np.int64)
            for at in np.flatnonzero(~self._are_there(pages)).tolist():
                self._found.add(Trouble.ORPHAN, f"that of page {pages[at]}")
                self._found.delete.append(Delete("outlines", entries[at][0]))

    def urls(self) -> None:
        given_out = self._view.counter("page")
        forgotten = 0
        for entries in _batches(self._view.entries("urls"), self._step):
            records = [_url_record(value) for _, value in entries]
            numbers = np.array([one.number if one else -1 for one in records], np.int64)
            for at in np.flatnonzero(~self._are_there(numbers)).tolist():
                one, key = records[at], entries[at][0]
                if one and one.alias and one.number <= given_out:
                    forgotten += 1  # the original was withdrawn: nothing holds its copies back
                    continue
                self._found.add(Trouble.URL, f"{key.hex()} to page {numbers[at]}")
                self._found.delete.append(Delete("urls", key))
        if forgotten:
            self._found.notes.append(
                f"{forgotten:,} URLs repeat pages that were withdrawn since; they pass when they "
                "are seen again"
            )

    def pending(self) -> None:
        for key, _ in self._view.entries("pending"):
            (number,) = NUMBER_KEY.unpack(key)
            if not _in(self._numbers, number):
                self._found.add(Trouble.PENDING, f"page {number}, which is not there")
                self._found.pending[number] = False

    def kept(self) -> None:
        for entries in _batches(self._view.entries("redundant"), self._step):
            for key, value in entries:
                if _unpacked(value) is None:
                    self._found.add(Trouble.KEPT, f"that of {key.hex()}")
                    self._found.delete.append(Delete("redundant", key))

    def _outline(self, table: str, key: bytes) -> Outline | None:
        return _unpacked(self._view.entry(table, key) or b"")

    def _has_postings(self, record: PageRecord) -> bool:
        """Tell whether a page is just not led to because its key leads to so many others."""
        return bool(self._view.lookup(record, alike=False, cap=1, most=1).same_digest)

    def _are_there(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(numbers, self._numbers)

    def _check_counter(self, name: str, highest: int) -> None:
        if self._view.counter(name) < highest:
            self._found.add(Trouble.COUNTER, f"that of {name}s")
            self._found.counters[name] = highest


def _in(numbers: NDArray[np.int64], number: int) -> bool:
    """Look a number up among ascending ones."""
    at = np.searchsorted(numbers, number)
    return bool(at < len(numbers) and numbers[at] == number)


def _unpacked(data: bytes) -> Outline | None:
    try:
        outline = packing.unpack(data)
        _ = outline.nodes  # as many kinds, parents and texts as nodes
    except _UNREADABLE:
        return None
    return outline


def _url_record(data: bytes) -> UrlRecord | None:
    try:
        return UrlRecord.unpack(data)
    except struct.error:
        return None


def _batches(
    entries: Iterator[tuple[bytes, bytes]], step: Callable[[int], object]
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


_SEQUENCE = re.compile(rb'\{"v":\d+,"seq":(\d+),')
_MASK = (1 << 64) - 1
_STEP = 10_000
_LOST, _SEEN = 0, 1  # no hashes
_BEYOND = 1 << 24  # what a key that is not damaged may be ahead of the counter


def check_decisions(
    store: Reader, view: View, findings: Findings, step: Callable[[int], object]
) -> None:
    """Check the decisions of a store, and its journals against them."""
    hashes = _hashes(view, findings, step)
    unsettled = _unsettled(store, view, findings)
    for path in sorted(store.path.glob("journal/*.jsonl")):
        wrong = _compare(path, hashes, findings)
        if wrong and path.stem not in unsettled:
            findings.add(Trouble.JOURNAL, f"{path}: {wrong:,} lines that the store has not", wrong)
            findings.journals.add(path.stem)
    _check_missing(store, view, hashes, findings, unsettled)


def _hashes(view: View, findings: Findings, step: Callable[[int], object]) -> array[int]:
    """Hash each decision, by its number."""
    hashes, most = array("Q", [_LOST]), view.counter("sequence") + _BEYOND
    for count, (key, value) in enumerate(view.entries("decisions"), 1):
        (sequence,) = SEQUENCE_KEY.unpack(key)
        decision = Decision.parse(value)
        readable = decision is not None and decision.sequence == sequence
        if not readable or sequence > most:
            findings.add(Trouble.DECISION, f"decision {sequence}")
        if sequence > most:
            continue
        missing = sequence - len(hashes)
        if missing:
            findings.add(Trouble.GAP, f"before decision {sequence}", missing)
            hashes.extend([_LOST] * missing)
        hashes.append(_hash(value) if readable else _LOST)
        if count % _STEP == 0:
            step(_STEP)
    if view.counter("sequence") < len(hashes) - 1:
        findings.add(Trouble.COUNTER, "that of decisions")
        findings.counters["sequence"] = len(hashes) - 1
    return hashes


def _unsettled(store: Reader, view: View, findings: Findings) -> set[str]:
    """Name the runs whose journals need not be complete yet."""
    unsettled = set()
    for _, value in view.entries("runs"):
        try:
            run = json.loads(value)
            name, ended = run["run"], "finished" in run
        except (ValueError, TypeError, KeyError):
            continue  # told elsewhere
        if not ended:
            unsettled.add(name)
            if not store.is_alive(name):
                findings.notes.append(
                    f"The run {name} died; its journal is completed when the store is next used"
                )
    return unsettled


def _compare(path: Path, hashes: array[int], findings: Findings) -> int:
    """Strike out the decisions that a journal has; count the lines that are no decisions."""
    wrong = 0
    with path.open("rb") as file:
        for block in blocks(file, LONGEST_LINE):
            if block is None:
                wrong += 1
                continue
            for start, end in lines_of(block):
                line = block[start:end].rstrip(b"\n")
                sequence = _sequence(line)
                known = hashes[sequence] if 0 < sequence < len(hashes) else _SEEN
                if known == _hash(line):
                    hashes[sequence] = _SEEN
                elif known == _LOST and Decision.parse(line):
                    findings.decisions[sequence] = line
                else:
                    wrong += 1
    return wrong


def _check_missing(
    store: Reader, view: View, hashes: array[int], findings: Findings, unsettled: set[str]
) -> None:
    """Tell which runs' journals lack decisions."""
    missing: Counter[str] = Counter()
    for key, value in view.entries("decisions"):
        (sequence,) = SEQUENCE_KEY.unpack(key)
        if sequence < len(hashes) and hashes[sequence] > _SEEN:
            decision = Decision.parse(value)
            missing[decision.run if decision else ""] += 1
    for run, count in missing.items():
        path = store.path / "journal" / f"{run}.jsonl"
        if run in unsettled:
            continue
        if path.is_file():
            findings.add(Trouble.JOURNAL, f"{path} lacks {count:,}", count)
            findings.journals.add(run)
        else:
            findings.notes.append(
                f"The journal of the run {run} was written elsewhere, or is gone; its {count:,} "
                "decisions are in the store"
            )


def _sequence(line: bytes) -> int:
    match = _SEQUENCE.match(line)
    if match:
        return int(match[1])
    decision = Decision.parse(line)
    return decision.sequence if decision else 0


def _hash(line: bytes) -> int:
    return max(hash(line) & _MASK, _SEEN + 1)
