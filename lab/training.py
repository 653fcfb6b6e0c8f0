"""Training of the word model: which words are rare, and which occur in the same documents."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, word_hashes
from dedup_middleware.fingerprint.scheme import sample
from dedup_middleware.similarity.matching import grams
from dedup_middleware.similarity.model import (
    FullModel,
    PairModel,
    cell_of,
    correlations,
    starts_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.scheme import Sample
    from dedup_middleware.similarity.model import Model

    Numbers = NDArray[np.uint32]
    Indices = NDArray[np.int64]

GRAM_CELLS = 1 << 18
LONGEST_WORD = 64  # characters; longer ones are codes and keys
_SHINGLE_WORDS = 3
_BLOCK_WORDS = 128
_BLOCK_PAIRS = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is learned, whatever the size of the corpus."""

    documents: int = 8_000
    """A sample: those whose words have the smallest hashes, in any order of arrival."""
    document_words: int = 400
    """Distinct words used of a document, from its beginning."""
    words: int = 30_000
    least_together: int = 3
    """The fewest documents with a word, and with a pair of words."""
    lowest: float = 0.05
    highest: float = 0.9
    """Words that correlate more come from text that is posted over and over."""
    neighbours: int = 50
    """The most neighbours of a word; a pair is kept if each is a neighbour of the other."""
    copied: float = 0.3
    """Documents with this share of their text in another one are left out."""

    full: bool = False
    """Keep which documents have each word instead of pairs: no correlation is cut."""


FULL = Limits(document_words=1_000_000, words=1_000_000, least_together=1, full=True)
"""The matrix of the thesis (Eq. 3.1): all words, whole documents, no cuts."""


class _Document(NamedTuple):
    words: str
    """One a line; many short strings would take several times the memory."""
    sample: Sample
    """Of its runs of three words."""


class Trainer:
    """Learns from a stream of documents; equal streams give equal models.

    It keeps a sample of the documents, and counts in tables of a fixed size. A document is left out
    if one with the same set of words is known already, or one that holds much of its text, as
    estimated from a sample of its runs of three words.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.duplicates = 0
        self.empty = 0
        """Documents without words."""
        self.spare = 0
        """Documents that the sample has no room for."""
        self._limits = limits or Limits()
        self._documents: dict[int, _Document] = {}
        self._largest: list[int] = []  # a heap of negative digests
        self._owners: dict[int, int] = {}  # of sampled shingles
        self._grams = np.zeros(GRAM_CELLS, np.int64)

    @property
    def used(self) -> int:
        return len(self._documents)

    def add(self, sentences: Iterable[Sequence[str]]) -> None:
        """Add a document, given as its refined sentences."""
        refined = [tuple(sentence) for sentence in sentences]
        words = list(chain.from_iterable(refined))
        if not words:
            self.empty += 1
            return
        hashes = word_hashes(words)
        found = hashlib.blake2b(np.unique(hashes).tobytes(), digest_size=8).digest()
        digest = int.from_bytes(found, "big")
        if digest in self._documents:
            self.duplicates += 1
            return
        full = len(self._documents) >= self._limits.documents
        if full and digest > -self._largest[0]:
            self.spare += 1
            return
        sampled = sample(shingle_hashes(hashes, _SHINGLE_WORDS))
        if self._is_copied(sampled):
            self.duplicates += 1
            return
        if full:
            self._forget(-heapq.heappop(self._largest))
        self._keep(digest, _Document(self._distinct(words), sampled))
        self._count_grams(refined)

    def model(self, number: int = 1) -> Model:
        """Return what was learned so far."""
        counts = Counter(
            chain.from_iterable(document.words.split("\n") for document in self._documents.values())
        )
        frequent = sorted(
            (-count, word)
            for word, count in counts.items()
            if word and count >= self._limits.least_together
        )
        words = tuple(word for _, word in frequent[: self._limits.words])
        ids = {word: number for number, word in enumerate(words)}
        documents = [
            np.array([ids[word] for word in text.split("\n") if word in ids], np.int64)
            for _, (text, _) in sorted(self._documents.items())
        ]
        frequencies = np.array([counts[word] for word in words], np.uint32)
        grams = np.minimum(self._grams, np.iinfo(np.uint32).max).astype(np.uint32)
        if self._limits.full:
            bits = np.zeros((len(words), self.used), np.bool_)
            for place, document in enumerate(documents):
                bits[document, place] = True
            return FullModel(
                number=number,
                documents=self.used,
                words=words,
                frequencies=frequencies,
                grams=grams,
                holders=np.packbits(bits, axis=1),
            )
        rows, columns, together = _pairs(documents, frequencies, self._limits)
        return PairModel(
            number=number,
            documents=self.used,
            words=words,
            frequencies=frequencies,
            grams=grams,
            starts=starts_of(np.bincount(rows, minlength=len(words))),
            neighbours=columns.astype(np.uint32),
            together=together.astype(np.uint32),
        )

    def _distinct(self, words: list[str]) -> str:
        distinct = [
            word for word in dict.fromkeys(words) if len(word) <= LONGEST_WORD and "\n" not in word
        ]
        return "\n".join(distinct[: self._limits.document_words])

    def _is_copied(self, sampled: Sample) -> bool:
        owners = {self._owners.get(one) for one in sampled.hashes.tolist()}
        return any(
            sampled.shared(self._documents[owner].sample) >= self._limits.copied
            for owner in owners
            if owner is not None
        )

    def _keep(self, digest: int, document: _Document) -> None:
        self._documents[digest] = document
        heapq.heappush(self._largest, -digest)
        for one in document.sample.hashes.tolist():
            self._owners.setdefault(one, digest)

    def _forget(self, digest: int) -> None:
        for one in self._documents.pop(digest).sample.hashes.tolist():
            if self._owners.get(one) == digest:
                del self._owners[one]

    def _count_grams(self, sentences: list[tuple[str, ...]]) -> None:
        counts = Counter(chain.from_iterable(map(grams, sentences)))
        cells = [cell_of(gram, GRAM_CELLS) for gram in counts]
        np.add.at(self._grams, cells, list(counts.values()))


def train(
    documents: Iterable[Iterable[Sequence[str]]], *, limits: Limits | None = None, number: int = 1
) -> Model:
    """Return a model of documents, each given as its refined sentences.

    >>> texts = ["car motor", "car motor road", "motor car sea", "car sea", "sea wind"]
    >>> model = train([[text.split()] for text in texts])
    >>> model.documents, model.words, model.correlation("car", "motor")
    (5, ('car', 'motor', 'sea'), 0.75)
    """
    trainer = Trainer(limits)
    for document in documents:
        trainer.add(document)
    return trainer.model(number)


def _pairs(
    documents: list[Indices], frequencies: Numbers, limits: Limits
) -> tuple[Indices, Indices, Indices]:
    """Return the pairs of words to keep, each in both orders, sorted."""
    nothing = np.empty((3, 0), np.int64)
    found = np.concatenate([nothing, *_blocks(documents, frequencies, limits)], axis=1)
    rows, columns, _ = found
    size = len(frequencies)
    kept = found[:, np.isin(columns * size + rows, rows * size + columns)]
    rows, columns, together = kept[:, np.lexsort((kept[1], kept[0]))]
    return rows, columns, together


def _blocks(
    documents: list[Indices], frequencies: Numbers, limits: Limits
) -> Iterator[NDArray[np.int64]]:
    """Yield the best neighbours of each word, for some words at a time to bound the memory."""
    if not len(frequencies):
        return
    size = len(frequencies)
    contents = np.concatenate(documents)
    lengths = np.array(list(map(len, documents)), np.int64)
    begins = starts_of(lengths)[:-1]
    holders = np.repeat(np.arange(len(documents)), lengths)
    pairs = np.bincount(contents, lengths[holders], size).astype(np.int64)
    holders = holders[np.argsort(contents, kind="stable")]  # the documents of each word
    places = starts_of(frequencies)
    low = 0
    while low < size:
        totals = np.cumsum(pairs[low : low + _BLOCK_WORDS])
        high = low + max(1, int(np.searchsorted(totals, _BLOCK_PAIRS, "right")))
        inside = holders[places[low] : places[high]]
        sizes = lengths[inside]
        rows = np.repeat(np.arange(high - low), frequencies[low:high])
        shifts = np.repeat(begins[inside] - starts_of(sizes)[:-1], sizes)
        keys = np.repeat(rows, sizes) * size + contents[shifts + np.arange(len(shifts))]
        counts = np.bincount(keys, minlength=(high - low) * size)
        yield _best(counts.reshape(-1, size), low, frequencies, limits)
        low = high


def _best(
    counts: NDArray[np.integer], low: int, frequencies: Numbers, limits: Limits
) -> NDArray[np.int64]:
    """Return the best neighbours of the words from number `low` on."""
    rows, columns = np.nonzero(counts >= limits.least_together)
    together = counts[rows, columns]
    rows += low
    factors = correlations(together, frequencies[rows], frequencies[columns])
    good = (rows != columns) & (factors >= limits.lowest) & (factors < limits.highest)
    found = np.stack((rows, columns, together))[:, good]
    found = found[:, np.lexsort((found[1], -factors[good], found[0]))]
    ranks = np.arange(found.shape[1]) - np.searchsorted(found[0], found[0])
    return found[:, ranks < limits.neighbours]
