"""What the index of a method is made of: keys, numbered lists, and counts of words."""

from __future__ import annotations

import hashlib
import struct
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes

from .base import IndexedMethod

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.store.tables import Postings, Tables

    from .base import Document, Refined

    Ints = NDArray[np.int64]

_DOCUMENTS = b"documents with words"
_FIXED = b"words of a reference collection"
_WORD = b"word:"
_NUMBER = struct.Struct(">I")
_COUNT = np.dtype([("stage", "u1"), ("documents", ">u4")])
_PAIR = struct.Struct(">BI")
_LENGTH, _LAST, _IDENTITY = b"length:", b"sentences", b"sentence:"
_DIGEST_BYTES = 16
NAME_BITS = (1 << 56) - 1
"""The bits of a hash or number that name a list; the others are the kind of list."""
DOCUMENTS, SENTENCES, BY_RAREST = 1, 2, 3
"""Kinds of lists: documents with a sentence, sentences with a word or 4-grams, or by rare words."""


def packed_keys(prefix: bytes, hashes: Hashes) -> list[bytes]:
    """Return a key of a table for each hash.

    >>> packed_keys(b"word:", np.array([0x3132333435363738], np.uint64))
    [b'word:12345678']
    """
    packed = hashes.astype(">u8").tobytes()
    return [prefix + packed[at : at + 8] for at in range(0, len(packed), 8)]


def fold_columns(rows: Hashes) -> Hashes:
    """Hash each column of some rows into one key.

    >>> len(np.unique(fold_columns(np.array([[1, 2, 1], [3, 3, 4]], np.uint64))))
    3
    """
    keys: Hashes = shingle_hashes(rows, len(rows))[0]  # a column is one shingle of all its values
    return keys


def full_keys(keys: Hashes, found: Postings, most: int) -> NDArray[np.bool_]:
    """Return which keys already lead to as many documents as they may."""
    counts = np.searchsorted(found.keys, keys, "right") - np.searchsorted(found.keys, keys)
    return counts >= most


def post(tables: Tables, keys: Hashes, number: int, most: int) -> None:
    """Post a document under those keys that are not full."""
    tables.post(keys[~full_keys(keys, tables.postings(keys), most)], number)


def closest(keys: Hashes, places: NDArray[np.intp], most: int) -> list[int]:
    """Return the documents that share most keys, rare keys counting more; of equals the first.

    Documents are given, and returned in ascending order, by their place in a list.

    >>> closest(np.array([5, 5, 7], np.uint64), np.array([0, 1, 1]), 1)
    [1]
    """
    _, counts = np.unique(keys, return_counts=True)
    rarity = np.bincount(places, 1 / np.repeat(counts, counts))
    return sorted(np.argsort(-rarity, kind="stable")[:most].tolist())


@dataclass(frozen=True)
class WordCounts:
    """Counts the documents that have each word, in the tables of a method.

    Words are given by their hashes, all words of a document in one call.

    Weights that change with each document would give equal documents unequal signatures. So the
    counts are kept as they were after 1, 2, 4, 8, … documents: by these stages a signature can be
    made again as it was made then. If the words of a reference collection were counted, and the
    counts fixed, there is one stage only, that of all of them.

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
        return 0 if self.is_fixed else self.documents.bit_length()

    @property
    def is_fixed(self) -> bool:
        return self.tables.get(_FIXED) is not None

    def fix(self) -> None:
        """Count no more documents; those that were counted are the reference collection."""
        self.tables.put(_FIXED, b"")

    def count(self, words: Hashes) -> None:
        """Count a document that has these words, unless counts are fixed.

        A repeated word counts once.
        """
        if self.is_fixed:
            return
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
        if self.is_fixed:
            known = np.maximum(self._frequencies(words, self.documents.bit_length())[-1:], 1)
            fixed: NDArray[np.float64] = np.log10(self.documents / known) + plus_one
            return fixed
        stages = self.stage + 1
        documents = np.array([1 << stage >> 1 for stage in range(stages)]).reshape(-1, 1)
        frequencies = self._frequencies(words, self.stage)[:stages]
        share = np.maximum(documents + included, 1) / np.maximum(frequencies + included, 1)
        weights: NDArray[np.float64] = np.log10(share) + plus_one
        return weights

    def _frequencies(self, words: Hashes, stage: int) -> NDArray[np.int64]:
        """Return how many documents had each word, at each stage up to one, and now."""
        values = [self.tables.get(key) or b"" for key in packed_keys(_WORD, words)]
        sizes = np.array([len(value) // _COUNT.itemsize for value in values], np.int64)
        found = np.frombuffer(b"".join(values), _COUNT)
        history = np.zeros((stage + 2, len(words)), np.int64)
        history[found["stage"], np.repeat(np.arange(len(words)), sizes)] = found["documents"]
        return np.maximum.accumulate(history)


class WeightedMethod(IndexedMethod):
    """A method that weighs words by idf, of the documents so far or of a reference collection."""

    def refer_to(self, documents: Iterable[Document]) -> None:
        """Take idf from a reference collection, before the first document is added.

        >>> from dedup_middleware.methods import Document, make_method
        >>> imatch = make_method("imatch", skip=0, words=1)
        >>> imatch.refer_to(Document.of_text("", text) for text in ("tide ebb", "tide flow"))
        >>> imatch.add(Document.of_text("a", "tide and flow"))
        >>> [match.name for match in imatch.candidates(Document.of_text("b", "flow and and tide"))]
        ['a']
        """
        counts = WordCounts(self.tables)
        for document in documents:
            counts.count(self._weighed(document))
        counts.fix()

    @abstractmethod
    def _weighed(self, document: Document) -> Hashes:
        """Return the distinct words of a document, as hashes."""


def _first_stage(number: int) -> int:
    """Return the first stage at which the document of some number is counted."""
    return (number - 1).bit_length() + 1


class Lists:
    """Lists of one kind in the tables of a method, of up to `most` numbers each.

    The name of a list is a number or a hash, of which `NAME_BITS` count. One call reads up to
    `rows` numbers: those of the shortest lists, which distinguish most.

    >>> from dedup_middleware.store.tables import Tables
    >>> lists = Lists(Tables(), 1, most=2, rows=9)
    >>> lists.extend({1: [5, 7], 2: [7], 3: [7]})
    >>> lists.length(7)
    2
    >>> [column.tolist() for column in lists.read([7, 9, 5, 7])]
    [[0, 0, 2, 3, 3], [1, 2, 1, 1, 2]]
    """

    def __init__(self, tables: Tables, kind: int, *, most: int, rows: int) -> None:
        self._tables = tables
        self._kind = kind << 56
        self._most = most
        self._rows = rows
        self._lengths: dict[int, int] = {}

    def _key(self, name: int) -> int:
        return self._kind | name & NAME_BITS

    def length(self, name: int) -> int:
        if name not in self._lengths:
            value = self._tables.get(_LENGTH + self._key(name).to_bytes(8, "big"))
            self._lengths[name] = _NUMBER.unpack(value)[0] if value else 0
        return self._lengths[name]

    def is_full(self, name: int) -> bool:
        return self.length(name) >= self._most

    def extend(self, entries: Mapping[int, Iterable[int]]) -> None:
        """Append each number to those lists of its names that are not full."""
        grown: set[int] = set()
        for number, names in entries.items():
            fitting = [name for name in names if not self.is_full(name)]
            for name in fitting:
                self._lengths[name] += 1
            self._tables.post(np.array(list(map(self._key, fitting)), np.uint64), number)
            grown.update(fitting)
        for name in grown:
            key = _LENGTH + self._key(name).to_bytes(8, "big")
            self._tables.put(key, _NUMBER.pack(self._lengths[name]))

    def read(self, names: Sequence[int]) -> tuple[Ints, Ints]:
        """Return two columns: the index of a name, and a number of its list."""
        lengths = np.array([self.length(name) for name in names], np.int64)
        shortest = np.argsort(lengths, kind="stable")
        read = np.sort(shortest[np.cumsum(lengths[shortest]) <= self._rows])
        wanted = np.array(list(map(self._key, names)), np.uint64)[read]
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

    def enter(self, sentences: Iterable[Refined]) -> tuple[dict[Refined, int], dict[int, Refined]]:
        """Number those sentences that are new; return the numbers of all, and the new ones.

        >>> from dedup_middleware.store.tables import Tables
        >>> sentences = Sentences(Tables())
        >>> sentences.enter([("tide", "rose")])[1]
        {1: ('tide', 'rose')}
        >>> sentences.enter([("boat", "sank"), ("tide", "rose"), ("boat", "sank")])
        ({('boat', 'sank'): 2, ('tide', 'rose'): 1}, {2: ('boat', 'sank')})
        """
        last = self._tables.get(_LAST)
        count = _NUMBER.unpack(last)[0] if last else 0
        numbers: dict[Refined, int] = {}
        new: dict[int, Refined] = {}
        for sentence in dict.fromkeys(sentences):
            known = self.number(sentence)
            if known is None:
                known = count = count + 1
                new[known] = sentence
                self._tables.put(_identity(sentence), _NUMBER.pack(known))
            numbers[sentence] = known
        self._tables.put(_LAST, _NUMBER.pack(count))
        return numbers, new


def _identity(sentence: Sequence[str]) -> bytes:
    text = " ".join(sentence).encode("utf-8", "surrogatepass")
    return _IDENTITY + hashlib.blake2b(text, digest_size=_DIGEST_BYTES).digest()
