"""Postings: a memtable of the newest pages, and sorted segments of all others.

So no key needs a random write. A posting of a segment is 40 bits of a mixed key above 24 bits of a
page's place in its segment. A segment is cut into parts, each with an equal share of all possible
values, so that the part of a key is known without looking. New segments are made of the table of
recent postings; compaction makes four of one level into one of the next, a part at a time, so that
no change takes long. They are searched in the memory that LMDB maps.
"""

from __future__ import annotations

import json
import mmap
import secrets
import threading
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint.hashing import finished
from dedup_middleware.store.engine import NUMBER

from .layout import CHECKSUM, PART_KEY, sealed, unsealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import lmdb
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Found, Pages
    from dedup_middleware.store.tables import Withdrawn

    Values = NDArray[np.uint64]
    Postings = NDArray[np.uint64]
    """A key and a page in each row."""

_ENTRY = np.dtype([("key", "<u8"), ("page", "<u4")])
_HEAD = 2  # numbers of a hash table before its slots
_FEW_SLOTS = 1 << 12
_GROWTH = 2


def packed(postings: Iterable[tuple[Keys, int]]) -> bytes:
    """Pack the keys of some pages for the table of recent postings."""
    entries = []
    for keys, page in postings:
        entry = np.empty(len(keys), _ENTRY)
        entry["key"], entry["page"] = keys, page
        entries.append(entry.tobytes())
    return b"".join(entries)


def unpacked(data: bytes) -> tuple[Keys, NDArray[np.int64]]:
    """Return the keys and the pages of recent postings, side by side."""
    entries = np.frombuffer(data, _ENTRY)
    return entries["key"].astype(np.uint64), entries["page"].astype(np.int64)


class Memtable:
    """The postings of all pages above a number; what is added stays, also for older views.

    They stand in a hash table where the core finds them; `native/src/recent.rs` says how.
    """

    def __init__(self, after: int, before: Memtable | None = None) -> None:
        """Begin after a page; `before` says how many postings may come."""
        self.after = after
        self.last = after
        """The last page that it knows of."""
        self.slots: NDArray[np.uint64] = _hash_table(
            _slot_count(before.slots) if before else _FEW_SLOTS
        )
        self.lock = threading.Lock()
        """Held while the table is searched or changed."""

    def add(self, keys: Keys, pages: Pages | int) -> None:
        """Enter pages, each under a key, or one under all; they come in ascending order."""
        postings = np.empty((len(keys), 2), np.uint64)
        postings[:, 0], postings[:, 1] = keys, pages
        with self.lock:
            while not _added(self.slots, postings):
                slots = self.slots[_HEAD:].reshape(-1, 2)
                taken = slots[slots[:, 1] > 0]
                self.slots = _hash_table(_GROWTH * len(slots))
                # pages of one key stay in the order in which they came
                _added(self.slots, taken[np.argsort(taken[:, 1], kind="stable")])
        if len(keys):
            self.last = max(self.last, int(postings[-1, 1]))

    def catch_up(self, txn: lmdb.Transaction, table: Any, upto: int) -> None:
        """Add the pages that were registered since, also by others."""
        if upto <= self.last:
            return
        with txn.cursor(table) as cursor:
            if cursor.set_range(NUMBER.pack(self.last + 1)):
                for key, data in cursor:
                    keys, pages = unpacked(unsealed("recent", bytes(key), data) or b"")
                    new = pages > self.last
                    self.add(keys[new], pages[new])
        self.last = max(self.last, upto)  # some have no postings


def _hash_table(slots: int) -> NDArray[np.uint64]:
    # mapped for itself: the heap does not give back what long arrays of changing lives have taken
    mapped = mmap.mmap(-1, 8 * (_HEAD + 2 * slots), access=mmap.ACCESS_COPY)
    numbers = np.frombuffer(mapped, np.uint64)
    numbers[0] = secrets.randbits(64) | 1
    return numbers


def _slot_count(table: NDArray[np.uint64]) -> int:
    return (len(table) - _HEAD) // 2


def _added(table: NDArray[np.uint64], postings: Postings) -> bytes:
    """Add postings to a hash table; return nothing if they have no room."""
    data = postings.astype("<u8").tobytes()
    return core.call("add_newest", data, table.ctypes.data, len(table))


LEVELS_MERGE = 4
"""So many segments of a level become one of the next."""


@dataclass(slots=True)
class Segment:
    """The postings of pages with neighbouring numbers, sorted and cut into parts."""

    number: int
    level: int
    first: int
    """Its first page."""
    last: int
    parts: int
    postings: int


@dataclass(slots=True)
class Compaction:
    """Segments that become one, a few parts at a time."""

    inputs: list[int]
    output: Segment
    done: int = 0
    """Parts that are written."""


@dataclass(slots=True)
class Manifest:
    """All segments of a store, by ascending pages; together they hold all pages up to a number."""

    upto: int = 0
    next_segment: int = 1
    segments: list[Segment] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)
    old: list[Segment] = field(default_factory=list)
    """Segments that were compacted; of each the first `parts` are still there."""

    def pack(self) -> bytes:
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def unpack(cls, data: bytes | None) -> Manifest:
        """Restore what was packed; a store without segments has none."""
        facts = json.loads(data or b"{}")
        for name in ("segments", "old"):
            facts[name] = [Segment(**one) for one in facts.get(name, ())]
        facts["compactions"] = [
            Compaction(one["inputs"], Segment(**one["output"]), one["done"])
            for one in facts.get("compactions", ())
        ]
        return cls(**facts)

    @staticmethod
    @lru_cache(maxsize=4)
    def known(data: bytes | None) -> Manifest:
        """Return the manifest that somebody else may look at, too, and nobody changes."""
        return Manifest.unpack(data)

    def add(self, segment: Segment) -> Segment:
        """Add a segment of all pages after those of the others."""
        self.next_segment += 1
        self.upto = segment.last
        self.segments.append(segment)
        return segment

    def inputs(self, compaction: Compaction) -> list[Segment]:
        return [segment for segment in self.segments if segment.number in compaction.inputs]

    def begin_compactions(self, most_pages: int) -> None:
        """Begin to compact the segments that are enough of one level, the oldest first."""
        busy = {number for compaction in self.compactions for number in compaction.inputs}
        for level in {segment.level for segment in self.segments}:
            group = [
                segment
                for segment in self.segments
                if segment.level == level and segment.number not in busy
            ][:LEVELS_MERGE]
            if len(group) < LEVELS_MERGE or group[-1].last - group[0].first >= most_pages:
                continue
            postings = sum(segment.postings for segment in group)
            pages = group[0].first, group[-1].last
            output = Segment(self.next_segment, level + 1, *pages, part_count(postings), postings)
            self.next_segment += 1
            self.compactions.append(Compaction([segment.number for segment in group], output))

    def advance(self, compaction: Compaction, removed: int) -> None:
        """Note one more part of a compaction, of so many postings fewer than its inputs have."""
        output = compaction.output
        output.postings -= removed
        compaction.done += 1
        if compaction.done == output.parts:
            inputs = self.inputs(compaction)
            self.segments[self.segments.index(inputs[0])] = output
            self.segments = [segment for segment in self.segments if segment not in inputs]
            self.compactions.remove(compaction)
            self.old += inputs

    def sweep(self, parts: int) -> list[tuple[int, int]]:
        """Return the parts of old segments to be deleted now, at most so many."""
        if not self.old:
            return []
        first = self.old[0]
        few = range(max(0, first.parts - parts), first.parts)
        first.parts = few.start
        if not few.start:
            del self.old[0]
        return [(first.number, part) for part in few]


PART_POSTINGS = 1 << 15
MEMTABLE_PAGES = 1024
SWEPT_PARTS = 16
_PAGE_BITS = 24
PAGE_MASK = (1 << _PAGE_BITS) - 1
_FULL = 1 << 64
MOST_PAGES = 1 << _PAGE_BITS


class MappedSegments:
    """The segments of a manifest in the memory that LMDB maps.

    What is mapped stays as long as a transaction is open that sees the manifest.
    """

    def __init__(self, segments: Sequence[Segment], parts: Mapping[int, list[Values]]) -> None:
        self.segments = segments
        self.parts = parts
        table = [len(segments)]
        for segment in segments:
            table += (segment.first, segment.parts)
        for segment in segments:
            for part in parts[segment.number]:
                table += (part.ctypes.data, len(part))
        self.table: Values = np.array(table, np.uint64)
        """What the core needs to know of them."""

    @classmethod
    def of(
        cls, manifest: Manifest, txn: lmdb.Transaction, table: Any, before: MappedSegments | None
    ) -> MappedSegments:
        """Map the segments of a manifest; those that were mapped before are where they were."""
        known = before.parts if before else {}
        page_size = txn.stat(table)["psize"]

        def mapped(segment: Segment, number: int) -> Values:
            part = part_of(txn, table, segment, number)
            # a small value shares its page of LMDB with others, and moves when one of them changes
            return part.copy() if part.nbytes < page_size else part

        parts = {
            segment.number: known.get(segment.number)
            or [mapped(segment, number) for number in range(segment.parts)]
            for segment in manifest.segments
        }
        return cls(manifest.segments, parts)

    def search(self, keys: Keys, memtable: Memtable, upto: int, withdrawn: Withdrawn) -> Found:
        """Return the pages that keys lead to, also the newest of them up to a number."""
        with memtable.lock:
            table, newest, bits = self.table, memtable.slots, withdrawn.bits
            old = table.ctypes.data, len(table)
            new = newest.ctypes.data, len(newest)
            gone = bits.ctypes.data, len(bits)
            data = core.call("postings", keys.tobytes(), *old, *new, *gone, upto)
        return np.frombuffer(data, "<u4").reshape(-1, 2)


def part_of(txn: lmdb.Transaction, table: Any, segment: Segment, number: int) -> Values:
    """Return a part of a segment, without a copy; empty if it is not there."""
    data = txn.get(PART_KEY.pack(segment.number, number), db=table)
    if data is None:
        return np.empty(0, np.uint64)
    return np.frombuffer(data, "<u8", (len(data) - CHECKSUM.size) // 8)


class Compactor:
    """Makes and merges segments, inside a write transaction."""

    def __init__(
        self,
        txn: lmdb.Transaction,
        databases: Mapping[str, Any],
        manifest: Manifest,
        withdrawn: Withdrawn,
    ) -> None:
        """Begin with a manifest, which is changed."""
        self._txn = txn
        self._log = databases["recent"]
        self._postings = databases["segments"]
        self._withdrawn = withdrawn
        self.manifest = manifest

    def make_segment(self, upto: int) -> None:
        """Turn the recent postings into a segment."""
        first = self.manifest.upto + 1
        entries, found = list[bytes](), [np.empty(0, np.uint64)]
        with self._txn.cursor(self._log) as cursor:
            for entry, data in cursor:  # one by one: all of them take several times the memory
                entries.append(bytes(entry))
                keys, pages = unpacked(unsealed("recent", entries[-1], data) or b"")
                places = (pages - first).astype(np.uint64)
                found.append(finished(keys) & ~np.uint64(PAGE_MASK) | places)
        values = np.concatenate(found)
        found.clear()
        values.sort()
        count = part_count(len(values))
        number = self.manifest.next_segment
        segment = self.manifest.add(Segment(number, 0, first, upto, count, len(values)))
        bounds = np.array([_bound(number, count) for number in range(1, count)], np.uint64)
        for number, part in enumerate(np.split(values, np.searchsorted(values, bounds))):
            self._put(segment, number, part)
        for entry in entries:
            self._txn.delete(entry, db=self._log)

    def compact(self, postings: int) -> None:
        """Go on with all merges, at twice the pace at which so many postings came."""
        self.manifest.begin_compactions(MOST_PAGES)
        for compaction in [*self.manifest.compactions]:
            left = compaction.output.parts - compaction.done
            for _ in range(min(left, part_count(2 * postings))):
                self._compact_part(compaction)
        for key in self.manifest.sweep(SWEPT_PARTS):
            self._txn.delete(PART_KEY.pack(*key), db=self._postings)

    def _compact_part(self, compaction: Compaction) -> None:
        output = compaction.output
        low, high = _bound(compaction.done, output.parts), _bound(compaction.done + 1, output.parts)
        slices = []
        for segment in self.manifest.inputs(compaction):
            shift = np.uint64(segment.first - output.first)
            slices += [part + shift for part in self._slices(segment, low, high)]
        values = np.concatenate(slices) if slices else np.empty(0, np.uint64)
        values.sort(kind="stable")  # which is quick where most is in order
        pages = (values & np.uint64(PAGE_MASK)).astype(np.int64) + output.first
        kept = values[~self._withdrawn.has(pages)]
        self._put(output, compaction.done, kept)
        self.manifest.advance(compaction, len(values) - len(kept))

    def _slices(self, segment: Segment, low: int, high: int) -> list[Values]:
        """Return the postings of a segment from one value up to another."""
        slices = []
        for number in range(low * segment.parts >> 64, ((high - 1) * segment.parts >> 64) + 1):
            part = part_of(self._txn, self._postings, segment, number)
            start = np.searchsorted(part, np.uint64(low))
            end = np.searchsorted(part, np.uint64(high)) if high < _FULL else len(part)
            slices.append(part[start:end])
        return slices

    def _put(self, segment: Segment, number: int, part: Values) -> None:
        key = PART_KEY.pack(segment.number, number)
        self._txn.put(key, sealed("segments", key, part.astype("<u8").tobytes()), db=self._postings)


def part_count(postings: int) -> int:
    return max(1, -(-postings // PART_POSTINGS))


def _bound(number: int, parts: int) -> int:
    """Return the lowest value of a part: the postings of one key are never divided."""
    lowest = -(-(number << 64) // parts)
    return -(-lowest >> _PAGE_BITS) << _PAGE_BITS
