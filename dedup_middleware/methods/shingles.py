"""Methods that compare sets of shingles, of words or of characters, all or a sample of them.

Word shingles are those of Pereira & Ziviani, character shingles those of Kakar; full fingerprints
and DSC are rivals of CoDet in Varol's thesis.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.read.words import fold
from dedup_middleware.settings import flag, ranged

from ._index import closest, full_keys
from .base import IndexedMethod, Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes

    from .base import Document

    Mask = NDArray[np.bool_]

_SHORT = 500  # shingles
_SIZE = struct.Struct(">I")
_HASH = np.dtype(">u8")
_HEAD_BITS = 17
_TAIL_BITS = np.uint64(64 - _HEAD_BITS)


@dataclass
class ShingleMethod(IndexedMethod):
    """The base of methods that compare sets of shingles, as 64-bit hashes.

    By resemblance, the score is the share of the shingles of both documents that both have; by
    containment, each document has a share of its own.

    Scores are exact, but not all documents are scored. A shingle that is looked up leads to the
    first `max_postings` documents that have it. The shingles of a document that are not posted are
    kept in its entry; a document that is not posted at all is not found, but then as many others
    like it are. Those `max_candidates` are scored that share most, rare shingles counting more. So
    the work grows with the length of a document, hardly with the number of known ones.
    """

    threshold: float = ranged(0.5, "Share from which documents are alike.", 0.0, 1.0)
    width: int = ranged(4, "Words of a shingle.", 1, 100)
    containment: bool = flag(False, "Compare by containment instead of resemblance.")
    max_postings: int = ranged(64, "Most documents listed under one shingle.", 1, 100_000)
    max_candidates: int = ranged(64, "Most documents that a document is compared with.", 1, 100_000)

    def add(self, document: Document) -> None:
        shingles = self._shingles(document)
        posted = self._posted(shingles)
        keys = shingles[posted]
        full = np.zeros(len(shingles), np.bool_)
        full[posted] = full_keys(keys, self.tables.postings(keys), self.max_postings)
        kept = shingles[full | ~self._sampled(shingles)]
        data = _SIZE.pack(len(shingles)) + kept.astype(_HASH).tobytes()
        self.tables.post(shingles[posted & ~full], self._enter(document.name, data))

    def candidates(self, document: Document) -> list[Match]:
        shingles = self._shingles(document)
        found = self.tables.postings(shingles[self._posted(shingles)])
        numbers, places = np.unique(found.numbers, return_inverse=True)
        # those of a short document that are not sampled are posted and kept: they count as kept
        posted = np.bincount(places, self._sampled(found.keys)).astype(np.int64)
        members, matches = _Members(shingles), []
        for place in closest(found.keys, places, self.max_candidates):
            name, data = self._entry(int(numbers[place]))
            (size,) = _SIZE.unpack_from(data)
            kept = np.frombuffer(data, _HASH, offset=_SIZE.size).astype(np.uint64)
            common = int(posted[place]) + members.common(kept)
            matches.append(Match(name, *self._shares(common, len(shingles), size)))
        return matches

    @abstractmethod
    def _shingles(self, document: Document) -> Hashes:
        """Return the distinct shingles of a document, ascending."""

    def _posted(self, shingles: Hashes) -> Mask:
        """Return which shingles of a document are posted and looked up."""
        return self._sampled(shingles) | (len(shingles) <= _SHORT)

    def _sampled(self, shingles: Hashes) -> Mask:
        """Return which shingles are posted and looked up in documents of any length: all."""
        return np.ones(len(shingles), np.bool_)

    def _shares(self, common: int, size: int, other: int) -> tuple[float, float]:
        if self.containment:
            return common / size, common / other
        return (common / (size + other - common),) * 2


@dataclass
class Shingles(ShingleMethod):
    """All distinct shingles of `width` words, by resemblance or by containment.

    >>> from dedup_middleware.methods import Document
    >>> shingles = Shingles(width=2, containment=True)
    >>> shingles.add(Document.of_text("a", "the tide came in"))
    >>> shingles.candidates(Document.of_text("b", "the tide came in at night"))
    [Match(name='a', forward=0.6, backward=1.0)]
    """

    def _shingles(self, document: Document) -> Hashes:
        return document.shingles(self.width)


@dataclass
class Characters(ShingleMethod):
    """All distinct shingles of `width` characters, by resemblance or by containment.

    Blanks and punctuation count, a run of blanks as one; case does not. The paper advises five
    characters for mails, nine for longer documents. As there are several times as many shingles as
    of words, one in `rate` is looked up, in a document of up to 500 all; all of them are compared.

    >>> from dedup_middleware.methods import Document
    >>> characters = Characters(width=2)
    >>> characters.add(Document.of_text("a", "acdacef"))
    >>> characters.candidates(Document.of_text("b", "acdace"))
    [Match(name='a', forward=0.8, backward=0.8)]
    """

    width: int = ranged(9, "Characters of a shingle.", 1, 100)
    rate: int = ranged(8, "One shingle in so many is looked up.", 1, 100)

    def _shingles(self, document: Document) -> Hashes:
        return character_shingles(document.text, self.width)

    def _sampled(self, shingles: Hashes) -> Mask:
        mask: Mask = shingles % np.uint64(self.rate) == 0
        return mask


@dataclass
class Fingerprints(ShingleMethod):
    """Full fingerprints: all shingles of four words, and containment from three in five of them.

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

    def _shingles(self, document: Document) -> Hashes:
        return document.shingles(self.width)


@dataclass
class Dsc(ShingleMethod):
    """DSC: a sample of the shingles, those whose hash is a multiple of `modulus`.

    This is Broder's sampling. Shares are those of the samples, and rough where samples are small; a
    document of few words may have no sample at all, and then matches nothing.

    The thesis requires a containment of 0.6, and takes "only three overlapping" shingles, without
    saying which: with `first` set to 3, they are those with which a document begins.

    >>> from dedup_middleware.methods import Document
    >>> dsc = Dsc(width=2, modulus=2)
    >>> dsc.add(Document.of_text("a", "the tide came in and lifted the boats at night"))
    >>> dsc.candidates(Document.of_text("b", "the tide came in and lifted the boats by day"))
    [Match(name='a', forward=0.5, backward=0.5)]
    """

    modulus: int = ranged(25, "One shingle in so many is in the sample.", 1, 10_000)
    first: int = ranged(
        0, "So many shingles from the beginning are the sample; 0: by the modulus.", 0, 10_000
    )

    def _shingles(self, document: Document) -> Hashes:
        if self.first:
            beginning = document.hashes[: self.first + self.width - 1]
            return np.unique(shingle_hashes(beginning, self.width))
        shingles = document.shingles(self.width)
        sample: Hashes = shingles[shingles % np.uint64(self.modulus) == 0]
        return sample


def character_shingles(text: str, width: int) -> Hashes:
    """Return the hashes of the distinct shingles of `width` characters, ascending.

    >>> len(character_shingles("acdacef", 2))  # ac, cd, da, ce, ef
    5
    """
    blanks_as_one = " ".join(fold(text).split())
    packed = blanks_as_one.encode("utf-32-le", "surrogatepass")
    return np.unique(shingle_hashes(np.frombuffer(packed, "<u4").astype(np.uint64), width))


class _Members:
    """Counts how many of other shingles a document has too."""

    def __init__(self, shingles: Hashes) -> None:
        self._shingles = shingles
        self._heads = np.zeros(1 << _HEAD_BITS, np.bool_)
        self._heads[shingles >> _TAIL_BITS] = True

    def common(self, others: Hashes) -> int:
        # the first bits rule out most others: three times as fast as a search for all
        likely = others[self._heads[others >> _TAIL_BITS]]
        if not len(likely):
            return 0
        places = np.searchsorted(self._shingles, likely)
        return int(np.count_nonzero(self._shingles.take(places, mode="clip") == likely))
