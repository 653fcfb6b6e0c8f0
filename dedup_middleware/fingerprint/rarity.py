"""Counting on how many different pages of a host a unit of text stands: its document frequency.

Pages count by their name, the title and main heading as read. Pages that share a name count apart
only if their words resemble those of all that were counted under it by less than .8: copies of an
article that differ in a view counter count once, however many there are, and a host that gives all
its pages one title still learns its sidebar. Pages without a name share the empty one.

Every table is bounded. What has no room is forgotten, and counts anew when it is seen again, so
that a frequency is never more than the definition says: nothing becomes cheap to lose by it. A host
that rotates its templates, to push what is known of them out of its memory, only has its own
template weigh as much as any other text, as on a host that is new.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .scheme import WORD_SAMPLE
from .site import FEWEST, SiteMemory, pack_numbers, unpack_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .hashing import Hashes
    from .site import Arrival

FIRST_GENERATION = 4  # pages; each generation has twice as many as the one before
LAST_PAGE = 4096  # what a host's template is, so many pages have shown
SHARED_NAME = 4
"""Different names of a host that have a part which names no page, but the site or a chapter."""
SAME_NAME, SAME_NAME_OF_ALL = 8, 256
"""Pages of one name that count apart; the second of a name that half of all pages have."""
SMALL_HOST, UNITS_A_PAGE = 4096, 16
"""Units whose counts a generation leaves to the next: of a small host, and for each page."""
MOST_PENDING, MOST_COUNTED = 1 << 18, 1 << 17
"""Units that wait until they are counted, and that are known then, while a generation is made."""
_HEAD = struct.Struct("<4I")
_NONE = np.empty(0, np.uint64)


class UnitCounts:
    """Counts by the key of a unit. Pages are kept as they come, and counted together.

    >>> counts = UnitCounts()
    >>> for page in ([7, 8], [7]):
    ...     counts.add(np.array(page, "<u8").tobytes())
    >>> [column.tolist() for column in counts.frequent(2)]
    [[7], [2]]
    """

    def __init__(self, keys: Hashes = _NONE, counts: NDArray[np.integer] = _NONE) -> None:
        """Begin with the counts of some keys, which ascend."""
        self._keys = keys
        self._counts = counts.astype(np.uint16)  # no more pages are counted than `LAST_PAGE`
        self._new: list[bytes] = []
        self._pending = 0

    def add(self, units: bytes) -> None:
        """Count the units of a page, each once; their keys have eight bytes each."""
        if units:
            self._new.append(units)
            self._pending += len(units) // 8
            if self._pending > MOST_PENDING:
                self.keep(MOST_COUNTED)

    def frequent(self, least: int) -> tuple[Hashes, NDArray[np.uint16]]:
        """Return the keys that were counted so often or more, ascending, and their counts."""
        self._count()
        chosen = self._counts >= least
        return self._keys[chosen], self._counts[chosen]

    def keep(self, most: int) -> None:
        """Keep the highest counts, of equal ones those with the lowest keys."""
        self._count()
        if len(self._keys) > most:
            # a crawl waits for this, and most of very many have a count of 1: no sorting of all
            least = np.partition(self._counts, len(self._counts) - most)[len(self._counts) - most]
            above = np.flatnonzero(self._counts > least)
            equal = np.flatnonzero(self._counts == least)[: most - len(above)]
            kept = np.sort(np.concatenate((above, equal)))
            self._keys, self._counts = self._keys[kept], self._counts[kept]

    def _count(self) -> None:
        if not self._new:
            return
        new, self._new, self._pending = np.frombuffer(b"".join(self._new), "<u8"), [], 0
        keys, found = np.unique(new, return_counts=True)
        counts = found.astype(np.uint16)
        # what was counted before is in order: sorting it again takes many times its memory
        places = self._keys.searchsorted(keys)
        is_known = places < len(self._keys)
        is_known[is_known] = self._keys[places[is_known]] == keys[is_known]
        self._counts[places[is_known]] += counts[is_known]
        places = places[~is_known]
        self._keys = np.insert(self._keys, places, keys[~is_known])
        self._counts = np.insert(self._counts, places, counts[~is_known])


@dataclass(slots=True)
class Name:
    """What is known of the pages that share a name."""

    pages: int = 0
    """How many of them have arrived."""
    samples: bytes = b""
    """The samples of words of those that counted, one after another."""

    def __len__(self) -> int:
        """Return how many of its pages counted."""
        return len(self.samples) // WORD_SAMPLE

    def has_like(self, sample: bytes) -> bool:
        """Return True if the words of a page are those of one that counted, to four fifths."""
        if not self.samples:
            return False
        known = np.frombuffer(self.samples, np.uint8).reshape(-1, WORD_SAMPLE)
        page = np.frombuffer(sample, np.uint8)
        shared = ((known == page) & (page > 0)).sum(axis=1)
        all_of_both = ((known | page) > 0).sum(axis=1)
        return bool((5 * shared >= 4 * all_of_both).any())


@dataclass(slots=True)
class SiteCounts:
    """What is counted of a host, for its next generation."""

    pages: int = 0
    """Pages with different text that have arrived."""
    counted: int = 0
    """Different pages among them."""
    names: dict[int, Name] = field(default_factory=dict)
    units: UnitCounts = field(default_factory=UnitCounts)
    title_parts: UnitCounts = field(default_factory=UnitCounts)
    """Different names that have a part."""

    def learn(self, arrival: Arrival) -> bool:
        """Count a page whose text is new; return False if enough of them have been seen."""
        if self.pages >= LAST_PAGE:
            return False
        self.pages += 1
        name = self.names.get(arrival.name)
        if name is None:
            name = self.names[arrival.name] = Name()
            self.title_parts.add(arrival.title_parts)
        name.pages += 1
        most = SAME_NAME_OF_ALL if 2 * name.pages >= self.pages else SAME_NAME
        if len(name) < most and not name.has_like(arrival.sample):
            name.samples += arrival.sample
            self.counted += 1
            self.units.add(arrival.units)
        return True

    @property
    def is_due(self) -> bool:
        """Whether a generation begins with so many pages."""
        return self.pages >= FIRST_GENERATION and self.pages.bit_count() == 1

    def generation(self, number: int) -> SiteMemory:
        """Return what the counts say, as a new generation; what is too much to keep is dropped."""
        self.units.keep(max(SMALL_HOST, UNITS_A_PAGE * self.pages))
        self.title_parts.keep(SMALL_HOST)
        shared = self.title_parts.frequent(SHARED_NAME)[0]
        units = pack_numbers(*self.units.frequent(FEWEST))
        return SiteMemory(number, self.counted, units, frozenset(shared.tolist()))

    def publish(self, generation: int) -> bytes:
        """Return what is known as of a generation, packed."""
        return self.generation(generation).pack()

    def pack(self) -> bytes:
        names = sorted(self.names.items())
        (units, units_on), (parts, parts_on) = self.units.frequent(1), self.title_parts.frequent(1)
        keys = (np.array([name for name, _ in names], np.uint64), units, parts)
        pages = np.array([[one.pages, len(one)] for _, one in names], np.uint16).reshape(-1, 2).T
        counts = (*pages, units_on, parts_on)
        head = _HEAD.pack(self.pages, *map(len, keys))
        samples = b"".join([one.samples for _, one in names])
        return head + pack_numbers(np.concatenate(keys), np.concatenate(counts)) + samples

    @classmethod
    def unpack(cls, data: bytes) -> SiteCounts:
        pages, *lengths = _HEAD.unpack_from(data)
        named, units, parts = lengths
        keys, at = unpack_numbers(data, "<u8", lengths, _HEAD.size)
        counts, at = unpack_numbers(data, "<u2", (named, named, units, parts), at)
        ends = np.cumsum([0, *counts[1].tolist()]) * WORD_SAMPLE + at
        if ends[-1] != len(data):
            raise ValueError(f"{len(data):,} bytes in place of {ends[-1]:,}")
        columns = zip(keys[0].tolist(), counts[0].tolist(), pairwise(ends.tolist()), strict=True)
        names = {name: Name(seen, data[start:end]) for name, seen, (start, end) in columns}
        tables = UnitCounts(keys[1], counts[2]), UnitCounts(keys[2], counts[3])
        return cls(pages, int(counts[1].sum(dtype=np.int64)), names, *tables)
