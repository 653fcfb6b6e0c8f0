"""Character shingles: how many of them two documents share (Kakar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes
from dedup_middleware.read.words import fold
from dedup_middleware.settings import ranged

from .features import FeatureDetector

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document


@dataclass
class Characters(FeatureDetector):
    """All distinct shingles of `width` characters, by resemblance or by containment.

    Blanks and punctuation count, a run of blanks as one; upper and lower case are the same. The
    paper takes five characters for mails, nine for longer documents. As there are several times as
    many shingles as by words, one in eight leads to documents; all of them are compared.

    >>> from dedup_middleware.detectors import Document
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
