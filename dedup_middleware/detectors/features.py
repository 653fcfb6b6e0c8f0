"""Documents as sets of features, and how much two sets share."""

from __future__ import annotations

import struct
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import flag, ranged

from .detector import IndexedDetector, Match
from .keys import full

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document
    from .tables import Postings

_SIZE = struct.Struct(">I")
_HASH = np.dtype(">u8")


@dataclass
class FeatureDetector(IndexedDetector):
    """Compares sets of 64-bit features; what a feature is, each method says.

    By resemblance, documents are as alike as the share of their features together that stand in
    both; by containment, the shares of either document are told apart.

    A feature leads to the first `max_postings` documents that have it. A later one keeps such a
    feature with its entry, so that its shares are exact all the same; but it is found through its
    other features only, and not at all if it has none: there are as many like it before. Those
    `max_candidates` documents are scored that share most, rare features counting more. So the work
    grows with the length of a document, not with how many are known.
    """

    containment: bool = flag(False, "Compare by containment instead of resemblance.")
    max_postings: int = ranged(64, "Documents that one feature leads to.", 1, 100_000)
    max_candidates: int = ranged(256, "Documents that a document is compared with.", 1, 100_000)

    def add(self, document: Document) -> None:
        features = self._features(document)
        crowded = full(self.tables, features, self.max_postings)
        kept = features[crowded].astype(_HASH).tobytes()
        number = self._enter(document.name, _SIZE.pack(len(features)) + kept)
        self.tables.post(features[~crowded], number)

    def candidates(self, document: Document) -> list[Match]:
        features = self._features(document)
        found = self.tables.postings(features)
        numbers, shared = _most_shared(found, self.max_candidates)
        matches = []
        for number, common in zip(numbers.tolist(), shared.tolist(), strict=True):
            name, data = self._entry(number)
            (size,) = _SIZE.unpack_from(data)
            kept = np.frombuffer(data, _HASH, offset=_SIZE.size)
            whole = common + _common(features, kept.astype(np.uint64))
            matches.append(Match(name, *self._shares(whole, len(features), size)))
        return matches

    @abstractmethod
    def _features(self, document: Document) -> Hashes:
        """Give the distinct features of a document, ascending."""

    def _shares(self, common: int, size: int, other: int) -> tuple[float, float]:
        if self.containment:
            return common / size, common / other
        return (common / (size + other - common),) * 2


def _most_shared(found: Postings, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the documents that share most, by number, and how many keys lead to each."""
    _, counts = np.unique(found.keys, return_counts=True)
    numbers, places, shared = np.unique(found.numbers, return_inverse=True, return_counts=True)
    if len(numbers) <= most:
        return numbers, shared
    rarity = np.bincount(places, 1 / np.repeat(counts, counts))
    best = np.sort(np.argsort(-rarity, kind="stable")[:most])  # of equals the earliest
    return numbers[best], shared[best]


def _common(features: Hashes, others: Hashes) -> int:
    """Count what two ascending arrays of distinct values share."""
    if not len(others):
        return 0
    places = np.minimum(np.searchsorted(features, others), len(features) - 1)
    return int(np.count_nonzero(features[places] == others))
