"""Postings in sorted runs: what keys led to before the newest pages, without a random write a key.

A posting is 40 bits of a mixed key above 24 bits of a page's place in its run. A run is cut into
parts, each with an equal share of all possible values, so that the part of a key is known without
looking. New runs are made of the table of recent postings; four of one level are merged into one of
the next, a part at a time, so that no change takes long. They are searched in
the memory that LMDB maps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint.hashing import finished

from .layout import CHECKSUM, PART_KEY, sealed, unsealed
from .recent import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import lmdb
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.keys import Keys
    from dedup_middleware.store.candidates import Found

    from .manifest import Manifest, Merge, Run
    from .recent import Recent

    Values = NDArray[np.uint64]
    IsGone = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

PART_POSTINGS = 1 << 15
RECENT_PAGES = 1024
SWEPT_PARTS = 16
_PAGE_BITS = 24
PAGE_MASK = (1 << _PAGE_BITS) - 1
_FULL = 1 << 64
MOST_PAGES = 1 << _PAGE_BITS


class MappedRuns:
    """The runs of a manifest in the memory that LMDB maps.

    What is mapped stays as long as a transaction is open that sees the manifest.
    """

    def __init__(self, runs: Sequence[Run], parts: Mapping[int, list[Values]]) -> None:
        self.runs = runs
        self.parts = parts
        table = [len(runs)]
        for run in runs:
            table += (run.first, run.parts)
        for run in runs:
            for part in parts[run.number]:
                table += (part.ctypes.data, len(part))
        self.table: Values = np.array(table, np.uint64)
        """What the core needs to know of them."""

    @classmethod
    def of(
        cls, manifest: Manifest, txn: lmdb.Transaction, table: Any, before: MappedRuns | None
    ) -> MappedRuns:
        """Map the runs of a manifest; those that were mapped before are where they were."""
        known = before.parts if before else {}
        page_size = txn.stat(table)["psize"]

        def mapped(run: Run, number: int) -> Values:
            part = part_of(txn, table, run, number)
            # a small value shares its page of LMDB with others, and moves when one of them changes
            return part.copy() if part.nbytes < page_size else part

        parts = {
            run.number: known.get(run.number)
            or [mapped(run, number) for number in range(run.parts)]
            for run in manifest.runs
        }
        return cls(manifest.runs, parts)

    def search(self, keys: Keys, recent: Recent, upto: int) -> Found:
        """Return the pages that keys lead to, also the newest of them up to a number."""
        with recent.lock:
            tables = (self.table, recent.table.numbers)
            places = [number for table in tables for number in (table.ctypes.data, len(table))]
            data = core.call("postings", keys.tobytes(), *places, upto)
        return np.frombuffer(data, "<u4").reshape(-1, 2)


def part_of(txn: lmdb.Transaction, table: Any, run: Run, number: int) -> Values:
    """Return a part of a run, without a copy; empty if it is not there."""
    data = txn.get(PART_KEY.pack(run.number, number), db=table)
    if data is None:
        return np.empty(0, np.uint64)
    return np.frombuffer(data, "<u8", (len(data) - CHECKSUM.size) // 8)


def pages_of(data: bytes, run: Run | None) -> NDArray[np.int64] | None:
    """Return the pages in a part of a run; None if its postings are not in order."""
    values = np.frombuffer(data, "<u8")
    if (values[1:] < values[:-1]).any():
        return None
    first = run.first if run else 0
    return np.unique((values & np.uint64(PAGE_MASK)).astype(np.int64) + first)


class RunWriter:
    """Makes and merges runs, inside a write transaction."""

    def __init__(
        self,
        txn: lmdb.Transaction,
        databases: Mapping[str, Any],
        manifest: Manifest,
        is_gone: IsGone,
    ) -> None:
        self._txn = txn
        self._recent = databases["recent"]
        self._postings = databases["postings"]
        self._is_gone = is_gone
        self.manifest = manifest

    def make_run(self, upto: int) -> None:
        """Turn the recent postings into a run."""
        with self._txn.cursor(self._recent) as cursor:
            entries = [(bytes(key), bytes(data)) for key, data in cursor]
        both = [unpacked(unsealed(*entry) or b"") for entry in entries]
        keys = np.concatenate([keys for keys, _ in both] or [np.empty(0, np.uint64)])
        pages = np.concatenate([pages for _, pages in both] or [np.empty(0, np.int64)])
        first = self.manifest.upto + 1
        values = finished(keys) & ~np.uint64(PAGE_MASK) | (pages - first).astype(np.uint64)
        values.sort()
        count = _parts(len(values))
        self.manifest, run = self.manifest.with_run(0, upto, count, len(values))
        bounds = np.array([_bound(number, count) for number in range(1, count)], np.uint64)
        for number, part in enumerate(np.split(values, np.searchsorted(values, bounds))):
            self._put(run, number, part)
        for key, _ in entries:
            self._txn.delete(key, db=self._recent)

    def merge(self, postings: int) -> None:
        """Go on with all merges, at twice the pace at which so many postings came."""
        for inputs in self.manifest.ripe(MOST_PAGES):
            total = sum(run.postings for run in inputs)
            self.manifest = self.manifest.begin(inputs, _parts(total))
        for number in [merge.output.number for merge in self.manifest.merges]:
            for _ in range(_parts(2 * postings)):
                merge = next((m for m in self.manifest.merges if m.output.number == number), None)
                if merge:
                    self._merge_part(merge)
        self.manifest, swept = self.manifest.swept(SWEPT_PARTS)
        for key in swept:
            self._txn.delete(PART_KEY.pack(*key), db=self._postings)

    def _merge_part(self, merge: Merge) -> None:
        output = merge.output
        low, high = _bound(merge.done, output.parts), _bound(merge.done + 1, output.parts)
        slices = []
        for run in self.manifest.inputs(merge):
            shift = np.uint64(run.first - output.first)
            slices += [part + shift for part in self._slices(run, low, high)]
        values = np.concatenate(slices) if slices else np.empty(0, np.uint64)
        values.sort(kind="stable")  # which is quick where most is in order
        pages = (values & np.uint64(PAGE_MASK)).astype(np.int64) + output.first
        kept = values[~self._is_gone(pages)]
        self._put(output, merge.done, kept)
        self.manifest = self.manifest.advanced(merge, len(values) - len(kept))

    def _slices(self, run: Run, low: int, high: int) -> list[Values]:
        """Return the postings of a run from one value up to another."""
        slices = []
        for number in range(low * run.parts >> 64, ((high - 1) * run.parts >> 64) + 1):
            part = part_of(self._txn, self._postings, run, number)
            start = np.searchsorted(part, np.uint64(low))
            end = np.searchsorted(part, np.uint64(high)) if high < _FULL else len(part)
            slices.append(part[start:end])
        return slices

    def _put(self, run: Run, number: int, part: Values) -> None:
        key = PART_KEY.pack(run.number, number)
        self._txn.put(key, sealed(key, part.astype("<u8").tobytes()), db=self._postings)


def _parts(postings: int) -> int:
    return max(1, -(-postings // PART_POSTINGS))


def _bound(number: int, parts: int) -> int:
    """Return the lowest value of a part: the postings of one key are never divided."""
    lowest = -(-(number << 64) // parts)
    return -(-lowest >> _PAGE_BITS) << _PAGE_BITS
