"""Documents as sets of features, and how much two sets share."""

from __future__ import annotations

import struct
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.read.words import fold
from dedup_middleware.settings import flag, ranged

from .base import IndexedMethod, Match, full

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
class FeatureMethod(IndexedMethod):
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


@dataclass
class Shingles(FeatureMethod):
    """All distinct shingles of `width` words, by resemblance or by containment.

    >>> from dedup_middleware.methods import Document
    >>> shingles = Shingles(width=2, containment=True)
    >>> shingles.add(Document.of_text("a", "the tide came in"))
    >>> shingles.candidates(Document.of_text("b", "the tide came in at night"))
    [Match(name='a', forward=0.6, backward=1.0)]
    """

    def _features(self, document: Document) -> Hashes:
        return document.shingles(self.width)


@dataclass
class Characters(FeatureMethod):
    """All distinct shingles of `width` characters, by resemblance or by containment.

    Blanks and punctuation count, a run of blanks as one; upper and lower case are the same. The
    paper takes five characters for mails, nine for longer documents. As there are several times as
    many shingles as by words, one in eight leads to documents; all of them are compared.

    >>> from dedup_middleware.methods import Document
    >>> characters = Characters(width=2)
    >>> characters.add(Document.of_text("a", "acdacef"))
    >>> characters.candidates(Document.of_text("b", "acdace"))
    [Match(name='a', forward=0.8, backward=0.8)]
    """

    width: int = ranged(9, "Characters of a shingle.", 1, 100)
    rate: int = ranged(8, "Of how many shingles one leads to documents.", 1, 100)

    def _features(self, document: Document) -> Hashes:
        return character_shingles(document.text, self.width)


def character_shingles(text: str, width: int) -> Hashes:
    """Give the hashes of the distinct shingles of so many characters, ascending.

    >>> len(character_shingles("acdacef", 2))  # ac, cd, da, ce, ef
    5
    """
    blanks_as_one = " ".join(fold(text).split())
    packed = blanks_as_one.encode("utf-32-le", "surrogatepass")
    return np.unique(shingle_hashes(np.frombuffer(packed, "<u4").astype(np.uint64), width))


@dataclass
class Fingerprints(FeatureMethod):
    """All shingles of four words: a document holds another that has three in five of them there.

    >>> from dedup_middleware.methods import Document
    >>> fingerprints = Fingerprints()
    >>> fingerprints.add(Document.of_text("a", "the tide came in at night and the boats rose"))
    >>> part = Document.of_text("b", "the tide came in at night")
    >>> fingerprints.matches(part)
    [Match(name='a', forward=1.0, backward=0.42857142857142855)]
    >>> print(fingerprints.kind(*fingerprints.matches(part)))
    contained
    """

    threshold: float = ranged(0.6, "Share of a document that makes it contained.", 0.0, 1.0)
    containment: bool = flag(True, "Compare by containment instead of resemblance.")

    def _features(self, document: Document) -> Hashes:
        return document.shingles(self.width)


@dataclass
class Dsc(FeatureMethod):
    """The shingles whose hash is a multiple of `modulus`: one in so many, the same in all texts.

    That is Broder's sampling, as the thesis does not say clearly which shingles it takes. Shares
    are those of the samples, and rough where they are small; a document of few words may have no
    sample at all, and is then like no other. The thesis asks for a containment of 0.6.

    >>> from dedup_middleware.methods import Document
    >>> dsc = Dsc(width=2, modulus=2)
    >>> dsc.add(Document.of_text("a", "the tide came in and lifted the boats at night"))
    >>> dsc.candidates(Document.of_text("b", "the tide came in and lifted the boats by day"))
    [Match(name='a', forward=0.5, backward=0.5)]
    """

    modulus: int = ranged(25, "How many shingles there are to one of the sample.", 1, 10_000)

    def _features(self, document: Document) -> Hashes:
        shingles = document.shingles(self.width)
        sample: Hashes = shingles[shingles % np.uint64(self.modulus) == 0]
        return sample
