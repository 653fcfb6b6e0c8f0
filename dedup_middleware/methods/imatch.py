"""I-Match: one hash of the rare words of a document, a rival of CoDet in Varol's thesis (4.1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.settings import ranged

from ._index import WeightedMethod, WordCounts, fold_columns, post
from .base import Match

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .base import Document


@dataclass
class Imatch(WeightedMethod):
    """The `words` rarest words after the `skip` rarest: documents are alike if these are equal.

    Words of equal rarity are taken in the order of their hashes. A document with fewer words has a
    signature of those, one with none left matches nothing. A match has no degree: its shares are
    1, whatever the threshold.

    The idf comes from the documents so far, in stages as in `simhash`: a document that is looked
    up gets a signature for each stage. A signature leads to the first `max_postings` documents that
    have it.

    >>> from dedup_middleware.methods import Document
    >>> imatch = Imatch()
    >>> imatch.add(Document.of_text("a", "the tide came in and lifted the boats at night"))
    >>> imatch.candidates(Document.of_text("b", "At night the tide came in and lifted boats."))
    [Match(name='a', forward=1.0, backward=1.0)]
    """

    threshold: float = ranged(1.0, "Has no effect: a match has no degree.", 0.0, 1.0)
    skip: int = ranged(2, "How many of the rarest words are ignored.", 0, 100)
    words: int = ranged(10, "How many words make up a signature.", 1, 1000)
    max_postings: int = ranged(64, "Most documents listed under one signature.", 1, 100_000)

    def add(self, document: Document) -> None:
        words = self._weighed(document)
        if len(words) <= self.skip:
            return
        signature = self._signatures(words)[-1:]
        WordCounts(self.tables).count(words)
        post(self.tables, signature, self._enter(document.name), self.max_postings)

    def candidates(self, document: Document) -> list[Match]:
        words = self._weighed(document)
        if len(words) <= self.skip:
            return []
        found = self.tables.postings(self._signatures(words)).numbers
        return [Match(self._entry(number)[0], 1.0, 1.0) for number in np.unique(found).tolist()]

    def _weighed(self, document: Document) -> Hashes:
        return np.unique(document.hashes)

    def _signatures(self, words: Hashes) -> Hashes:
        """Return the signature of some words at each stage."""
        weights = WordCounts(self.tables).idf_by_stage(words, included=True)
        order = np.argsort(-weights, axis=1, kind="stable")[:, self.skip : self.skip + self.words]
        chosen = words[order].T  # at one stage the same words are always in the same order
        stages = np.arange(chosen.shape[1], dtype=np.uint64).reshape(1, -1)
        return fold_columns(np.concatenate((stages, chosen)))
