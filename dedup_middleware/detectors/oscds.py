"""OS-CDS: a registry of sentences that finds equal and overlapping ones (Ismail, Saad & Badr)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import choice, flag, ranged

from .detector import IndexedDetector, Match
from .oscds_registry import Registry
from .refined import clauses

if TYPE_CHECKING:
    from .document import Document
    from .refined import Refined

LEVELS = {"exact": 1.0, "high": 0.5, "some": 0.05}
"""The classes of the paper, and from which overlap of documents on they hold."""
_SIZE = struct.Struct(">I")


@dataclass
class OSCDS(IndexedDetector):
    """Sentences of a document that are registered, or most of whose words are in a registered one.

    Each counts once for an earlier document: 1 if it stands there, else the largest share of its
    words that one sentence there has, if that is enough. Their sum, by the number of sentences of
    the shorter document, is the overlap of the paper: the larger of the two figures of a match. By
    the number of sentences of either document, the sum tells which of them lies in the other.

    >>> from dedup_middleware.detectors import Document
    >>> oscds = OSCDS()
    >>> oscds.add(Document.of_text("a", "The tide lifted old boats. Fishermen went home early."))
    >>> oscds.candidates(Document.of_text("b", "Fishermen went home early today. A boat sank."))
    [Match(name='a', forward=0.4, backward=0.4)]
    """

    threshold: float = ranged(0.5, "From which overlap on a document is a copy.", 0.0, 1.0)
    level: str = choice(
        "threshold",
        "Which overlap makes a copy: that of the threshold, or exact (100 %), high (50 %) or some "
        "(5 %), whatever the threshold is.",
        "threshold",
        *LEVELS,
    )
    sentence_threshold: float = ranged(
        0.8, "Share of the words of a sentence that another must have to overlap it.", 0.05, 1.0
    )
    overlaps: bool = flag(True, "Let overlapping sentences count; else only equal ones do.")
    ends: str = choice(
        "marks",
        "Where sentences end: at each of . , ? ! : ; or where they really do.",
        "marks",
        "sentences",
    )
    numbers: bool = flag(False, "Let numbers count as words.")
    most_documents: int = ranged(
        1_000, "Documents that are kept for a sentence, the earliest ones.", 1, 1_000_000
    )
    most_sentences: int = ranged(
        5_000, "Sentences that are kept for a word, the earliest ones.", 1, 1_000_000
    )

    def __post_init__(self) -> None:
        self.threshold = LEVELS.get(self.level, self.threshold)

    def add(self, document: Document) -> None:
        sentences = self._sentences(document)
        number = self._enter(document.name, _SIZE.pack(len(sentences)))
        self._registry.register(sentences, number)

    def candidates(self, document: Document) -> list[Match]:
        sentences = self._sentences(document)
        found = self._registry.look_up(sentences)
        count = max(1, len(sentences))
        cells, at = np.unique(found.documents * count + found.places, return_inverse=True)
        best = np.zeros(len(cells))
        np.maximum.at(best, at, found.shares)
        numbers, at = np.unique(cells // count, return_inverse=True)
        overlaps = np.bincount(at, best, len(numbers))
        matches = []
        for number, overlap in zip(numbers.tolist(), overlaps.tolist(), strict=True):
            name, data = self._entry(number)
            sizes = (len(sentences), *_SIZE.unpack(data))
            matches.append(Match(name, *(min(1.0, overlap / size) for size in sizes)))
        return matches

    @property
    def _registry(self) -> Registry:
        share = self.sentence_threshold if self.overlaps else None
        return Registry(
            self.tables, share=share, documents=self.most_documents, sentences=self.most_sentences
        )

    def _sentences(self, document: Document) -> list[Refined]:
        return clauses(document, at_marks=self.ends == "marks", numbers=self.numbers)
