"""Word shingles: how many of them two documents share (Pereira & Ziviani; Kakar)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import flag, ranged

from .detector import IndexedDetector, Match

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document

_SIZE = struct.Struct(">I")


@dataclass
class Shingles(IndexedDetector):
    """All distinct shingles of `width` words.

    By resemblance, documents are as alike as the share of their shingles together that stand in
    both; by containment, the shares of either document are told apart.

    >>> from dedup_middleware.detectors import Document
    >>> shingles = Shingles(width=2, containment=True)
    >>> shingles.add(Document.of_text("a", "the tide came in"))
    >>> shingles.candidates(Document.of_text("b", "the tide came in at night"))
    [Match(name='a', forward=0.6, backward=1.0)]
    """

    threshold: float = ranged(0.5, "From which share on documents are alike.", 0.0, 1.0)
    width: int = ranged(4, "Words of a shingle.", 1, 100)
    containment: bool = flag(False, "Compare by containment instead of resemblance.")

    def add(self, document: Document) -> None:
        shingles = self._shingles(document)
        self.tables.post(shingles, self._enter(document.name, _SIZE.pack(len(shingles))))

    def candidates(self, document: Document) -> list[Match]:
        shingles = self._shingles(document)
        numbers, shared = np.unique(self.tables.postings(shingles).numbers, return_counts=True)
        found = []
        for number, common in zip(numbers.tolist(), shared.tolist(), strict=True):
            name, data = self._entry(number)
            (size,) = _SIZE.unpack(data)
            resemblance = common / (len(shingles) + size - common)
            shares = (common / len(shingles), common / size)
            found.append(Match(name, *(shares if self.containment else (resemblance,) * 2)))
        return found

    def _shingles(self, document: Document) -> Hashes:
        return document.shingles(self.width)
