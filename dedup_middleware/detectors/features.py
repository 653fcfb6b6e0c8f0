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

    Mask = NDArray[np.bool_]

_SHORT = 500  # features
_SIZE = struct.Struct(">I")
_HASH = np.dtype(">u8")
_HEAD_BITS = 17
_TAIL_BITS = np.uint64(64 - _HEAD_BITS)


@dataclass
class FeatureDetector(IndexedDetector):
    """Compares sets of 64-bit features: shingles of some width, of which sort each method says.

    By resemblance, documents are as alike as the share of their features together that stand in
    both; by containment, the shares of either document are told apart.

    Shares are exact, but not all documents are looked at. One feature in `rate` leads to
    documents, all of them in a document of up to 500; it leads to the first `max_postings` that
    have it. A document keeps in its entry what does not lead to it; one to which nothing leads is
    not found, but then as many like it are. Those `max_candidates` are scored that share most, rare
    features counting more. So the work grows with the length of a document, hardly with how many
    are known.
    """

    threshold: float = ranged(0.5, "From which share on documents are alike.", 0.0, 1.0)
    width: int = ranged(4, "Words of a shingle.", 1, 100)
    containment: bool = flag(False, "Compare by containment instead of resemblance.")
    rate: int = ranged(1, "Of how many features one leads to documents.", 1, 100)
    max_postings: int = ranged(64, "Documents that one feature leads to.", 1, 100_000)
    max_candidates: int = ranged(64, "Documents that a document is compared with.", 1, 100_000)

    def add(self, document: Document) -> None:
        features = self._features(document)
        leading = self._leading(features)
        crowded = np.zeros(len(features), np.bool_)
        crowded[leading] = full(self.tables, features[leading], self.max_postings)
        kept = features[crowded | ~self._sampled(features)]
        data = _SIZE.pack(len(features)) + kept.astype(_HASH).tobytes()
        self.tables.post(features[leading & ~crowded], self._enter(document.name, data))

    def candidates(self, document: Document) -> list[Match]:
        features = self._features(document)
        found = self.tables.postings(features[self._leading(features)])
        numbers, places = np.unique(found.numbers, return_inverse=True)
        # those of a short document lead to it and are kept with it as well: they count there
        posted = np.bincount(places, self._sampled(found.keys)).astype(np.int64)
        members, matches = _Members(features), []
        for place in _closest(found.keys, places, self.max_candidates).tolist():
            name, data = self._entry(int(numbers[place]))
            (size,) = _SIZE.unpack_from(data)
            kept = np.frombuffer(data, _HASH, offset=_SIZE.size).astype(np.uint64)
            common = int(posted[place]) + members.common(kept)
            matches.append(Match(name, *self._shares(common, len(features), size)))
        return matches

    @abstractmethod
    def _features(self, document: Document) -> Hashes:
        """Give the distinct features of a document, ascending."""

    def _leading(self, features: Hashes) -> Mask:
        """Tell which features of a document are posted and looked up."""
        return self._sampled(features) | (len(features) <= _SHORT)

    def _sampled(self, features: Hashes) -> Mask:
        """Tell which features are posted and looked up in any document."""
        mask: Mask = features % np.uint64(self.rate) == 0
        return mask

    def _shares(self, common: int, size: int, other: int) -> tuple[float, float]:
        if self.containment:
            return common / size, common / other
        return (common / (size + other - common),) * 2


def _closest(keys: Hashes, places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Give the places that share most with a document, ascending; of equals the first."""
    _, counts = np.unique(keys, return_counts=True)
    rarity = np.bincount(places, 1 / np.repeat(counts, counts))
    return np.sort(np.argsort(-rarity, kind="stable")[:most])


class _Members:
    """Counts which of other features a document has too."""

    def __init__(self, features: Hashes) -> None:
        self._features = features
        self._heads = np.zeros(1 << _HEAD_BITS, np.bool_)
        self._heads[features >> _TAIL_BITS] = True

    def common(self, others: Hashes) -> int:
        # most others are strangers by the first bits already: three times as quick as a search
        likely = others[self._heads[others >> _TAIL_BITS]]
        if not len(likely):
            return 0
        places = np.searchsorted(self._features, likely)
        return int(np.count_nonzero(self._features.take(places, mode="clip") == likely))
