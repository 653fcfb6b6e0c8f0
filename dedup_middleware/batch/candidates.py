"""Stages *candidates* and *compare*: which pages share look-up keys, and which of them are alike.

Pages are numbered by arrival. A pair is a page and a known one, which arrived before it. What
shares keys and looks alike to samples joins so many pages that the largest components hold most of
a site. Compared in full, few pairs are left, and components are small.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.scheme import (
    DIGEST,
    PAIR,
    SHINGLE,
    SIMHASH,
    Sketch,
    distance,
    estimates,
)
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory
from dedup_middleware.judge.cascade import CACHED_WORDS, Cascade
from dedup_middleware.judge.decide import likely_relation
from dedup_middleware.judge.match import (
    REWORDED_PAIRS,
    gate,
    is_near_match,
    is_worth_comparing,
)
from dedup_middleware.similarity import compare_hashes
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.store.engine import LEAST_PAIRS
from dedup_middleware.store.packing import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint import Fingerprint
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Prepared

    Numbers = NDArray[np.int64]

# How many keys of each kind two pages share, in one number; a page has less than 2¹² of a kind.
_BITS = 12
_UNIT = np.zeros(8, np.int64)
_UNIT[[SHINGLE, SIMHASH, PAIR, DIGEST]] = 1 << (_BITS * np.arange(4))
_TAG_SHIFT = 56
_SIMHASH = Struct("<Q")
MOST_AT_ONCE = 1 << 21  # pairs

SAME, ALIKE, REWORDED = 1, 2, 3
"""Why two pages are worth comparing: they have the same text, shingles or words in common."""


class Pairs(NamedTuple):
    """Columns of pairs, and the keys that the pages of each share."""

    page: Numbers
    known: Numbers
    shared: Numbers


def pairs_of(keys: Numbers, pages: Numbers, cap: int) -> Iterator[Pairs]:
    """Yield the pairs of pages that share keys, some at a time; a pair may come more than once.

    A row of the columns is a key and a page that has it; all rows with a key must be there. Of the
    pages with a key the first `cap` are known to those that come later.
    """
    order = np.lexsort((pages, keys))
    keys, pages = keys[order], pages[order]
    first = _group_begins(keys)
    known = np.minimum(np.arange(len(keys)) - first, cap)  # how many pages each row is paired with
    before = np.cumsum(known) - known
    for start, end in _slices(before, MOST_AT_ONCE):
        here = known[start:end]
        within = np.arange(here.sum()) - np.repeat(before[start:end] - before[start], here)
        yield summed(
            Pairs(
                np.repeat(pages[start:end], here),
                pages[np.repeat(first[start:end], here) + within],
                np.repeat(_UNIT[keys[start:end] >> _TAG_SHIFT], here),
            )
        )


def summed(pairs: Pairs) -> Pairs:
    """Return each pair once, with all the keys that its pages share."""
    if not len(pairs.page):
        return pairs
    order = np.lexsort((pairs.known, pairs.page))
    page, known, shared = (column[order] for column in pairs)
    new = np.r_[True, (page[1:] != page[:-1]) | (known[1:] != known[:-1])]
    return Pairs(page[new], known[new], np.add.reduceat(shared, np.flatnonzero(new)))


def condition(column: str) -> str:
    """Return in SQL which pairs share enough keys for the pages to be looked at."""
    pairs = f"{column} div {_UNIT[PAIR]} % {1 << _BITS} >= {LEAST_PAIRS}"
    return f"({column} % {_UNIT[PAIR]} > 0 or {pairs} or {column} >= {_UNIT[DIGEST]})"


def have_digest(shared: Numbers) -> NDArray[np.bool_]:
    """Return which pairs have the same text."""
    equal: NDArray[np.bool_] = shared >= _UNIT[DIGEST]
    return equal


def sketched(page: Fingerprint) -> bytes:
    """Pack what `may_be_alike` needs of a page."""
    return _SIMHASH.pack(page.simhash) + page.sketch.packed


def may_be_alike(page: bytes, known: Sequence[bytes], settings: Settings) -> list[int]:
    """Return how known pages may be like a page, each as `sketched` packs it: 0 if not at all."""
    simhash, sketch = _unpacked(page)
    simhashes, sketches = zip(*map(_unpacked, known), strict=True)
    lowest = gate(settings)
    return [
        (REWORDED if estimate.pairs >= REWORDED_PAIRS else ALIKE)
        if is_worth_comparing(distance(simhash, other), estimate, lowest)
        else 0
        for other, estimate in zip(simhashes, estimates(sketch, sketches), strict=True)
    ]


def _group_begins(keys: Numbers) -> Numbers:
    """Return for each of some sorted keys where the first equal one is."""
    return np.searchsorted(keys, keys)


def _slices(before: Numbers, most: int) -> Iterator[tuple[int, int]]:
    """Cut rows into slices in which so many come up at most, given how many came up before each."""
    start = 0
    while start < len(before):
        end = max(start + 1, int(np.searchsorted(before, before[start] + most)))
        yield start, end
        start = end


def _unpacked(packed: bytes) -> tuple[int, Sketch]:
    (simhash,) = _SIMHASH.unpack_from(packed)
    return simhash, Sketch(packed[_SIMHASH.size :])


def components(ones: Numbers, others: Numbers) -> tuple[Numbers, Numbers]:
    """Return all members of some pairs, ascending, and the first member of each one's component.

    >>> nodes, firsts = components(np.array([9, 5, 7]), np.array([5, 2, 8]))
    >>> nodes.tolist(), firsts.tolist()
    ([2, 5, 7, 8, 9], [2, 2, 7, 7, 2])
    """
    nodes, places = np.unique(np.concatenate((ones, others)), return_inverse=True)
    one, other = places[: len(ones)], places[len(ones) :]
    first = np.arange(len(nodes))
    while len(one):
        # each root that is not the lowest of those it meets is hung below that, then paths are cut
        low, high = np.minimum(first[one], first[other]), np.maximum(first[one], first[other])
        np.minimum.at(first, high, low)
        while not np.array_equal(jumped := first[first], first):
            first = jumped
        apart = first[one] != first[other]
        one, other = one[apart], other[apart]
    return nodes, nodes[first]


class Stored(NamedTuple):
    """A page as a comparison gets it."""

    arrival: int
    why: int
    """Why it is worth comparing."""
    outline: bytes
    memory: bytes | None
    """The memory of its site, as of the arrival of the page that is judged."""


class Comparer:
    """Compares pages as the judge will; keeps those that were compared last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._cascade = Cascade(settings)
        self._cache = PreparedCache(CACHED_WORDS)

    def related(self, page: Stored, known: Iterable[Stored]) -> Iterator[int]:
        """Yield the known pages that a page may turn out to repeat, to hold or to be suspect of.

        Context can only speak against a relation, so that it may be left out here, and so do facts.
        """
        own = self._prepared(page)
        for one in known:
            other, is_reworded = self._prepared(one), one.why == REWORDED
            (by_hashes,) = compare_hashes(own, [other])
            if is_reworded or is_near_match(by_hashes, self._settings):
                (compared,) = self._cascade.compare([by_hashes], own, [other])
                if likely_relation(compared, self._settings):
                    yield one.arrival

    def _prepared(self, page: Stored) -> Prepared:
        memory = SiteMemory.unpack(page.memory) if page.memory else UNKNOWN_SITE
        key = page.arrival, memory.generation
        found = self._cache.get(key)
        if found is None:
            found = self._cascade.prepare(unpack(page.outline), memory)
            words = len(page.outline) // 3  # compressed, about
            found = self._cache.put(key, words, found)
        return found
