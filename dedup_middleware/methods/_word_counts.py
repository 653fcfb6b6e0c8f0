"""The number of documents that have each word, and its idf (Varol's thesis, 2.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._keys import packed_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.store.tables import Tables

_DOCUMENTS = b"documents with words"
_WORD = b"word:"
_NUMBER = struct.Struct(">I")
_COUNT = np.dtype([("stage", "u1"), ("documents", ">u4")])
_PAIR = struct.Struct(">BI")


@dataclass(frozen=True)
class WordCounts:
    """Counts the documents that have each word, in the tables of a method.

    Words are given by their hashes, all words of a document in one call.

    Weights that change with each document would give equal documents unequal signatures. So the
    counts are kept as they were after 1, 2, 4, 8, … documents: by these stages a signature can be
    made again as it was made then.

    >>> from dedup_middleware.store.tables import Tables
    >>> from dedup_middleware.fingerprint.hashing import word_hashes
    >>> counts = WordCounts(Tables())
    >>> for text in ("nasdaq starts day", "nasdaq starts", "shares lose"):
    ...     counts.count(word_hashes(text.split()))
    >>> counts.idf_by_stage(word_hashes(["day"])).round(3).tolist()  # of no, one, two documents
    [[0.0], [0.0], [0.301]]
    """

    tables: Tables

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        data = self.tables.get(_DOCUMENTS)
        return _NUMBER.unpack(data)[0] if data else 0

    @property
    def stage(self) -> int:
        """The stage of the next document; at least half of the known ones were counted at it."""
        return self.documents.bit_length()

    def count(self, words: Hashes) -> None:
        """Count a document that has these words; a repeated word counts once."""
        before = self.documents
        self.tables.put(_DOCUMENTS, _NUMBER.pack(before + 1))
        stage = _first_stage(before + 1)
        for key in packed_keys(_WORD, np.unique(words)):
            known = self.tables.get(key) or b""
            last = len(known) - _PAIR.size
            last_stage, documents = _PAIR.unpack_from(known, last) if known else (0, 0)
            kept = known[:last] if last_stage == stage else known
            self.tables.put(key, kept + _PAIR.pack(stage, documents + 1))

    def idf_by_stage(
        self, words: Hashes, *, plus_one: bool = False, included: bool = False
    ) -> NDArray[np.float64]:
        """Return the idf of each word at each stage up to the present one, a row for each.

        It is log10 of all documents divided by those that have the word; a word of no document is
        as rare as one of a single document. With `included`, one more document that has all these
        words counts, too: the one that is being looked up.
        """
        stages = self.stage + 1
        documents = np.array([1 << stage >> 1 for stage in range(stages)]).reshape(-1, 1)
        frequencies = self._frequencies(words)[:stages]
        share = np.maximum(documents + included, 1) / np.maximum(frequencies + included, 1)
        weights: NDArray[np.float64] = np.log10(share) + plus_one
        return weights

    def _frequencies(self, words: Hashes) -> NDArray[np.int64]:
        """Return how many documents had each word, at each stage and now."""
        values = [self.tables.get(key) or b"" for key in packed_keys(_WORD, words)]
        sizes = np.array([len(value) // _COUNT.itemsize for value in values], np.int64)
        found = np.frombuffer(b"".join(values), _COUNT)
        history = np.zeros((self.stage + 2, len(words)), np.int64)
        history[found["stage"], np.repeat(np.arange(len(words)), sizes)] = found["documents"]
        return np.maximum.accumulate(history)


def _first_stage(number: int) -> int:
    """Return the first stage at which the document of some number is counted."""
    return (number - 1).bit_length() + 1
