"""Postings: which pages have a look-up key.

Those of recent pages are in a log, an entry a page, which every process follows. From time to time
one of them compacts the log into buckets: there a posting is seven bytes, the number of a page and
24 bits of its mixed key. Buckets are split one after another as they fill (linear hashing), so that
the first bits of a key, which name its bucket, get more. The 24 bits begin where those of the
bucket ended when the page was compacted, its level.
"""

from __future__ import annotations

import struct
import threading
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dedup_middleware.store.engine import NUMBER, portions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Found
    from dedup_middleware.store.tables import Withdrawn

    from .connection import Server

    Numbers = NDArray[np.int64]


POSTINGS_PER_BUCKET = 48
FEWEST_BUCKETS = 1 << 10
KEY = np.dtype("<u8")
ENTRY = np.dtype([("page", "<u4"), ("low", "<u2"), ("high", "u1")])
_BITS = 24
_MASK = np.uint64((1 << _BITS) - 1)
_HEAD = struct.Struct(">IIQ")  # the script knows the first field
_MIX = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
    (np.uint64(31), np.uint64(1)),
)


@dataclass(frozen=True, slots=True)
class Buckets:
    """How many buckets there are, and what is in them."""

    folded: int = 0
    """The last page whose postings are there."""
    count: int = FEWEST_BUCKETS
    postings: int = 0
    levels: NDArray[np.uint32] = field(
        default_factory=lambda: np.zeros(FEWEST_BUCKETS.bit_length(), np.uint32)
    )
    """The first page of each level."""

    def pack(self) -> bytes:
        return (
            _HEAD.pack(self.folded, self.count, self.postings) + self.levels.astype("<u4").tobytes()
        )

    @classmethod
    def unpack(cls, data: bytes) -> Buckets:
        """Restore what was packed.

        >>> Buckets.unpack(Buckets(7, 2000, 70).pack()).count
        2000
        """
        if not data:
            return cls()
        levels = np.frombuffer(data, "<u4", offset=_HEAD.size)
        folded, count, postings = _HEAD.unpack_from(data)
        return cls(folded, count, postings, levels)

    def of(self, mixed_keys: Keys) -> Numbers:
        """Return the bucket of each key: if it is not there yet, the one that will be split."""
        low = np.uint64(1 << (self.count.bit_length() - 1))
        at = mixed_keys & (low + low - np.uint64(1))
        return np.where(at < self.count, at, at - low).astype(np.int64)

    def level(self, pages: NDArray[np.uint32]) -> Keys:
        """Return how many bits of a key named its bucket when pages were compacted."""
        return (self.levels.searchsorted(pages, "right") - 1).astype(np.uint64)


def mixed(keys: Keys) -> Keys:
    """Shuffle the bits of keys, so that they are evenly distributed; none get equal."""
    for shift, factor in _MIX:
        keys = (keys ^ (keys >> shift)) * factor
    return keys


def search(keys: Keys, buckets: Buckets, values: Sequence[bytes | None]) -> Found:
    """Find postings of mixed keys, each in the value of its bucket."""
    there = [value or b"" for value in values]
    entries = np.frombuffer(b"".join(there), ENTRY)
    if not len(entries):
        return np.empty((0, 2), np.uint32)
    places = np.repeat(np.arange(len(keys)), [len(value) // ENTRY.itemsize for value in there])
    pages = entries["page"]
    wanted = keys[places] >> buckets.level(pages) & _MASK
    hits = np.flatnonzero((wanted == _stored(entries)) & (pages <= buckets.folded))
    return np.column_stack((places[hits], pages[hits])).astype(np.uint32)


def grown(buckets: Buckets, postings: int) -> int:
    """Return how many buckets there are to be with so many more postings."""
    return max(buckets.count, -(-(buckets.postings + postings) // POSTINGS_PER_BUCKET))


def touched(buckets: Buckets, keys: Keys, count: int) -> Numbers:
    """Return the buckets that change if mixed keys are added and buckets split up to a number."""
    new = np.arange(buckets.count, count, dtype=np.uint64)
    return np.unique(buckets.of(np.concatenate((keys, new))))


def compact(
    buckets: Buckets,
    numbers: Numbers,
    values: Sequence[bytes | None],
    keys: Keys,
    pages: Numbers,
    last_page: int,
    is_withdrawn: Callable[[Numbers], NDArray[np.bool_]],
) -> tuple[Buckets, dict[int, bytes], list[int]]:
    """Add postings of mixed keys, up to those of a page, to the buckets that they touch.

    Postings of pages that were withdrawn leave them. Return what buckets there are then, the
    contents of those that were touched, and which of them are empty now.
    """
    there = [value or b"" for value in values]
    known = np.frombuffer(b"".join(there), ENTRY)
    bucket = np.repeat(numbers, [len(value) // ENTRY.itemsize for value in there])
    stays = ~is_withdrawn(known["page"].astype(np.int64))
    left = len(known) - int(stays.sum())
    known, bucket = known[stays], bucket[stays]
    level = buckets.count.bit_length() - 1
    starts = np.full(max(0, level + 1 - len(buckets.levels)), buckets.folded + 1, np.uint32)
    levels = np.concatenate((buckets.levels, starts))
    below = buckets.level(known["page"])
    told = bucket.astype(np.uint64) & ((np.uint64(1) << below) - np.uint64(1))
    known_keys = _stored(known) << below | told  # as many of their bits as are left
    total = buckets.postings + len(keys) - left
    after = Buckets(last_page, grown(buckets, len(keys)), total, levels)
    entries = np.concatenate((known, _entries(pages, keys >> np.uint64(level))))
    to = after.of(np.concatenate((known_keys, keys)))
    order = np.lexsort((entries["page"], to))
    data, found = entries[order].tobytes(), to[order]
    firsts = np.flatnonzero(np.diff(found, prepend=-1))
    edges = [ENTRY.itemsize * edge for edge in (*firsts.tolist(), len(found))]
    filled = {
        number: data[first:end]
        for number, first, end in zip(found[firsts].tolist(), edges[:-1], edges[1:], strict=True)
    }
    emptied = [
        number
        for number, value in zip(numbers.tolist(), there, strict=True)
        if value and number not in filled
    ]
    return after, filled, emptied


def _entries(pages: Numbers, keys: Keys) -> NDArray[np.void]:
    entries = np.empty(len(keys), ENTRY)
    entries["page"], entries["low"] = pages, keys & np.uint64(0xFFFF)
    entries["high"] = keys >> np.uint64(16) & np.uint64(0xFF)
    return entries


def _stored(entries: NDArray[np.void]) -> Keys:
    found: Keys = entries["high"].astype(np.uint64) << np.uint64(16) | entries["low"]
    return found


LONG = 320
"""How many pages of the log are enough to compact it."""
LEFT = 64  # the last ones stay: who is judging a page meanwhile looks there for what has arrived
AGAIN = 64  # pages later another process tries, in case that it was not done


def is_due(number: int, folded: int) -> bool:
    """Return True if it falls to the process that entered a page to compact the log."""
    long = number - folded - LONG
    return long >= 0 and long % AGAIN == 0


def compact_log(server: Server, last_page: int, withdrawn: Withdrawn) -> bool:
    """Compact the log as it was after a page; return False if another process was faster."""
    return server.unless_changed("buckets", lambda: _commands(server, last_page - LEFT, withdrawn))


def _commands(server: Server, last_page: int, withdrawn: Withdrawn) -> list[tuple[Any, ...]]:
    names = server.names
    buckets = Buckets.unpack(server.call("GET", names["buckets"]) or b"")
    count = last_page - buckets.folded
    if count <= 0:
        return []
    packed: list[bytes] = server.call("LRANGE", names["log"], 0, count - 1)
    pages = np.arange(buckets.folded + 1, buckets.folded + 1 + len(packed), dtype=np.int64)
    kept = ~withdrawn.has(pages)
    some = [entry for entry, stays in zip(packed, kept.tolist(), strict=True) if stays]
    keys = mixed(np.frombuffer(b"".join(some), KEY).astype(np.uint64))
    of_keys = np.repeat(pages[kept], [len(entry) // KEY.itemsize for entry in some])
    numbers = touched(buckets, keys, grown(buckets, len(keys)))
    values = server.many("postings", list(map(NUMBER.pack, numbers.tolist())))
    after, filled, emptied = compact(
        buckets, numbers, values, keys, of_keys, last_page, withdrawn.has
    )
    entries = [(NUMBER.pack(number), value) for number, value in filled.items()]
    table = names["postings"]
    return [
        *(("HSET", table, *chain.from_iterable(some)) for some in portions(entries)),
        *(("HDEL", table, *map(NUMBER.pack, some)) for some in portions(emptied)),
        ("LTRIM", names["log"], count, -1),
        ("SET", names["buckets"], after.pack()),
    ]


class Known(NamedTuple):
    """What a snapshot knows of postings: the state of the buckets, and the log's pages by key."""

    buckets: Buckets
    pages: defaultdict[int, list[int]]

    def search(self, keys: Keys) -> Found:
        """Find postings of keys that are not in buckets yet."""
        wanted = keys.tolist()
        if self.pages.keys().isdisjoint(wanted):
            return np.empty((0, 2), np.uint32)
        found = [
            (place, page) for place, key in enumerate(wanted) for page in self.pages.get(key, ())
        ]
        return np.array(found, np.uint32).reshape(-1, 2)


class Log:
    """The part of the log that is not in buckets; threads may share it.

    >>> log = Log()
    >>> known = log.follow(Buckets(), [np.array([5, 6], KEY).tobytes(), b""], 1)
    >>> known.search(np.array([7, 6], np.uint64)).tolist(), log.last
    ([[1, 1]], 2)
    """

    def __init__(self) -> None:
        self.known = Known(Buckets(), defaultdict(list))
        self.last = 0
        """The last page that is known here."""
        self._keys: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    def follow(self, buckets: Buckets, entries: Sequence[bytes], first: int) -> Known:
        """Take over the log from a page on, and what was compacted meanwhile."""
        with self._lock:
            if buckets.folded > self.known.buckets.folded:
                self._drop(buckets)
            for page, keys in enumerate(entries, first):
                if page > self.last:
                    self._add(page, keys)
            return self.known

    def _add(self, page: int, packed: bytes) -> None:
        self._keys[page] = keys = np.frombuffer(packed, KEY).tolist()
        self.last = page
        pages = self.known.pages
        for key in keys:
            pages[key].append(page)

    def _drop(self, buckets: Buckets) -> None:
        """Forget what is in buckets now; older snapshots keep their own `Known`."""
        left = {page: keys for page, keys in self._keys.items() if page > buckets.folded}
        pages: defaultdict[int, list[int]] = defaultdict(list)
        for page, keys in left.items():
            for key in keys:
                pages[key].append(page)
        self._keys, self.known = left, Known(buckets, pages)
        self.last = max(self.last, buckets.folded)
