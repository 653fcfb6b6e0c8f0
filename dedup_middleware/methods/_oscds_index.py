"""The word index of OS-CDS."""

from __future__ import annotations

import math
import struct
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._lists import Lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dedup_middleware.store.tables import Tables

    Words = frozenset[int]

WORD_BITS = np.uint64((1 << 56) - 1)
"""The bits of a hash that identify a word; the others name a list."""
_ALL, _RAREST = 2 << 56, 3 << 56
_WORDS = b"words:"
_NUMBER = struct.Struct(">I")
_LOW = (1 << 32) - 1
_MOST_ROWS = 200_000  # entries of lists that are read for one document
_MOST_COMPARED = 20_000  # pairs of sentences


class Overlap(NamedTuple):
    """A sentence, by its place, and a registered one that it shares words with."""

    place: int
    number: int
    common: int


@cache  # of few lengths and shares
def words_needed(words: int, share: float) -> int:
    """Return the fewest words that make up a share of a sentence.

    >>> words_needed(5, 0.8), words_needed(3, 0.8), words_needed(20, 0.55)
    (4, 3, 11)
    """
    needed = max(1, math.ceil(share * words))
    # .55 * 20 is more than 11 in floats
    return needed - 1 if needed > 1 and (needed - 1) / words >= share else needed


class WordIndex:
    """Registered sentences by number, as the hashes of their words, in the tables of a method.

    A sentence overlaps another that has at least a `share` of its words.
    """

    def __init__(self, tables: Tables, *, share: float, most: int) -> None:
        self._tables = tables
        self._share = share
        self._lists = Lists(tables, most=most, rows=_MOST_ROWS)
        self._hits = words_needed(2, share)  # 2, unless one word of two is enough
        self._known: dict[int, Words] = {}

    def enter(self, sentences: Mapping[int, Words]) -> None:
        entries = {}
        for number, words in sentences.items():
            packed = np.array(sorted(words), ">u8").tobytes()
            self._tables.put(_WORDS + _NUMBER.pack(number), packed)
            rarest = [_RAREST | word for word in self._rarest(words)]
            entries[number] = [_ALL | word for word in words] + rarest
        self._lists.extend(entries)

    def around(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Yield the registered sentences that have enough words of a sentence."""
        keys = [[_ALL | word for word in self._rarest(words)] for words in sentences]
        for overlap, _ in self._sharing(sentences, keys):
            if overlap.common >= self._needed(sentences[overlap.place]):
                yield overlap

    def inside(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Yield the registered sentences of which a sentence has enough words."""
        keys = [[_RAREST | word for word in words] for words in sentences]
        for overlap, words in self._sharing(sentences, keys):
            if overlap.common >= self._needed(words):
                yield overlap

    def _needed(self, words: Words) -> int:
        return words_needed(len(words), self._share)

    def _rarest(self, words: Words) -> list[int]:
        """Return so many words that every sentence which overlaps this one has enough of them."""
        count = len(words) - self._needed(words) + self._hits
        return sorted(words, key=lambda word: (self._lists.length(_ALL | word), word))[:count]

    def _sharing(
        self, sentences: Sequence[Words], keys: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Overlap, Words]]:
        """Compare sentences with the registered ones listed under some keys of each."""
        places = np.repeat(np.arange(len(keys)), [len(some) for some in keys])
        which, numbers = self._lists.read([key for some in keys for key in some])
        pairs, hits = np.unique(places[which] << 32 | numbers, return_counts=True)
        # a list that is full may lack the second hit
        enough = [1 if any(map(self._lists.is_full, some)) else self._hits for some in keys]
        pairs = pairs[hits >= np.array(enough, np.int64)[pairs >> 32]][:_MOST_COMPARED]
        for place, number in zip((pairs >> 32).tolist(), (pairs & _LOW).tolist(), strict=True):
            words = self._words(number)
            yield Overlap(place, number, len(sentences[place] & words)), words

    def _words(self, number: int) -> Words:
        if number not in self._known:
            packed = self._tables.get(_WORDS + _NUMBER.pack(number)) or b""
            self._known[number] = frozenset(np.frombuffer(packed, ">u8").tolist())
        return self._known[number]
