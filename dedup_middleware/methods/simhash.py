"""SimHash of words weighted by idf, a rival of CoDet in Varol's thesis (4.1.4).

The package `simhash` computes it; this is what it needs to find documents by it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import simhash

from dedup_middleware.settings import choice, ranged

from ._index import WeightedMethod, WordCounts, fold_columns, post
from .base import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .base import Document

_BITS = 64
_REACH = b"reach"
_FARTHEST = 16
_EVERY = slice(None)
_WORD = (1 << 64) - 1
_UNITS = 1 << 16  # whole weights add up to the same on every machine


@dataclass
class Simhash(WeightedMethod):
    """Words weighted by their idf and folded into 64 or 160 bits, of which few may differ.

    The `skip` rarest words of a document are ignored, as they are often misspellings. Both shares
    are 1 - distance / bits. The thesis has 160 bits, those of SHA-1, of which fewer than three may
    differ.

    The thesis takes its weights from a fixed collection (`refer_to`). Without one they come from
    the documents so far, in stages: a document is weighted by the first 1, 2, 4, 8, … of them, and
    one that is looked up is weighted once for each stage, as the documents that it is compared with
    were.

    All documents are found that differ in no more bits than the threshold allows, at most 16, or
    than `reach` if it is given; an index keeps the reach it was created with. A key leads to the
    first `max_postings` documents only: the farther the reach, the shorter the keys, and the
    sooner they are full.

    >>> from dedup_middleware.methods import Document
    >>> simhash = Simhash(reach=16)
    >>> simhash.add(Document.of_text("a", "the tide came in and lifted the boats at night"))
    >>> simhash.candidates(Document.of_text("b", "At night the tide came in and lifted boats"))
    [Match(name='a', forward=1.0, backward=1.0)]
    """

    threshold: float = ranged(
        0.0, "Share of equal bits from which documents are alike; 0: by the distance.", 0.0, 1.0
    )
    distance: int = ranged(2, "Bits in which documents that are alike may differ.", 0, 160)
    skip: int = ranged(2, "How many of the rarest words are ignored.", 0, 100)
    reach: int = ranged(
        0,
        "Bits that may differ for a document to be found; 0: by the threshold.",
        0,
        _FARTHEST,
    )
    max_postings: int = ranged(64, "Most documents listed under one key.", 1, 100_000)
    bits: str = choice("64", "Bits of a SimHash: 64, or 160 as in the thesis.", "64", "160")

    def __post_init__(self) -> None:
        self.threshold = self.threshold or 1 - self.distance / self._size

    def add(self, document: Document) -> None:
        words = self._weighed(document)
        if not len(words):
            return
        self.tables.put(_REACH, bytes([self._reach]))
        counts = WordCounts(self.tables)
        stage, (value,) = counts.stage, self._values(words, slice(-1, None))
        counts.count(words)
        keys = block_keys(value, stage, self._reach, self._size)
        packed = bytes([stage]) + value.to_bytes(self._size // 8, "big")
        number = self._enter(document.name, packed)
        post(self.tables, keys, number, self.max_postings)

    def candidates(self, document: Document) -> list[Match]:
        words = self._weighed(document)
        if not len(words):
            return []
        reach, values = self._reach, self._values(words)
        size = self._size
        keys = [block_keys(value, stage, reach, size) for stage, value in enumerate(values)]
        matches = []
        for number in np.unique(self.tables.postings(np.concatenate(keys)).numbers).tolist():
            name, data = self._entry(number)
            apart = (int.from_bytes(data[1:], "big") ^ values[data[0]]).bit_count()
            if apart <= reach:
                matches.append(Match(name, 1 - apart / size, 1 - apart / size))
        return matches

    def _weighed(self, document: Document) -> Hashes:
        return np.unique(document.hashes)

    def _values(self, words: Hashes, stages: slice = _EVERY) -> list[int]:
        """Return the SimHash of some words at each of some stages."""
        weights = WordCounts(self.tables).idf_by_stage(words, included=True)[stages]
        rarest = np.argsort(-weights, axis=1, kind="stable")[:, : self.skip]
        np.put_along_axis(weights, rarest, 0, axis=1)
        weights[weights.max(axis=1) == 0] = 1  # where no word has weight, all weigh the same
        return weighted_simhashes(words, weights, self._size)

    @property
    def _reach(self) -> int:
        begun = self.tables.get(_REACH)
        if begun:
            return begun[0]
        return self.reach or min(_FARTHEST, int((1 - self.threshold) * self._size + 1e-6))

    @property
    def _size(self) -> int:
        return int(self.bits)


def weighted_simhashes(
    features: Hashes, weights: NDArray[np.float64], size: int = _BITS
) -> list[int]:
    """Fold features into 64 bits, or their SHA-1 into 160, once for each row of weights.

    A bit is set where the features that have it weigh more than those that lack it. The package
    takes features as text, and a function that hashes it: here, one that looks up the hash.

    >>> features = np.array([0b1100, 0b1011, 0b0100, 0b1111, 0b1000, 0b0110], np.uint64)
    >>> [bin(value) for value in weighted_simhashes(features, np.array([[10, 4, 3, 2, 1, 6]]))]
    ['0b1100']
    """
    names = [f"{feature:x}" for feature in features.tolist()]
    hashes = {name.encode(): int(name, 16).to_bytes(8, "big") for name in names}
    if size != _BITS:
        hashes = {
            name: hashlib.sha1(one, usedforsecurity=False).digest() for name, one in hashes.items()
        }
    # floats: for ints above 255 simhash 2.1.2 raises OverflowError with numpy 2
    rows = np.rint(weights * _UNITS).astype(np.float64).tolist()
    return [
        simhash.Simhash(zip(names, row, strict=True), f=size, hashfunc=hashes.get).value
        for row in rows
    ]


def block_keys(value: int, stage: int, reach: int, size: int = _BITS) -> Hashes:
    """Return keys of which two SimHashes of one stage that differ in few enough bits share one.

    The bits are cut into two blocks more than bits may differ, so that at least two blocks are
    equal: each pair of blocks is a key.

    >>> [len(block_keys(7, 1, reach)) for reach in (0, 2, 3)]
    [1, 6, 10]
    """
    masks = _masks(reach, size)
    tags = np.arange(masks.shape[1], dtype=np.uint64) << np.uint64(8) | np.uint64(stage)
    words = np.array([[value >> 64 * at & _WORD] for at in range(len(masks))], np.uint64)
    return fold_columns(np.concatenate((masks & words, tags[None])))


@cache
def _masks(reach: int, size: int) -> Hashes:
    """Return the bits of each two blocks, in rows of 64."""
    edges = [size * block // (reach + 2) for block in range(reach + 3)]
    blocks = [(1 << end) - (1 << start) for start, end in pairwise(edges)]
    pairs = [one | other for one, other in combinations(blocks, 2)]
    rows = [[pair >> 64 * at & _WORD for pair in pairs] for at in range(-(-size // 64))]
    return np.array(rows, np.uint64)
