"""Site memory: what is known of a host from the pages that arrived, and what each tells about it.

A unit of text that many different pages of a host show is boilerplate, however it is marked up. The
memory says how many show it (`rarity.py` counts them). Arrivals are counted, never verdicts, so
that what is learned can't depend on itself. It changes only in numbered generations, at fixed
numbers of pages, so that the same pages in the same order get the same verdicts. It takes no part
in digest and fingerprint.

An address that many different pages declare as theirs is counted like a unit: it can't be true.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import mmh3
import numpy as np

from dedup_middleware import core
from dedup_middleware.read.outline import KINDS
from dedup_middleware.read.words import utf8
from dedup_middleware.urls import url_key

from .hashing import distinct
from .scheme import WORD_SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dedup_middleware.read import Outline

    from .hashing import Hashes
    from .scheme import Fingerprint

FEWEST, SHARE = 3, 0.08
"""A unit is boilerplate if so many different pages show it, and such a share of all."""
_SEED = 0x517E
_ARRIVAL = struct.Struct(f"<H2Q{WORD_SAMPLE}s")
_FOUND = struct.Struct("<QI")
_MEMORY = struct.Struct("<4I")
_HEADING = KINDS.index("heading")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a page tells about its host."""

    text: int
    """A hash of its visible text."""
    name: int
    """A hash of its title and main heading; 0 if it has neither."""
    units: bytes
    """Keys of its units, each once and ascending, eight bytes each; of very many the lowest."""
    title_parts: bytes = b""
    sample: bytes = bytes(WORD_SAMPLE)
    """Of the words of its main text, which distinguishes pages of one name."""

    def pack(self) -> bytes:
        head = _ARRIVAL.pack(len(self.units) // 8, self.text, self.name, self.sample)
        return head + self.units + self.title_parts

    @classmethod
    def unpack(cls, data: bytes) -> Arrival:
        count, text, name, sample = _ARRIVAL.unpack_from(data)
        end = _ARRIVAL.size + 8 * count
        return cls(text, name, data[_ARRIVAL.size : end], data[end:], sample)


@dataclass(frozen=True)
class SiteMemory:
    """What is known of a host, as of a generation."""

    generation: int = 0
    """0 while the template is unknown."""
    names: int = 0
    """How many different pages were counted."""
    units: bytes = b""
    """On how many different pages each unit stands, if on `FEWEST` or more.

    Two columns of little-endian numbers, ten bytes a unit: the keys, ascending, eight bytes each;
    then as many counts, two bytes each. The core reads them as they are (`native/src/rarity.rs`).
    """
    shared_names: frozenset[int] = frozenset()
    """Hashes of parts of titles, and of headings, that name the site or a chapter."""
    revisited: int = 0
    """The generation of what revisits have shown, which is published apart."""
    volatile: bytes = b""
    """The shapes of text that changes by itself (`volatile.py`), ascending, eight bytes each."""

    @property
    def version(self) -> int:
        """A number that is another one when anything else is known."""
        return self.generation + (self.revisited << 8)

    @property
    def repeated(self) -> int:
        """How many different pages show what is repeated by the host: its boilerplate."""
        return max(FEWEST, ceil(SHARE * self.names))

    @cached_property
    def repeats(self) -> bool:
        """Whether any unit is boilerplate."""
        return bool((self._columns[1] >= self.repeated).any())

    def df(self, key: int) -> int:
        """Return on how many different pages a unit stands; 0 if on fewer than `FEWEST`."""
        keys, counts = self._columns
        place = int(keys.searchsorted(np.uint64(key)))
        return int(counts[place]) if place < len(keys) and int(keys[place]) == key else 0

    @cached_property
    def _columns(self) -> tuple[Hashes, NDArray[np.uint16]]:
        count = len(self.units) // 10
        keys = np.frombuffer(self.units, "<u8", count)
        return keys, np.frombuffer(self.units, "<u2", offset=keys.nbytes)

    def pack(self) -> bytes:
        shared = np.array(sorted(self.shared_names), "<u8")
        head = _MEMORY.pack(self.generation, self.names, len(self.units) // 10, len(shared))
        return head + self.units + shared.tobytes()

    @classmethod
    def unpack(cls, data: bytes) -> SiteMemory:
        generation, names, units, shared = _MEMORY.unpack_from(data)
        end = _MEMORY.size + 10 * units
        (parts,), whole = unpack_numbers(data, "<u8", (shared,), end)
        if whole != len(data):
            raise ValueError(f"{len(data):,} bytes in place of {whole:,}")
        return cls(generation, names, data[_MEMORY.size : end], frozenset(parts.tolist()))


UNKNOWN_SITE = SiteMemory()


def pack_numbers(keys: Hashes, counts: NDArray[np.integer]) -> bytes:
    """Return a column of keys, eight bytes each, and one of counts, two bytes each."""
    return keys.astype("<u8").tobytes() + counts.astype("<u2").tobytes()


def unpack_numbers(
    data: bytes, form: str, lengths: Iterable[int], at: int
) -> tuple[list[NDArray[Any]], int]:
    """Return columns of such lengths that stand one after another, and where they end."""
    found = []
    for length in lengths:
        found.append(np.frombuffer(data, form, length, at))
        at += found[-1].nbytes
    return found, at


def arrival_of(outline: Outline, made: Fingerprint, url: str = "") -> Arrival:
    """Return what a page at a URL tells about its host."""
    heading = main_heading(outline)
    # all units: what structure tells to be boilerplate on one page it may miss on another
    parts = (utf8(outline.title), utf8(heading), *_units(outline))
    found = core.call_parts("arrival", parts)
    name, count = _FOUND.unpack_from(found)
    end = _FOUND.size + 8 * count
    packed, address = found[_FOUND.size : end], outline.identity.address
    if address and address != url and url_key(address) != url_key(url):
        hashes = np.append(np.frombuffer(packed, "<u8"), np.uint64(address_mark(address)))
        packed = distinct(hashes).astype("<u8").tobytes()
    text = int.from_bytes(made.digest[:8], "little")
    return Arrival(text, name, packed, found[end:], made.word_sample)


def without(outline: Outline, site: SiteMemory) -> Outline:
    """Mark the blocks of a page that its host repeats, and those that are volatile there."""
    return without_and_count(outline, site)[0]


def without_and_count(outline: Outline, site: SiteMemory) -> tuple[Outline, int]:
    """Mark the blocks of a page as `without` does; count the words of main text in them."""
    if not site.repeats and not site.volatile:
        return outline, 0
    least = site.repeated.to_bytes(4, "little")
    parts = (site.units, least, site.volatile, outline.boilerplate, *_units(outline))
    found = core.call_parts("mark_shared", parts)
    if not found:
        return outline, 0
    return outline.marked(found[4:]), int.from_bytes(found[:4], "little")


def _units(outline: Outline) -> tuple[bytes, ...]:
    """Return the keys and nodes of the units of a page, if they are known, and its columns."""
    known = outline.source.units if outline.source else (b"", b"")
    return (*known, outline.kinds, outline.links, outline.lines)


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


def is_true_address(url: str, site: SiteMemory) -> bool:
    """Return False if so many pages of a host declare an address that it can't be theirs."""
    return site.df(address_mark(url)) < site.repeated


def address_mark(url: str) -> int:
    """Return the key that counts how many pages declare an address: a line feed is in no unit."""
    return block_hash(f"address\n{url_key(url).hex()}")


def block_hash(text: str) -> int:
    value: int = mmh3.hash64(utf8(text), _SEED, signed=False)[0]
    return value
