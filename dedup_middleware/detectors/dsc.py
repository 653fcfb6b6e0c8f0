"""Digital syntactic clustering: sampled shingles (a rival of CoDet in Varol's thesis, 4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import ranged

from .features import FeatureDetector

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document


@dataclass
class Dsc(FeatureDetector):
    """The shingles whose hash is a multiple of `modulus`: one in so many, the same in all texts.

    That is Broder's sampling, as the thesis does not say clearly which shingles it takes. Shares
    are those of the samples, and rough where they are small; a document of few words may have no
    sample at all, and is then like no other. The thesis asks for a containment of 0.6.

    >>> from dedup_middleware.detectors import Document
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
