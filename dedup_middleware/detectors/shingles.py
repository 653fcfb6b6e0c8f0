"""Word shingles: how many of them two documents share (Pereira & Ziviani; Kakar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .features import FeatureDetector

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document


@dataclass
class Shingles(FeatureDetector):
    """All distinct shingles of `width` words, by resemblance or by containment.

    >>> from dedup_middleware.detectors import Document
    >>> shingles = Shingles(width=2, containment=True)
    >>> shingles.add(Document.of_text("a", "the tide came in"))
    >>> shingles.candidates(Document.of_text("b", "the tide came in at night"))
    [Match(name='a', forward=0.6, backward=1.0)]
    """

    def _features(self, document: Document) -> Hashes:
        return document.shingles(self.width)
