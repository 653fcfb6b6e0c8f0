"""Long matches of characters from words on, as a Patricia tree finds them (Pereira & Ziviani)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import ranged

from .detector import Detector, Match
from .sistrings import SiStrings
from .tables import MemoryTables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.fingerprint.hashing import Hashes

    from .document import Document
    from .tables import Postings


@dataclass
class Patricia(Detector):
    """The share of a document's characters that long matches with another one cover.

    The one document is walked through, the other is searched for the longest match from a word of
    its own on; then the other way round. A sorted array of the SiStrings answers as the tree does.
    The paper divides by the length of the document that is searched; here each share is one of the
    document that was walked through, so that none exceeds 1.

    A match that counts begins, in both documents, with the same characters from a word on; so an
    index of those finds all documents that have any. Such beginnings are common: of the documents
    found, those `max_candidates` are scored that share most of them, rare ones counting more, and
    one that `max_postings` documents have leads to no more. Index and texts are in memory. The
    paper names no threshold; the default is the one with the best mean F1 on four open sets of
    pages.

    >>> from dedup_middleware.detectors import Document
    >>> patricia = Patricia()
    >>> patricia.add(Document.of_text("c", "nunca uma rosa é uma rosa é uma violeta."))
    >>> patricia.candidates(Document.of_text("p", "uma rosa é uma rosa é uma rosa."))
    [Match(name='c', forward=0.8387096774193549, backward=0.65)]
    """

    threshold: float = ranged(0.9, "From which share on documents are alike.", 0.0, 1.0)
    shortest: int = ranged(15, "Matches of more characters than this count.", 0, 100)
    max_postings: int = ranged(1_000, "Documents that one beginning leads to.", 1, 1_000_000)
    max_candidates: int = ranged(256, "Documents that a document is compared with.", 1, 1_000_000)

    def __post_init__(self) -> None:
        self._known: list[tuple[str, SiStrings]] = []
        self._index = MemoryTables()

    def add(self, document: Document) -> None:
        sistrings = SiStrings(document.text, self.shortest)
        keys = np.unique(sistrings.windows)
        full = self._full(keys, self._index.postings(keys))
        self._index.post(np.setdiff1d(keys, full, assume_unique=True), len(self._known))
        self._known.append((document.name, sistrings))

    def candidates(self, document: Document) -> list[Match]:
        new = SiStrings(document.text, self.shortest)
        keys = np.unique(new.windows)
        found = self._index.postings(keys)
        full = self._full(keys, found)  # of them, not all documents that have them are posted
        matches = []
        for number, shared in self._most_shared(found):
            name, known = self._known[number]
            windows = np.union1d(shared, full) if len(full) else shared
            forward, backward = known.found(new, windows), new.found(known, windows)
            if forward or backward:  # a hash may be that of other characters
                shares = forward / len(new.text), backward / len(known.text)
                matches.append(Match(name, *shares))
        return matches

    def _full(self, keys: Hashes, found: Postings) -> Hashes:
        """Give the keys that lead to so many documents that no more are posted."""
        counts = np.searchsorted(found.keys, keys, "right") - np.searchsorted(found.keys, keys)
        return keys[counts >= self.max_postings]

    def _most_shared(self, found: Postings) -> Iterator[tuple[int, Hashes]]:
        """Give the documents that share most keys, rare ones counting more, with these keys."""
        _, counts = np.unique(found.keys, return_counts=True)
        numbers, places, sizes = np.unique(found.numbers, return_inverse=True, return_counts=True)
        rarity = np.bincount(places, 1 / np.repeat(counts, counts), len(numbers))
        best = np.argsort(-rarity, kind="stable")[: self.max_candidates]  # of equals the earliest
        keys, ends = found.keys[np.argsort(places, kind="stable")], np.cumsum(sizes)
        for place in np.sort(best).tolist():
            yield int(numbers[place]), keys[ends[place] - sizes[place] : ends[place]]
