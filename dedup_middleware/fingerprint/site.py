"""Site memory: what the pages of a host have in common, learned from those that arrived.

A block of text that many different pages of a host share is boilerplate, however it is marked up.
Arrivals are counted, never verdicts, so that what is learned can't depend on itself; copies of one
page, told by their text or their name, count once. What was learned changes only in numbered
generations, at fixed numbers of pages, so that the same pages in the same order get the same
verdicts. It takes no part in digest and fingerprint.

An address that many different pages declare as theirs is counted like a block: it can't be true.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import mmh3
import numpy as np

from dedup_middleware import core
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.outline import KINDS
from dedup_middleware.urls import url_key

from .hashing import distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline

    from .hashing import Hashes

FIRST_GENERATION = 4  # pages; each generation has twice as many as the one before
LAST_PAGE = 4096  # what a host's template is, so many pages have shown
FEWEST, SHARE = 3, 0.08
"""A block is boilerplate if so many pages have it, and such a share of all."""
SHARED_NAME = 4
"""Different names of a host that have a part which names no page, but the site or a chapter."""
MOST_BLOCKS = 4096
_SEED = 0x517E
_ARRIVAL = struct.Struct("<H2Q")
_FOUND = struct.Struct("<QI")
_MEMORY = struct.Struct("<3I")
_COUNTS = struct.Struct("<5I")
_HEADING = KINDS.index("heading")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a page tells about its host."""

    text: int
    """A hash of its visible text."""
    name: int
    """A hash of its title and main heading; 0 if it has neither."""
    blocks: bytes
    """Hashes of its blocks, each once, eight bytes each."""
    title_parts: bytes = b""

    def pack(self) -> bytes:
        head = _ARRIVAL.pack(len(self.blocks) // 8, self.text, self.name)
        return head + self.blocks + self.title_parts

    @classmethod
    def unpack(cls, data: bytes) -> Arrival:
        count, text, name = _ARRIVAL.unpack_from(data)
        end = _ARRIVAL.size + 8 * count
        return cls(text, name, data[_ARRIVAL.size : end], data[end:])


@dataclass(frozen=True)
class SiteMemory:
    """What is known of a host, as of a generation."""

    generation: int = 0
    """0 while the template is unknown."""
    boilerplate: frozenset[int] = frozenset()
    """Hashes of blocks that are boilerplate."""
    shared_names: frozenset[int] = frozenset()
    """Hashes of parts of titles, and of headings, that name the site or a chapter."""

    @cached_property
    def packed_boilerplate(self) -> bytes:
        """The hashes of blocks that are boilerplate, ascending, eight bytes each."""
        return _pack_numbers(sorted(self.boilerplate))

    def pack(self) -> bytes:
        sets = (self.boilerplate, self.shared_names)
        head = _MEMORY.pack(self.generation, *map(len, sets))
        return head + b"".join(map(_pack_numbers, map(sorted, sets)))

    @classmethod
    def unpack(cls, data: bytes) -> SiteMemory:
        generation, *lengths = _MEMORY.unpack_from(data)
        numbers = _unpack_numbers(data, lengths, _MEMORY.size)
        return cls(generation, *(frozenset(one.tolist()) for one in numbers))


UNKNOWN_SITE = SiteMemory()


_NONE = np.empty(0, np.uint64)


class BlockCounts:
    """Counts by the hash of a block. Pages are kept as they come, and counted together.

    >>> counts = BlockCounts()
    >>> for page in ([7, 8], [7]):
    ...     counts.add(np.array(page, np.uint64))
    >>> counts.frequent(2)
    frozenset({7})
    """

    def __init__(self, hashes: Hashes = _NONE, counts: NDArray[np.integer] = _NONE) -> None:
        """Begin with the counts of some hashes, which ascend."""
        self._hashes = hashes
        self._counts = counts.astype(np.int64)
        self._new: list[Hashes] = []

    def add(self, blocks: Hashes) -> None:
        """Count the blocks of a page, each once."""
        if len(blocks):
            self._new.append(blocks)

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def hashes(self) -> Hashes:
        """All hashes, ascending."""
        self._count()
        return self._hashes

    def of(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the counts of some hashes; 0 of those that were never counted."""
        known = self.hashes
        if not len(known):
            return np.zeros(len(hashes), np.int64)
        places = known.searchsorted(hashes).clip(max=len(known) - 1)
        return np.where(known[places] == hashes, self._counts[places], 0)

    def frequent(self, least: float) -> frozenset[int]:
        """Return the hashes that were counted so often, or more."""
        self._count()
        return frozenset(self._hashes[self._counts >= least].tolist())

    def keep(self, most: int) -> None:
        """Keep the highest counts, of equal ones those with the lowest hashes."""
        self._count()
        if len(self._hashes) > most:
            # a crawl waits for this, and most of very many have a count of 1: no sorting of all
            least = np.partition(self._counts, len(self._counts) - most)[len(self._counts) - most]
            above = np.flatnonzero(self._counts > least)
            equal = np.flatnonzero(self._counts == least)[: most - len(above)]
            kept = np.sort(np.concatenate((above, equal)))
            self._hashes, self._counts = self._hashes[kept], self._counts[kept]

    def _count(self) -> None:
        if self._new:
            new, self._new = self._new, []
            hashes, counts = np.unique(np.concatenate(new), return_counts=True)
            both, places = np.unique(np.concatenate((self._hashes, hashes)), return_inverse=True)
            counted = np.bincount(places, np.concatenate((self._counts, counts)), len(both))
            self._hashes, self._counts = both, counted.astype(np.int64)


@dataclass(slots=True)
class SiteCounts:
    """What is counted of a host, for its next generation."""

    pages: int = 0
    """Pages with different text that have arrived."""
    texts: set[int] = field(default_factory=set)
    names: set[int] = field(default_factory=set)
    by_text: BlockCounts = field(default_factory=BlockCounts)
    """Pages that have a block."""
    by_name: BlockCounts = field(default_factory=BlockCounts)
    """Pages of different names that have a block."""
    title_parts: BlockCounts = field(default_factory=BlockCounts)

    def learn(self, arrival: Arrival) -> bool:
        """Count a page; return False if it tells nothing new."""
        if self.pages >= LAST_PAGE or arrival.text in self.texts:
            return False
        self.pages += 1
        self.texts.add(arrival.text)
        blocks = np.frombuffer(arrival.blocks, "<u8")
        self.by_text.add(blocks)
        if arrival.name not in self.names:
            self.names.add(arrival.name)
            self.by_name.add(blocks)
            self.title_parts.add(np.frombuffer(arrival.title_parts, "<u8"))
        return True

    @property
    def is_due(self) -> bool:
        """Whether a generation begins with so many pages."""
        return self.pages >= FIRST_GENERATION and self.pages.bit_count() == 1

    def generation(self, number: int) -> SiteMemory:
        """Return what the counts say, as a new generation; what is too much to keep is dropped."""
        # near copies have one name; where names say nothing, as all are the same, texts must do
        named = len(self.names) * 2 >= self.pages
        blocks = self.by_name if named else self.by_text
        memory = SiteMemory(
            number,
            blocks.frequent(max(FEWEST, SHARE * self.pages)),
            self.title_parts.frequent(SHARED_NAME),
        )
        for table in (self.by_text, self.by_name, self.title_parts):
            table.keep(MOST_BLOCKS)
        return memory

    def pack(self) -> bytes:
        blocks = np.union1d(self.by_text.hashes, self.by_name.hashes)
        parts = self.title_parts.hashes
        seen = [np.array(sorted(one), np.uint64) for one in (self.texts, self.names)]
        columns = [*seen, blocks, parts]
        counts = (self.by_text.of(blocks), self.by_name.of(blocks), self.title_parts.of(parts))
        head = _COUNTS.pack(self.pages, *map(len, columns))
        numbers = np.concatenate(columns).astype("<u8").tobytes()
        return head + numbers + np.concatenate(counts).astype("<u2").tobytes()

    @classmethod
    def unpack(cls, data: bytes) -> SiteCounts:
        pages, *lengths = _COUNTS.unpack_from(data)
        texts, names, blocks, parts = _unpack_numbers(data, lengths, _COUNTS.size)
        counts = np.frombuffer(data, "<u2", offset=_COUNTS.size + 8 * sum(lengths))
        tables, at = [], 0
        for hashes in (blocks, blocks, parts):
            here = counts[at : at + len(hashes)]
            tables.append(BlockCounts(hashes[here > 0], here[here > 0]))
            at += len(hashes)
        return cls(pages, {*texts.tolist()}, {*names.tolist()}, *tables)

    @staticmethod
    def packed_pages(data: bytes) -> int:
        """Return the number of pages without unpacking the rest."""
        pages: int = _COUNTS.unpack_from(data)[0]
        return pages


def _pack_numbers(numbers: Collection[int]) -> bytes:
    return np.fromiter(numbers, "<u8", len(numbers)).tobytes()


def _unpack_numbers(data: bytes, lengths: Iterable[int], at: int) -> Iterator[Hashes]:
    for length in lengths:
        yield np.frombuffer(data, "<u8", length, at)
        at += 8 * length


def arrival_of(outline: Outline, digest: bytes, url: str = "") -> Arrival:
    """Return what a page at a URL tells about its host; `digest` is that of its visible text."""
    heading = main_heading(outline)
    # all blocks: what structure tells to be boilerplate on one page it may miss on another
    blocks = outline.source.blocks if outline.source else b""
    lines = b"" if blocks else outline.lines
    found = core.call_parts("arrival", (utf8(outline.title), utf8(heading), blocks, lines))
    name, count = _FOUND.unpack_from(found)
    end = _FOUND.size + 8 * count
    packed, address = found[_FOUND.size : end], outline.identity.address
    if address and address != url and url_key(address) != url_key(url):
        hashes = np.append(np.frombuffer(packed, "<u8"), np.uint64(address_mark(address)))
        packed = distinct(hashes).astype("<u8").tobytes()
    return Arrival(int.from_bytes(digest[:8], "little"), name, packed, found[end:])


def without(outline: Outline, site: SiteMemory) -> Outline:
    """Mark the blocks of a page that its host's memory takes for boilerplate."""
    return without_and_count(outline, site)[0]


def without_and_count(outline: Outline, site: SiteMemory) -> tuple[Outline, int]:
    """Mark the blocks that a page shares with its host; count the words of main text in them."""
    if not site.boilerplate:
        return outline, 0
    blocks = outline.source.blocks if outline.source else b""
    parts = (site.packed_boilerplate, blocks, outline.boilerplate, outline.lines)
    found = core.call_parts("mark_shared", parts)
    if not found:
        return outline, 0
    return outline.marked(found[4:]), int.from_bytes(found[:4], "little")


def main_heading(outline: Outline) -> str:
    """Return the first heading of the main text; empty if there is none."""
    if outline.packed:
        return outline.packed.first_heading
    for kind, boilerplate, text in zip(
        outline.kinds, outline.boilerplate, outline.texts, strict=True
    ):
        if kind == _HEADING and text and not boilerplate:
            return text
    return ""


def title_parts(title: str) -> list[str]:
    """Split a title at what usually divides the name of a page from that of its site.

    >>> title_parts("Tides - The Sea | Example.org")
    ['Tides', 'The Sea', 'Example.org']
    """
    found = core.call("title_parts", utf8(title)).decode() if title else ""
    return found.split("\n") if found else []


def address_mark(url: str) -> int:
    """Return what counts how many pages declare one address: a line feed is in no block."""
    return block_hash(f"address\n{url_key(url).hex()}")


def block_hash(text: str) -> int:
    value: int = mmh3.hash64(utf8(text), _SEED, signed=False)[0]
    return value
