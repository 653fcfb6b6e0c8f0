"""In how many documents each word stands, and what weight that gives it (Varol's thesis, 2.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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

    Words are told by their hashes, as `word_hashes` or `Document.hashes` gives them. All figures
    of one call come from one look at the tables, so ask for all words of a document at once.

    Weights that move with each document would give equal documents unequal signatures. So the
    counts are also kept as they were after 1, 2, 4, 8, … documents: these are the stages, by which
    a signature can be made again as it was made then.

    >>> from dedup_middleware.store.tables import MemoryTables
    >>> from dedup_middleware.fingerprint.hashing import word_hashes
    >>> counts = WordCounts(MemoryTables())
    >>> for text in ("nasdaq starts day", "nasdaq starts", "shares lose"):
    ...     counts.count(word_hashes(text.split()))
    >>> counts.frequencies(word_hashes(["starts", "shares", "unheard"])).tolist()
    [2, 1, 0]
    >>> counts.idf(word_hashes(["starts"]), plus_one=True).round(3).tolist()  # log 3/2, and 1
    [1.176]
    """

    tables: Tables

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        data = self.tables.get(_DOCUMENTS)
        return _NUMBER.unpack(data)[0] if data else 0

    @property
    def stage(self) -> int:
        """The stage that a document of now belongs to: at least half of all were counted then."""
        return self.documents.bit_length()

    def count(self, words: Hashes) -> None:
        """Count a document that has these words; a word that comes twice counts once."""
        before = self.documents
        self.tables.put(_DOCUMENTS, _NUMBER.pack(before + 1))
        stage = _first_stage(before + 1)
        for key in _keys(np.unique(words)):
            known = self.tables.get(key) or b""
            last = len(known) - _PAIR.size
            last_stage, documents = _PAIR.unpack_from(known, last) if known else (0, 0)
            kept = known[:last] if last_stage == stage else known
            self.tables.put(key, kept + _PAIR.pack(stage, documents + 1))

    def frequencies(self, words: Hashes) -> NDArray[np.int64]:
        """Tell in how many documents each word stands."""
        latest: NDArray[np.int64] = self._history(words)[-1]
        return latest

    def idf(
        self, words: Hashes, *, plus_one: bool = False, included: bool = False
    ) -> NDArray[np.float64]:
        """Weigh each word by its rarity: log10 of all documents by those that have it.

        A word of no document is as rare as one of a single document. With `included`, one more
        document that has all these words counts too: the one that is being looked up.
        """
        return _idf(self.documents, self.frequencies(words), plus_one, included)

    def idf_by_stage(
        self, words: Hashes, *, plus_one: bool = False, included: bool = False
    ) -> NDArray[np.float64]:
        """Weigh each word as at each stage up to the present one, a row for each."""
        stages = self.stage + 1
        documents = np.array([1 << stage >> 1 for stage in range(stages)]).reshape(-1, 1)
        return _idf(documents, self._history(words)[:stages], plus_one, included)

    def _history(self, words: Hashes) -> NDArray[np.int64]:
        """Give, at each stage and at last as of now, in how many documents each word stood."""
        values = [self.tables.get(key) or b"" for key in _keys(words)]
        sizes = np.array([len(value) // _COUNT.itemsize for value in values], np.int64)
        found = np.frombuffer(b"".join(values), _COUNT)
        history = np.zeros((self.stage + 2, len(words)), np.int64)
        history[found["stage"], np.repeat(np.arange(len(words)), sizes)] = found["documents"]
        return np.maximum.accumulate(history)


def _first_stage(number: int) -> int:
    """Name the first stage that knows the document of some number."""
    return (number - 1).bit_length() + 1


def _keys(words: Hashes) -> list[bytes]:
    packed = words.astype(">u8").tobytes()
    return [_WORD + packed[at : at + 8] for at in range(0, len(packed), 8)]


def _idf(
    documents: NDArray[np.int64] | int,
    frequencies: NDArray[np.int64],
    plus_one: bool,
    included: bool,
) -> NDArray[np.float64]:
    share = np.maximum(documents + included, 1) / np.maximum(frequencies + included, 1)
    weights: NDArray[np.float64] = np.log10(share) + plus_one
    return weights
