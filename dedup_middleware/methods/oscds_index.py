"""Lists of numbers that neither grow nor are read without limit."""

from __future__ import annotations

import math
import struct
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.store.tables import Tables

    Ints = NDArray[np.int64]
    from collections.abc import Iterator

    Words = frozenset[int]


_LENGTH = b"length:"
_NUMBER = struct.Struct(">I")


class Lists:
    """Lists under 64-bit keys in the tables of a method, of up to `most` numbers each.

    In one go up to `rows` numbers are read: those of the shortest lists, as they say most.

    >>> from dedup_middleware.store.tables import MemoryTables
    >>> lists = Lists(MemoryTables(), most=2, rows=9)
    >>> lists.extend({1: [5, 7], 2: [7], 3: [7]})
    >>> lists.length(7)
    2
    >>> [column.tolist() for column in lists.read([7, 9, 5, 7])]
    [[0, 0, 2, 3, 3], [1, 2, 1, 1, 2]]
    """

    def __init__(self, tables: Tables, *, most: int, rows: int) -> None:
        self._tables = tables
        self._most = most
        self._rows = rows
        self._lengths: dict[int, int] = {}

    def length(self, key: int) -> int:
        if key not in self._lengths:
            value = self._tables.get(_LENGTH + key.to_bytes(8, "big"))
            self._lengths[key] = _NUMBER.unpack(value)[0] if value else 0
        return self._lengths[key]

    def is_full(self, key: int) -> bool:
        return self.length(key) >= self._most

    def extend(self, entries: Mapping[int, Iterable[int]]) -> None:
        """Append each number to the lists of its keys, as far as these are not full."""
        grown: set[int] = set()
        for number, keys in entries.items():
            fitting = [key for key in keys if not self.is_full(key)]
            for key in fitting:
                self._lengths[key] += 1
            self._tables.post(np.array(fitting, np.uint64), number)
            grown.update(fitting)
        for key in grown:
            self._tables.put(_LENGTH + key.to_bytes(8, "big"), _NUMBER.pack(self._lengths[key]))

    def read(self, keys: Sequence[int]) -> tuple[Ints, Ints]:
        """Give the index of a key beside each number of its list."""
        lengths = np.array([self.length(key) for key in keys], np.int64)
        shortest = np.argsort(lengths, kind="stable")
        read = np.sort(shortest[np.cumsum(lengths[shortest]) <= self._rows])
        wanted = np.array(keys, np.uint64)[read]
        found = self._tables.postings(wanted)
        starts = np.searchsorted(found.keys, wanted)
        sizes = np.searchsorted(found.keys, wanted, "right") - starts
        offsets = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return np.repeat(read, sizes), found.numbers[offsets + np.arange(len(offsets))]


PAYLOAD = np.uint64((1 << 56) - 1)
"""The bits of a hash that tell a word."""
_ALL, _RAREST = 2 << 56, 3 << 56
_WORDS = b"words:"
_MOST_ROWS = 200_000  # entries of lists that are read for one document
_MOST_COMPARED = 20_000  # pairs of sentences
_NUMBER_OSCDS_WORDS = struct.Struct(">I")
_LOW = (1 << 32) - 1


class Overlap(NamedTuple):
    """A sentence in question, by its place, and a registered one that it shares words with."""

    place: int
    number: int
    common: int


@cache  # of few lengths and shares
def words_needed(words: int, share: float) -> int:
    """Tell how many words are at least that share of so many.

    >>> words_needed(5, 0.8), words_needed(3, 0.8), words_needed(20, 0.55)
    (4, 3, 11)
    """
    needed = max(1, math.ceil(share * words))
    # .55 * 20 is more than 11 in floats
    return needed - 1 if needed > 1 and (needed - 1) / words >= share else needed


class WordIndex:
    """Sentences, told by number, as the hashes of their words, in the tables of a method.

    Sentences overlap from a `share` of the words of one of them on.
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
            self._tables.put(_WORDS + _NUMBER_OSCDS_WORDS.pack(number), packed)
            rarest = [_RAREST | word for word in self._rarest(words)]
            entries[number] = [_ALL | word for word in words] + rarest
        self._lists.extend(entries)

    def around(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Find the registered sentences in which enough words of a sentence stand."""
        keys = [[_ALL | word for word in self._rarest(words)] for words in sentences]
        for overlap, _ in self._sharing(sentences, keys):
            if overlap.common >= self._needed(sentences[overlap.place]):
                yield overlap

    def inside(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Find the registered sentences of which enough words stand in a sentence."""
        keys = [[_RAREST | word for word in words] for words in sentences]
        for overlap, words in self._sharing(sentences, keys):
            if overlap.common >= self._needed(words):
                yield overlap

    def _needed(self, words: Words) -> int:
        return words_needed(len(words), self._share)

    def _rarest(self, words: Words) -> list[int]:
        """Choose so many words that what overlaps the sentence has enough of them."""
        count = len(words) - self._needed(words) + self._hits
        return sorted(words, key=lambda word: (self._lists.length(_ALL | word), word))[:count]

    def _sharing(
        self, sentences: Sequence[Words], keys: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Overlap, Words]]:
        """Compare sentences with the registered ones that are listed under some keys of each."""
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
            packed = self._tables.get(_WORDS + _NUMBER_OSCDS_WORDS.pack(number)) or b""
            self._known[number] = frozenset(np.frombuffer(packed, ">u8").tolist())
        return self._known[number]
