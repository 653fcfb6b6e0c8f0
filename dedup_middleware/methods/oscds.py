"""OS-CDS (Ismail, Saad & Badr): a registry of sentences that are equal or overlap."""

from __future__ import annotations

import math
import re
import struct
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.settings import flag, ranged
from dedup_middleware.similarity.sentences import STOP_WORDS, cut, joined_words, refine

from ._index import BY_RAREST, DOCUMENTS, NAME_BITS, SENTENCES, Lists, Sentences
from .base import IndexedMethod, Match, distinct_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dedup_middleware.store.tables import Tables

    from .base import Document, Refined

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    from collections.abc import Iterator, Mapping

    Words = frozenset[int]

LEVELS = {"exact": 1.0, "high": 0.5, "some": 0.05}
"""The classes of the paper, and the overlap of documents from which each holds."""
_MARKS = re.compile("[.,?!:;…،؛؟।。，、．！？：；｡､]")
_OVERLAPS = b"overlaps:"
_NUMBER = struct.Struct(">I")
_OVERLAP = struct.Struct(">IH")
_MOST_OVERLAPS = 1_000  # of a sentence
_MOST_ROWS = 200_000  # overlaps, and entries of lists, that are read for one document
_WORDS = b"words:"
_LOW = (1 << 32) - 1
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
        self._lists = Lists(tables, SENTENCES, most=most, rows=_MOST_ROWS)
        self._by_rarest = Lists(tables, BY_RAREST, most=most, rows=_MOST_ROWS)
        self._hits = words_needed(2, share)  # 2, unless one word of two is enough
        self._known: dict[int, Words] = {}

    def enter(self, sentences: Mapping[int, Words]) -> None:
        for number, sentence in sentences.items():
            packed = np.array(sorted(sentence), ">u8").tobytes()
            self._tables.put(_WORDS + _NUMBER.pack(number), packed)
        self._by_rarest.extend({number: self._rarest(one) for number, one in sentences.items()})
        self._lists.extend(sentences)

    def around(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Yield the registered sentences that have enough words of a sentence."""
        rarest = list(map(self._rarest, sentences))
        for overlap, _ in self._sharing(sentences, self._lists, rarest):
            if overlap.common >= self._needed(sentences[overlap.place]):
                yield overlap

    def inside(self, sentences: Sequence[Words]) -> Iterator[Overlap]:
        """Yield the registered sentences of which a sentence has enough words."""
        for overlap, known in self._sharing(sentences, self._by_rarest, list(map(list, sentences))):
            if overlap.common >= self._needed(known):
                yield overlap

    def _needed(self, words: Words) -> int:
        return words_needed(len(words), self._share)

    def _rarest(self, words: Words) -> list[int]:
        """Return so many words that every sentence which overlaps this one has enough of them."""
        count = len(words) - self._needed(words) + self._hits
        return sorted(words, key=lambda word: (self._lists.length(word), word))[:count]

    def _sharing(
        self, sentences: Sequence[Words], lists: Lists, words_: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Overlap, Words]]:
        """Compare sentences with the registered ones in the lists of some words of each."""
        places = np.repeat(np.arange(len(words_)), [len(some) for some in words_])
        which, numbers = lists.read([word for some in words_ for word in some])
        pairs, hits = np.unique(places[which] << 32 | numbers, return_counts=True)
        # a list that is full may lack the second hit
        enough = [1 if any(map(lists.is_full, some)) else self._hits for some in words_]
        pairs = pairs[hits >= np.array(enough, np.int64)[pairs >> 32]][:_MOST_COMPARED]
        for place, number in zip((pairs >> 32).tolist(), (pairs & _LOW).tolist(), strict=True):
            words = self._words(number)
            yield Overlap(place, number, len(sentences[place] & words)), words

    def _words(self, number: int) -> Words:
        if number not in self._known:
            packed = self._tables.get(_WORDS + _NUMBER.pack(number)) or b""
            self._known[number] = frozenset(np.frombuffer(packed, ">u8").tolist())
        return self._known[number]


class CopyMatch(Match):
    """A match with its class: exact, high or some.

    >>> CopyMatch("a", 0.4, 0.8).level
    'high'
    """

    __slots__ = ()

    @property
    def level(self) -> str:
        overlap = max(self.forward, self.backward)
        return next((name for name, least in LEVELS.items() if overlap >= least), "")


@dataclass
class OSCDS(IndexedMethod):
    """Sentences of a document that are registered, or most of whose words are in a registered one.

    For a known document a sentence counts 1 if the document has it, and for each other one there
    that has enough of its words, the share of these: all this adds up, as published. With
    `accumulate` off, a sentence counts once, with its best match. The sum, divided by the number of
    sentences of the shorter document, is the overlap of the paper: the larger of the two shares of
    a match. Divided by the sentences of either document, the sum says which contains the other.

    >>> from dedup_middleware.methods import Document
    >>> oscds = OSCDS()
    >>> oscds.add(Document.of_text("a", "The tide lifted old boats. Fishermen went home early."))
    >>> oscds.candidates(Document.of_text("b", "Fishermen went home early today. A boat sank."))
    [CopyMatch(name='a', forward=0.4, backward=0.4)]
    """

    threshold: float = ranged(0.5, "Overlap from which a document is a copy.", 0.0, 1.0)
    sentence_threshold: float = ranged(
        0.8, "Share of the words of a sentence that another must have to overlap it.", 0.05, 1.0
    )
    overlaps: bool = flag(True, "Count overlapping sentences, not only equal ones.")
    accumulate: bool = flag(
        True, "Add up all overlaps of a sentence; otherwise only its best match counts."
    )
    numbers: bool = flag(False, "Count numbers as words.")
    most_documents: int = ranged(
        1_000, "Most documents listed for a sentence; the earliest are kept.", 1, 1_000_000
    )
    most_sentences: int = ranged(
        5_000, "Most sentences listed for a word; the earliest are kept.", 1, 1_000_000
    )

    def add(self, document: Document) -> None:
        sentences = self._sentences(document)
        number = self._enter(document.name, _NUMBER.pack(len(sentences)))
        self._registry.register(sentences, number)

    def candidates(self, document: Document) -> list[Match]:
        sentences = self._sentences(document)
        found = self._registry.look_up(sentences)
        count = max(1, len(sentences))
        documents, shares = found.documents, found.shares
        if not self.accumulate:
            cells, at = np.unique(documents * count + found.places, return_inverse=True)
            documents, shares = cells // count, np.zeros(len(cells))
            np.maximum.at(shares, at, found.shares)
        numbers, at = np.unique(documents, return_inverse=True)
        overlaps = np.bincount(at, shares, len(numbers))
        matches: list[Match] = []
        for number, overlap in zip(numbers.tolist(), overlaps.tolist(), strict=True):
            name, data = self._entry(number)
            sizes = (len(sentences), *_NUMBER.unpack(data))
            matches.append(CopyMatch(name, *(min(1.0, overlap / size) for size in sizes)))
        return matches

    @property
    def _registry(self) -> Registry:
        share = self.sentence_threshold if self.overlaps else None
        return Registry(
            self.tables, share=share, documents=self.most_documents, sentences=self.most_sentences
        )

    def _sentences(self, document: Document) -> list[Refined]:
        return clauses(document, numbers=self.numbers)


def clauses(document: Document, *, numbers: bool = False) -> list[Refined]:
    """Return the distinct sentences of a document as OS-CDS sees them (5.2.1 of the paper).

    They end at each of . , ? ! : ; and what is not a letter is deleted. What remains of each are
    the stems of its words in order, each once, without stop words. Sentences of one word are
    dropped. Digits are kept only with `numbers`.

    >>> from dedup_middleware.methods import Document
    >>> clauses(Document.of_text("a", "A Shi'ite cleric, al-Sistani, travelled."))
    [('shiit', 'cleric')]
    >>> text = "Well, the boats were lifted: boats of 1900, and boats of today. No boats sank!"
    >>> clauses(Document.of_text("a", text))
    [('boat', 'lift'), ('boat', 'today'), ('boat', 'sank')]
    >>> clauses(Document.of_text("a", text), numbers=True)
    [('boat', 'lift'), ('boat', '1900'), ('boat', 'today'), ('boat', 'sank')]
    """
    outline = document.outline
    language = document.language
    pieces = (
        joined_words(piece, numbers=numbers)
        for text, boilerplate in zip(outline.texts, outline.boilerplate, strict=True)
        if not boilerplate
        for part in _MARKS.split(text)
        for piece in cut(part)  # text without marks must not become one endless sentence
    )
    stop_words = STOP_WORDS.get(language, frozenset())
    refined = (
        refine(piece, language, numbers=numbers)
        for piece in pieces
        if len(piece) > 1 and not stop_words.issuperset(piece)
    )
    return distinct_sentences(refined, shortest=2)


class Found(NamedTuple):
    """Sentences of a document, by place, with documents that have them, and how much of them."""

    places: Ints
    documents: Ints
    shares: Floats


class Registry:
    """The registered sentences, in the tables of a method; made again for each document.

    A sentence overlaps another that has at least a `share` of its words; without `share`, only
    equal sentences count. At most so many `documents` are listed for a sentence, and `sentences`
    for a word.
    """

    def __init__(
        self, tables: Tables, *, share: float | None, documents: int, sentences: int
    ) -> None:
        self._tables = tables
        self._sentences = Sentences(tables)
        self._documents = Lists(tables, DOCUMENTS, most=documents, rows=_MOST_ROWS)
        self._words = None if share is None else WordIndex(tables, share=share, most=sentences)

    def look_up(self, sentences: Sequence[Refined]) -> Found:
        """Find the documents with sentences that equal these or overlap them."""
        rows: list[tuple[int, int, float]] = []
        new: list[int] = []
        for place, sentence in enumerate(sentences):
            number = self._sentences.number(sentence)
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
        which, documents = self._documents.read([int(number) for number in numbers])
        return Found(places[which].astype(np.int64), documents, shares[which])

    def register(self, sentences: Sequence[Refined], document: int) -> None:
        """Add a document and its sentences."""
        numbers, new = self._sentences.enter(sentences)
        self._documents.extend({document: numbers.values()})
        if self._words:
            self._keep_overlaps(self._words, new)

    def _keep_overlaps(self, index: WordIndex, new: Mapping[int, Refined]) -> None:
        """Keep what new sentences overlap and what overlaps them."""
        numbers, words = list(new), _hashed(list(new.values()))
        index.enter(dict(zip(numbers, words, strict=True)))
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, number, common in index.around(words):
            if number != numbers[place]:
                found[numbers[place]].append((number, common))
        for place, number, common in index.inside(words):
            if number not in new:  # two new ones have found each other above
                found[number].append((numbers[place], common))
        for number, overlaps in found.items():
            kept = (self._overlaps(number) + overlaps)[:_MOST_OVERLAPS]
            packed = b"".join(_OVERLAP.pack(*overlap) for overlap in kept)
            self._tables.put(_OVERLAPS + _NUMBER.pack(number), packed)

    def _overlaps(self, number: int) -> list[tuple[int, int]]:
        """Return the sentences that one overlaps, each with the number of words they share."""
        return list(_OVERLAP.iter_unpack(self._tables.get(_OVERLAPS + _NUMBER.pack(number)) or b""))


def _hashed(sentences: Sequence[Refined]) -> list[Words]:
    """Return the hashes of the words of each sentence."""
    hashes = iter((word_hashes(chain(*sentences)) & np.uint64(NAME_BITS)).tolist())
    return [frozenset(islice(hashes, len(sentence))) for sentence in sentences]
