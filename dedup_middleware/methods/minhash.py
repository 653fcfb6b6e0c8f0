"""MinHash with locality-sensitive hashing, which Kakar's paper names for large collections."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.errors import SettingError
from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.settings import ranged

from ._index import fold_columns, post
from .base import IndexedMethod, Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .base import Document

    Signature = NDArray[np.uint32]

_BANDS = b"bands"
_SHAPE = struct.Struct(">HH")
_VALUE = np.dtype(">u4")
_SEED = 0x3141
_AT_ONCE = 1024  # shingles: intermediate values stay in the processor's cache
_STEPS = 1000


@dataclass
class Minhash(IndexedMethod):
    """The resemblance of word shingles, estimated from the smallest of many hashes of each set.

    Two documents are compared if all `rows` values of one of `bands` bands are equal. Of documents
    with resemblance s, that finds 1 - (1 - s^rows)^bands. Unless they are given, bands and rows are
    chosen so that least is missed above the threshold and least found in vain below it; an index
    keeps those it was created with. The standard error of the estimate is
    √(s (1 - s) / permutations).

    A band leads to the first `max_postings` documents that have it.

    >>> from dedup_middleware.methods import Document
    >>> minhash = Minhash(width=2)
    >>> minhash.add(Document.of_text("a", "the tide came in and lifted the boats at night"))
    >>> minhash.candidates(Document.of_text("b", "the tide came in and lifted the boats at noon"))
    [Match(name='a', forward=0.7734375, backward=0.7734375)]
    """

    threshold: float = ranged(0.5, "Resemblance from which documents are alike.", 0.0, 1.0)
    width: int = ranged(4, "Words of a shingle.", 1, 100)
    permutations: int = ranged(128, "Values of a signature.", 2, 1024)
    bands: int = ranged(0, "Bands of a signature; 0: chosen by the threshold.", 0, 1024)
    rows: int = ranged(0, "Values of a band; 0: chosen by the threshold or the bands.", 0, 1024)
    max_postings: int = ranged(64, "Most documents listed under one band.", 1, 100_000)

    def __post_init__(self) -> None:
        bands, rows = max(self.bands, 1), max(self.rows, 1)
        if bands * rows > self.permutations:
            raise SettingError(
                f"{bands} bands of {rows} rows need as many permutations: "
                f"set permutations to {bands * rows}, or fewer bands or rows"
            )

    def add(self, document: Document) -> None:
        shingles = document.shingles(self.width)
        if not len(shingles):
            return
        bands, rows = self._shape
        self.tables.put(_BANDS, _SHAPE.pack(bands, rows))
        made = signature(shingles, self.permutations)
        keys = band_keys(made, bands, rows)
        number = self._enter(document.name, made.astype(_VALUE).tobytes())
        post(self.tables, keys, number, self.max_postings)

    def candidates(self, document: Document) -> list[Match]:
        shingles = document.shingles(self.width)
        if not len(shingles):
            return []
        made = signature(shingles, self.permutations)
        found = self.tables.postings(band_keys(made, *self._shape))
        matches = []
        for number in np.unique(found.numbers).tolist():
            name, data = self._entry(number)
            alike = float(np.mean(np.frombuffer(data, _VALUE) == made))
            matches.append(Match(name, alike, alike))
        return matches

    @property
    def _shape(self) -> tuple[int, int]:
        """How many bands there are, and how many rows each has."""
        begun = self.tables.get(_BANDS)
        if begun:
            bands, rows = _SHAPE.unpack(begun)
            return bands, rows
        if self.bands and self.rows:
            return self.bands, self.rows
        if self.bands:
            return self.bands, self.permutations // self.bands
        if self.rows:
            return self.permutations // self.rows, self.rows
        return best_bands(self.threshold, self.permutations)


def signature(shingles: Hashes, permutations: int) -> Signature:
    """Return the smallest value of some shingles under each of many hash functions.

    >>> one = signature(np.array([5, 6, 7, 8], np.uint64), 4)
    >>> signature(np.array([8, 7, 6, 5], np.uint64), 4).tolist() == one.tolist()
    True
    """
    factors, offsets = _functions(permutations)
    smallest = np.full(permutations, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, len(shingles), _AT_ONCE):
        values = np.multiply.outer(factors, shingles[start : start + _AT_ONCE])
        values += offsets
        np.minimum(smallest, values.min(axis=1), out=smallest)
    return (smallest >> np.uint64(32)).astype(np.uint32)  # the upper half is mixed better


def band_keys(made: Signature, bands: int, rows: int) -> Hashes:
    """Return a key for each band of a signature.

    >>> len(band_keys(signature(np.array([5], np.uint64), 128), 32, 4))
    32
    """
    parts = made[: bands * rows].reshape(bands, rows).T.astype(np.uint64)
    numbered = np.concatenate((np.arange(bands, dtype=np.uint64).reshape(1, -1), parts))
    return fold_columns(numbered)


@cache
def best_bands(threshold: float, permutations: int) -> tuple[int, int]:
    """Choose bands and rows with the fewest mistakes of both kinds together.

    These are the areas under the curve 1 - (1 - s^rows)^bands below the threshold, and above the
    curve beyond the threshold.

    >>> best_bands(0.5, 128)
    (25, 5)
    """
    below = threshold * (np.arange(_STEPS) + 0.5) / _STEPS
    above = threshold + (1 - threshold) * (np.arange(_STEPS) + 0.5) / _STEPS
    best = (np.inf, 1, 1)
    for rows in range(1, permutations + 1):
        for bands in range(1, permutations // rows + 1):
            in_vain = threshold * np.mean(found_share(below, bands, rows))
            missed = (1 - threshold) * np.mean(1 - found_share(above, bands, rows))
            best = min(best, (round(float(in_vain + missed), 12), bands, rows))
    return best[1:]


def found_share(resemblance: NDArray[np.float64], bands: int, rows: int) -> NDArray[np.float64]:
    """Return the share of pairs with some resemblance that at least one band finds."""
    return 1 - (1 - resemblance**rows) ** bands


@cache
def _functions(permutations: int) -> tuple[Hashes, Hashes]:
    """Return factors and offsets of hash functions, the same on every machine."""
    numbers = np.arange(2 * permutations, dtype=np.uint64) + np.uint64(_SEED)
    mixed = shingle_hashes(numbers, 1).reshape(2, -1, 1)
    return mixed[0, :, 0] | np.uint64(1), mixed[1]
