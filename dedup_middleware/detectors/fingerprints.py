"""Full fingerprinting: one document inside another (a rival of CoDet in Varol's thesis, 4.1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.settings import flag, ranged

from .features import FeatureDetector

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document


@dataclass
class Fingerprints(FeatureDetector):
    """All shingles of four words: a document holds another that has three in five of them there.

    >>> from dedup_middleware.detectors import Document
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
