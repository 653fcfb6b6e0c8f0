"""What a corpus says about words: how rare they are, and which stand in the same documents."""

from __future__ import annotations

import hashlib
import heapq
import math
import os
import struct
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import zstandard

from dedup_middleware.errors import DedupError
from dedup_middleware.fingerprint.hashing import shingle_hashes, word_hashes
from dedup_middleware.fingerprint.sketch import sketch

from .grams import grams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.sketch import Sketch

    Numbers = NDArray[np.uint32]
    Indices = NDArray[np.int64]

GRAM_CELLS = 1 << 18
LONGEST_WORD = 64  # characters; longer ones are codes and keys
MAX_BYTES = 32 << 20  # of a file, and of what it holds unpacked
_SHINGLE_WORDS = 3
_BLOCK_WORDS = 128
_BLOCK_PAIRS = 1 << 20
_MAGIC = b"dedup-model\n"
_VERSION = 1
_OUTER = struct.Struct("<12sI16s")  # magic, version, checksum of what follows
_INNER = struct.Struct("<6I")  # number, documents, words, pairs, cells, bytes of words
_LEVEL = 12


@dataclass(frozen=True, eq=False)
class Model:
    """Words of a corpus and their correlations, in rows: those of word i begin at `starts[i]`."""

    number: int
    """Counts the trainings, from 1; 0 stands for no model in what was decided."""
    documents: int
    words: tuple[str, ...]
    """The most frequent first."""
    frequencies: Numbers
    """In how many documents each word stands."""
    starts: Indices
    neighbours: Numbers
    """Ascending in each row; whoever is a neighbour has this one for a neighbour too."""
    together: Numbers
    """In how many documents word and neighbour stand."""
    grams: Numbers
    """How often 4-grams occur, counted in cells by their hash; good for telling the rarer one."""

    @cached_property
    def factors(self) -> NDArray[np.float32]:
        """The correlation of each word with each of its neighbours."""
        own = np.repeat(self.frequencies, np.diff(self.starts))
        return _correlations(self.together, own, self.frequencies[self.neighbours]).astype(
            np.float32
        )

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def id(self, word: str) -> int | None:
        return self._ids.get(word)

    def frequency(self, word: str) -> int:
        """Tell in how many documents a word stands; 0 if it is not known."""
        known = self._ids.get(word)
        return 0 if known is None else int(self.frequencies[known])

    def weight(self, word: str) -> float:
        """Tell how much a word says: the root of its idf, highest where it is not known."""
        return math.sqrt(math.log((self.documents + 1) / (self.frequency(word) + 0.5)))

    def correlation(self, one: str, other: str) -> float:
        """Give the share of the documents with either word that have both; 0 if it is small."""
        if one == other:
            return 1.0
        row, column = self._ids.get(one), self._ids.get(other)
        if row is None or column is None:
            return 0.0
        start, end = self.starts[row], self.starts[row + 1]
        at = start + np.searchsorted(self.neighbours[start:end], column)
        return float(self.factors[at]) if at < end and self.neighbours[at] == column else 0.0

    def closest(self, word: str, most: int = 5) -> list[tuple[str, float]]:
        """List the words that correlate most with a word, best first."""
        row = self._ids.get(word)
        if row is None:
            return []
        place = slice(self.starts[row], self.starts[row + 1])
        found = zip(self.neighbours[place].tolist(), self.factors[place].tolist(), strict=True)
        best = sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most]
        return [(self.words[number], factor) for number, factor in best]

    def neighbours_among(
        self, words: Sequence[str], others: Iterable[str]
    ) -> Iterator[tuple[str, str, float]]:
        """Give the pairs of some words and their neighbours among others, with the correlation."""
        rows = np.array(
            [number for word in words if (number := self._ids.get(word)) is not None], np.int64
        )
        wanted = np.zeros(len(self.words), bool)
        wanted[[number for word in others if (number := self._ids.get(word)) is not None]] = True
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        # all rows one after the other: where each begins, and then on from there
        places = np.arange(lengths.sum()) + np.repeat(self.starts[rows] - ends + lengths, lengths)
        kept = wanted[self.neighbours[places]]
        found = zip(
            np.repeat(rows, lengths)[kept].tolist(),
            self.neighbours[places][kept].tolist(),
            self.factors[places][kept].tolist(),
            strict=True,
        )
        for row, other, factor in found:
            yield self.words[row], self.words[other], factor

    def gram_frequency(self, gram: str) -> int:
        """Tell how often a 4-gram occurs, or more often where another one shares its cell."""
        return int(self.grams[_cell(gram, len(self.grams))])


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is learned, whatever the size of the corpus."""

    documents: int = 8_000
    """A sample: those whose words have the smallest hash, in whatever order they come."""
    document_words: int = 400
    """Distinct words of a document that count, from its beginning."""
    words: int = 30_000
    least_together: int = 3
    """Documents that a word, and a pair of words, must stand in."""
    lowest: float = 0.05
    highest: float = 0.9
    """Words that correlate more come from text that is posted again and again."""
    neighbours: int = 50
    """Of a word, those that correlate most; a pair is kept if each is among the other's."""
    copied: float = 0.3
    """Documents of which this share stands in another one are left out."""


class _Document(NamedTuple):
    words: str
    """In lines; many short strings would take several times the memory."""
    sketch: Sketch
    """Of its runs of three words."""


class Trainer:
    """Learn from documents, one after the other; the same ones in the same order give the same.

    Kept are a sample of the documents and counts in tables of a fixed size. A document is left out
    if one with the same set of words is there already, or one that holds much of its text, which
    is estimated from a sample of its runs of three words.
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
        """Learn from a document, given as its refined sentences."""
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
        sampled = sketch(shingle_hashes(hashes, _SHINGLE_WORDS))
        if self._is_copied(sampled):
            self.duplicates += 1
            return
        if full:
            self._forget(-heapq.heappop(self._largest))
        self._keep(digest, _Document(self._lines(words), sampled))
        self._count_grams(refined)

    def model(self, number: int = 1) -> Model:
        """Give what was learned so far."""
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
        rows, columns, together = _pairs(documents, frequencies, self._limits)
        return Model(
            number=number,
            documents=self.used,
            words=words,
            frequencies=frequencies,
            starts=_starts(np.bincount(rows, minlength=len(words))),
            neighbours=columns.astype(np.uint32),
            together=together.astype(np.uint32),
            grams=np.minimum(self._grams, np.iinfo(np.uint32).max).astype(np.uint32),
        )

    def _lines(self, words: list[str]) -> str:
        distinct = [
            word for word in dict.fromkeys(words) if len(word) <= LONGEST_WORD and "\n" not in word
        ]
        return "\n".join(distinct[: self._limits.document_words])

    def _is_copied(self, sampled: Sketch) -> bool:
        owners = {self._owners.get(one) for one in sampled.hashes.tolist()}
        return any(
            sampled.estimate(self._documents[owner].sketch).containment >= self._limits.copied
            for owner in owners
            if owner is not None
        )

    def _keep(self, digest: int, document: _Document) -> None:
        self._documents[digest] = document
        heapq.heappush(self._largest, -digest)
        for one in document.sketch.hashes.tolist():
            self._owners.setdefault(one, digest)

    def _forget(self, digest: int) -> None:
        for one in self._documents.pop(digest).sketch.hashes.tolist():
            if self._owners.get(one) == digest:
                del self._owners[one]

    def _count_grams(self, sentences: list[tuple[str, ...]]) -> None:
        counts = Counter(chain.from_iterable(map(grams, sentences)))
        cells = [_cell(gram, GRAM_CELLS) for gram in counts]
        np.add.at(self._grams, cells, list(counts.values()))


def train(
    documents: Iterable[Iterable[Sequence[str]]], *, limits: Limits | None = None, number: int = 1
) -> Model:
    """Learn from documents, each given as its refined sentences.

    >>> texts = ["car motor", "car motor road", "motor car sea", "car sea", "sea wind"]
    >>> model = train([[text.split()] for text in texts])
    >>> model.documents, model.words, model.correlation("car", "motor")
    (5, ('car', 'motor', 'sea'), 0.75)
    """
    trainer = Trainer(limits)
    for document in documents:
        trainer.add(document)
    return trainer.model(number)


def save(model: Model, path: str | Path) -> None:
    """Write a model to a file; who reads it meanwhile sees the old one or the new one."""
    path = Path(path)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with new.open("xb") as file:
            file.write(_packed(model))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise DedupError(f"Can't write the model {path}: {error.strerror}") from error


def load(path: str | Path) -> Model:
    """Read a model from a file, which may be damaged or somebody else's."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return _unpacked(data)
    except OSError as error:
        problem = f"Can't read the model {path}: {error.strerror}"
    except _BadModel as error:
        problem = f"{path} {error}"
    raise DedupError(f"{problem}; `scrapy dedup train PATH… --output FILE` makes a model")


class _BadModel(ValueError):
    """What is wrong with a file, worded to stand behind its name."""


def _correlations(together: Any, one: Any, other: Any) -> NDArray[np.float64]:
    both = together.astype(np.int64)
    shares: NDArray[np.float64] = both / (one.astype(np.int64) + other - both)
    return shares


def _starts(lengths: NDArray[np.integer]) -> Indices:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def _cell(gram: str, cells: int) -> int:
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) % cells


def _pairs(
    documents: list[Indices], frequencies: Numbers, limits: Limits
) -> tuple[Indices, Indices, Indices]:
    """Find the pairs of words that are worth keeping, each both ways, in order."""
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
    """Go through the words, some at a time, and find the best neighbours of each.

    No more is in memory than the pairs of some words, or of one that stands everywhere.
    """
    if not len(frequencies):
        return
    size = len(frequencies)
    contents = np.concatenate(documents)
    lengths = np.array(list(map(len, documents)), np.int64)
    begins = _starts(lengths)[:-1]
    holders = np.repeat(np.arange(len(documents)), lengths)
    pairs = np.bincount(contents, lengths[holders], size).astype(np.int64)
    holders = holders[np.argsort(contents, kind="stable")]  # the documents of each word
    places = _starts(frequencies)
    low = 0
    while low < size:
        totals = np.cumsum(pairs[low : low + _BLOCK_WORDS])
        high = low + max(1, int(np.searchsorted(totals, _BLOCK_PAIRS, "right")))
        inside = holders[places[low] : places[high]]
        sizes = lengths[inside]
        rows = np.repeat(np.arange(high - low), frequencies[low:high])
        shifts = np.repeat(begins[inside] - _starts(sizes)[:-1], sizes)
        keys = np.repeat(rows, sizes) * size + contents[shifts + np.arange(len(shifts))]
        counts = np.bincount(keys, minlength=(high - low) * size)
        yield _best(counts.reshape(-1, size), low, frequencies, limits)
        low = high


def _best(
    counts: NDArray[np.integer], low: int, frequencies: Numbers, limits: Limits
) -> NDArray[np.int64]:
    """Choose the best neighbours of the words from number `low` on."""
    rows, columns = np.nonzero(counts >= limits.least_together)
    together = counts[rows, columns]
    rows += low
    factors = _correlations(together, frequencies[rows], frequencies[columns])
    good = (rows != columns) & (factors >= limits.lowest) & (factors < limits.highest)
    found = np.stack((rows, columns, together))[:, good]
    found = found[:, np.lexsort((found[1], -factors[good], found[0]))]
    ranks = np.arange(found.shape[1]) - np.searchsorted(found[0], found[0])
    return found[:, ranks < limits.neighbours]


def _packed(model: Model) -> bytes:
    """Put a model into bytes; of a pair that stands there both ways only the first is kept."""
    size = len(model.words)
    rows = np.repeat(np.arange(size), np.diff(model.starts))
    first = model.neighbours > rows
    words = "\n".join(model.words).encode("utf-8", "surrogatepass")
    arrays = (
        model.frequencies,
        np.bincount(rows[first], minlength=size),
        model.neighbours[first],
        model.together[first],
        model.grams,
    )
    head = _INNER.pack(
        model.number, model.documents, size, int(first.sum()), len(model.grams), len(words)
    )
    data = b"".join((head, *(array.astype("<u4").tobytes() for array in arrays), words))
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
    return _OUTER.pack(_MAGIC, _VERSION, _checksum(packed)) + packed


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _unpacked(file: bytes) -> Model:
    data = _opened(file)
    number, documents, size, pairs, cells, letters = _INNER.unpack_from(data)
    lengths = (size, size, pairs, pairs, cells)
    if len(data) != _INNER.size + 4 * sum(lengths) + letters:
        raise _BadModel("is damaged: its parts don't have the size that it says")
    places = _INNER.size + 4 * _starts(np.array(lengths))
    frequencies, counts, later, together, cell_counts = (
        np.frombuffer(data, "<u4", length, place).astype(np.uint32, copy=False)
        for length, place in zip(lengths, places[:-1].tolist(), strict=True)
    )
    words = _words(data[len(data) - letters :], size)
    if not (number and cells and frequencies.all()):
        raise _BadModel("is damaged: something is 0 that can't be")
    if (frequencies > documents).any() or int(counts.sum(dtype=np.int64)) != pairs:
        raise _BadModel("is damaged: its counts contradict each other")
    rows = np.repeat(np.arange(size), counts)
    columns = later.astype(np.int64)
    if (columns <= rows).any() or (columns >= size).any():
        raise _BadModel("is damaged: a word has a neighbour that can't be")
    if (np.diff(rows * size + columns) <= 0).any():
        raise _BadModel("is damaged: neighbours are out of order")
    if (together > np.minimum(frequencies[rows], frequencies[columns])).any():
        raise _BadModel("is damaged: two words are together where one of them is not")
    both = np.concatenate((rows, columns)), np.concatenate((columns, rows))
    order = np.lexsort((both[1], both[0]))
    return Model(
        number=number,
        documents=documents,
        words=words,
        frequencies=frequencies,
        starts=_starts(np.bincount(both[0], minlength=size)),
        neighbours=both[1][order].astype(np.uint32),
        together=np.concatenate((together, together))[order],
        grams=cell_counts,
    )


def _opened(file: bytes) -> bytes:
    """Take the cover off the contents of a file."""
    if not file.startswith(_MAGIC):
        raise _BadModel("is not a model")
    if len(file) > MAX_BYTES:
        raise _BadModel(f"is larger than a model can be ({MAX_BYTES >> 20} MiB)")
    if len(file) < _OUTER.size:
        raise _BadModel("is damaged: it ends too early")
    _, version, checksum = _OUTER.unpack_from(file)
    if version != _VERSION:
        raise _BadModel(f"has format {version} of a model, this version reads {_VERSION}")
    packed = file[_OUTER.size :]
    if _checksum(packed) != checksum:
        raise _BadModel("is damaged: its checksum is wrong")
    try:
        size = zstandard.frame_content_size(packed)
        if not _INNER.size <= size <= MAX_BYTES:
            raise _BadModel(f"is damaged: it says that it holds {size:,} bytes")
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise _BadModel(f"is damaged: {error}") from error


def _words(data: bytes, size: int) -> tuple[str, ...]:
    try:
        words = data.decode("utf-8", "surrogatepass").split("\n") if size else []
    except UnicodeDecodeError as error:
        raise _BadModel("is damaged: its words are not UTF-8") from error
    if len(words) != size or len(set(words)) != size or "" in words:
        raise _BadModel("is damaged: it doesn't have the words that it says")
    return tuple(words)
