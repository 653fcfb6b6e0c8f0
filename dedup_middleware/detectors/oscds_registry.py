"""The registry of OS-CDS: the sentences, the documents they stand in, what overlaps them."""

from __future__ import annotations

import hashlib
import struct
from collections import defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import word_hashes

from .oscds_lists import Lists
from .oscds_words import PAYLOAD, WordIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .oscds_words import Words
    from .refined import Refined
    from .tables import Tables

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_IN_DOCUMENTS = 1 << 56
_LAST, _IDENTITY, _OVERLAPS = b"sentences", b"sentence:", b"overlaps:"
_NUMBER = struct.Struct(">I")
_OVERLAP = struct.Struct(">IH")
_DIGEST_BYTES = 16
_MOST_OVERLAPS = 1_000  # of a sentence
_MOST_ROWS = 200_000  # overlaps, and entries of lists, that are read for one document


class Found(NamedTuple):
    """Sentences of a document, by place, beside documents they stand in, and how much of them."""

    places: Ints
    documents: Ints
    shares: Floats


class Registry:
    """What is registered, in the tables of a detector; made anew for each document.

    Sentences overlap from a `share` of the words of the one in question on; without `share`, only
    equal sentences count. So many `documents` are kept for a sentence, and `sentences` for a word.
    """

    def __init__(
        self, tables: Tables, *, share: float | None, documents: int, sentences: int
    ) -> None:
        self._tables = tables
        self._documents = Lists(tables, most=documents, rows=_MOST_ROWS)
        self._words = None if share is None else WordIndex(tables, share=share, most=sentences)

    def look_up(self, sentences: Sequence[Refined]) -> Found:
        """Find the documents in which sentences stand that equal these or overlap them."""
        rows: list[tuple[int, int, float]] = []
        new: list[int] = []
        for place, sentence in enumerate(sentences):
            number = self._number(sentence)
            if number:
                known = self._overlaps(number) if len(rows) < _MOST_ROWS else []
                rows.append((place, number, 1.0))
                rows += [(place, other, common / len(sentence)) for other, common in known]
            else:
                new.append(place)
        if self._words:
            words = _hashed([sentences[place] for place in new])
            for at, number, common in self._words.around(words):
                rows.append((new[at], number, common / len(words[at])))
        places, numbers, shares = np.array(rows, np.float64).reshape(-1, 3).T
        which, documents = self._documents.read([_IN_DOCUMENTS | int(number) for number in numbers])
        return Found(places[which].astype(np.int64), documents, shares[which])

    def register(self, sentences: Sequence[Refined], document: int) -> None:
        """Enter a document and its sentences."""
        known = {sentence: self._number(sentence) for sentence in sentences}
        new = self._enter([sentence for sentence, number in known.items() if not number])
        keys = [_IN_DOCUMENTS | number for number in [*filter(None, known.values()), *new]]
        self._documents.extend({document: keys})

    def _enter(self, sentences: Sequence[Refined]) -> range:
        """Number new sentences, and remember what they overlap and what overlaps them."""
        last = self._tables.get(_LAST)
        first = _NUMBER.unpack(last)[0] + 1 if last else 1
        numbers = range(first, first + len(sentences))
        self._tables.put(_LAST, _NUMBER.pack(numbers.stop - 1))
        for number, sentence in zip(numbers, sentences, strict=True):
            self._tables.put(_identity(sentence), _NUMBER.pack(number))
        if self._words:
            words = _hashed(sentences)
            self._words.enter(dict(zip(numbers, words, strict=True)))
            found: dict[int, list[tuple[int, int]]] = defaultdict(list)
            for place, number, common in self._words.around(words):
                if number != numbers[place]:
                    found[numbers[place]].append((number, common))
            for place, number, common in self._words.inside(words):
                if number < first:  # two new ones have found each other above
                    found[number].append((numbers[place], common))
            for number, overlaps in found.items():
                kept = (self._overlaps(number) + overlaps)[:_MOST_OVERLAPS]
                packed = b"".join(_OVERLAP.pack(*overlap) for overlap in kept)
                self._tables.put(_OVERLAPS + _NUMBER.pack(number), packed)
        return numbers

    def _number(self, sentence: Refined) -> int | None:
        packed = self._tables.get(_identity(sentence))
        return _NUMBER.unpack(packed)[0] if packed else None

    def _overlaps(self, number: int) -> list[tuple[int, int]]:
        """Give the sentences that one overlaps, each with the number of words they share."""
        return list(_OVERLAP.iter_unpack(self._tables.get(_OVERLAPS + _NUMBER.pack(number)) or b""))


def _identity(sentence: Refined) -> bytes:
    text = " ".join(sentence).encode("utf-8", "surrogatepass")
    return _IDENTITY + hashlib.blake2b(text, digest_size=_DIGEST_BYTES).digest()


def _hashed(sentences: Sequence[Refined]) -> list[Words]:
    """Give the hashes of the words of each sentence."""
    hashes = iter((word_hashes(chain(*sentences)) & PAYLOAD).tolist())
    return [frozenset(islice(hashes, len(sentence))) for sentence in sentences]
