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
from dedup_middleware.fingerprint.scheme import Sample
from dedup_middleware.similarity.matching import grams
from dedup_middleware.similarity.model import Model, cell_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.fingerprint.hashing import Hashes

GRAM_CELLS = 1 << 18
LONGEST_WORD = 64  # characters; longer ones are codes and keys
_SHINGLE_WORDS = 3
# of samples: one shingle of so many, at least and at most so many
RATE, LEAST, MOST = 12, 8, 640
_FULL = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is learned, whatever the size of the corpus."""

    documents: int = 8_000
    """A sample: those whose words have the smallest hashes, in any order of arrival."""
    document_words: int = 1_000_000
    """Distinct words used of a document, from its beginning."""
    words: int = 30_000
    """With so many words of so many documents a file is not larger than a model can be."""
    least_documents: int = 3
    """The fewest documents with a word."""
    copied: float = 0.3
    """Documents with this share of their text in another one are left out."""


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
            if word and count >= self._limits.least_documents
        )
        words = tuple(word for _, word in frequent[: self._limits.words])
        ids = {word: number for number, word in enumerate(words)}
        holders = np.zeros((len(words), self.used), np.bool_)
        for place, (_, (text, _)) in enumerate(sorted(self._documents.items())):
            holders[[ids[word] for word in text.split("\n") if word in ids], place] = True
        return Model(
            number=number,
            documents=self.used,
            words=words,
            frequencies=np.array([counts[word] for word in words], np.uint32),
            grams=np.minimum(self._grams, np.iinfo(np.uint32).max).astype(np.uint32),
            holders=np.packbits(holders, axis=1),
        )

    def _distinct(self, words: list[str]) -> str:
        distinct = [
            word for word in dict.fromkeys(words) if len(word) <= LONGEST_WORD and "\n" not in word
        ]
        return "\n".join(distinct[: self._limits.document_words])

    def _is_copied(self, sampled: Sample) -> bool:
        owners = {self._owners.get(one) for one in sampled.hashes.tolist()}
        return any(
            shared(sampled, self._documents[owner].sample) >= self._limits.copied
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


def sample(shingles: Hashes) -> Sample:
    """Sample the shingles of a document by the size of their hash, as a fingerprint does."""
    limit = _FULL // RATE
    small = np.unique(shingles[shingles <= np.uint64(limit)])
    if len(small) > MOST:
        small = small[:MOST]
        limit = int(small[-1])
    elif len(small) < LEAST:
        small = np.unique(shingles)[:LEAST]
        limit = int(small[-1]) if len(small) == LEAST else _FULL
    return Sample(small, limit)


def shared(one: Sample, other: Sample) -> float:
    """Estimate the share of a document that is found in another."""
    limit = np.uint64(min(one.limit, other.limit))
    mine = one.hashes[: np.searchsorted(one.hashes, limit, "right")]
    return len(np.intersect1d(mine, other.hashes, assume_unique=True)) / max(1, len(mine))
