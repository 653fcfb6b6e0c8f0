"""Lists and numbered sentences in the tables of a method."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.store.tables import Tables

    Ints = NDArray[np.int64]

_LENGTH, _LAST, _IDENTITY = b"length:", b"sentences", b"sentence:"
_NUMBER = struct.Struct(">I")
_DIGEST_BYTES = 16


class Lists:
    """Lists under 64-bit keys in the tables of a method, of up to `most` numbers each.

    One call reads up to `rows` numbers: those of the shortest lists, which distinguish most.

    >>> from dedup_middleware.store.tables import Tables
    >>> lists = Lists(Tables(), most=2, rows=9)
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
        """Append each number to those lists of its keys that are not full."""
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
        """Return two columns: the index of a key, and a number of its list."""
        lengths = np.array([self.length(key) for key in keys], np.int64)
        shortest = np.argsort(lengths, kind="stable")
        read = np.sort(shortest[np.cumsum(lengths[shortest]) <= self._rows])
        wanted = np.array(keys, np.uint64)[read]
        found = self._tables.postings(wanted)
        starts = np.searchsorted(found.keys, wanted)
        sizes = np.searchsorted(found.keys, wanted, "right") - starts
        offsets = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return np.repeat(read, sizes), found.numbers[offsets + np.arange(len(offsets))]


class Sentences:
    """Distinct sentences, numbered from 1 in the order of their arrival."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def number(self, sentence: Sequence[str]) -> int | None:
        """Return the number of a sentence, None if it is new."""
        packed = self._tables.get(_identity(sentence))
        return _NUMBER.unpack(packed)[0] if packed else None

    def enter(self, sentences: Sequence[Sequence[str]]) -> range:
        """Number new sentences."""
        last = self._tables.get(_LAST)
        first = _NUMBER.unpack(last)[0] + 1 if last else 1
        numbers = range(first, first + len(sentences))
        self._tables.put(_LAST, _NUMBER.pack(numbers.stop - 1))
        for number, sentence in zip(numbers, sentences, strict=True):
            self._tables.put(_identity(sentence), _NUMBER.pack(number))
        return numbers


def _identity(sentence: Sequence[str]) -> bytes:
    text = " ".join(sentence).encode("utf-8", "surrogatepass")
    return _IDENTITY + hashlib.blake2b(text, digest_size=_DIGEST_BYTES).digest()
