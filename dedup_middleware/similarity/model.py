"""Word models: how rare words are in a corpus, which occur together, and the file format."""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import zstandard

from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    Indices = NDArray[np.int64]
    Factors = NDArray[np.float32]

SHIPPED = Path(__file__).with_name("english.model")
MAX_BYTES = 32 << 20  # of a file, and of what it holds unpacked
_MAGIC = b"dedup-model\n"
_VERSION, _FULL = 1, 2  # formats: pairs of words, or the documents of each word
_ONES = np.array([value.bit_count() for value in range(256)], np.uint16)
_TINY = 1e-9
_BAD_SIZES = "is damaged: its parts don't have the sizes in its header"
_BAD_COUNT = "is damaged: a count that must be positive is 0"
_OUTER = struct.Struct("<12sI16s")  # magic, version, checksum of what follows
_INNER = struct.Struct("<6I")  # number, documents, words, pairs, cells, bytes of words
_LEVEL = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class Model(ABC):
    """Words of a corpus and their correlations."""

    number: int
    """The number of the training, from 1; in decisions, 0 means no model."""
    documents: int
    words: tuple[str, ...]
    """The words of the corpus, the most frequent first."""
    frequencies: Numbers
    """In how many documents each word occurs."""
    grams: Numbers
    """How often 4-grams occur, counted in cells by hash: good enough to find the rarer of two."""

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def frequency(self, word: str) -> int:
        """Return in how many documents a word occurs, 0 if it is unknown."""
        known = self._ids.get(word)
        return 0 if known is None else int(self.frequencies[known])

    def weight(self, word: str) -> float:
        """Return the weight of a word: the square root of its idf, highest if it is unknown."""
        return math.sqrt(math.log((self.documents + 1) / (self.frequency(word) + 0.5)))

    def gram_frequency(self, gram: str) -> int:
        """Return how often a 4-gram occurs, or more if another one shares its cell."""
        return int(self.grams[cell_of(gram, len(self.grams))])

    def correlation(self, one: str, other: str) -> float:
        """Return the share of the documents with either word that have both, 0 if it is small."""
        return 1.0 if one == other else float(self.correlations_of([one, other], [0], [1])[0])

    def correlations_of(
        self, words: Sequence[str], first: Sequence[int] | Indices, second: Sequence[int] | Indices
    ) -> Factors:
        """Return the correlation of each pair of words, given by places, 0 if it is small."""
        known = self._known(words)
        rows, columns = known[first], known[second]
        there = np.flatnonzero((rows >= 0) & (columns >= 0))
        factors = np.zeros(len(rows), np.float32)
        factors[there] = self._each(rows[there], columns[there])
        return factors

    def closest(self, word: str, most: int = 5, least: float = 0.0) -> list[tuple[str, float]]:
        """Return the words that correlate most with a word, best first."""
        known = self._ids.get(word)
        if known is None:
            return []
        numbers, factors = self._row(known, least)
        near = np.flatnonzero(factors >= least)
        numbers, factors = numbers[near], factors[near]
        best = np.lexsort((numbers, -factors))[:most]
        found = zip(numbers[best].tolist(), factors[best].tolist(), strict=True)
        return [(self.words[number], factor) for number, factor in found]

    def pairs_among(self, words: Sequence[str], others: Sequence[str]) -> Pairs:
        """Return which of some words correlate with which of others, by their places."""
        mine, theirs = self._known(words), self._known(others)
        return self._pairs(mine, theirs)

    def _known(self, words: Sequence[str]) -> Indices:
        """Return the numbers of words, -1 for those that are unknown."""
        return np.array([self._ids.get(word, -1) for word in words], np.int64)

    @abstractmethod
    def _row(self, number: int, least: float) -> tuple[NDArray[np.integer], Factors]:
        """Return the words that correlate with a word, at least those that do so much."""

    @abstractmethod
    def _pairs(self, mine: Indices, theirs: Indices) -> Pairs: ...

    @abstractmethod
    def _each(self, rows: Indices, columns: Indices) -> Factors: ...


class Pairs(NamedTuple):
    """Correlated words, one pair a row: places in two lists of words, and the correlation."""

    first: Indices
    second: Indices
    factors: Factors


@dataclass(frozen=True, eq=False, kw_only=True)
class PairModel(Model):
    """The pairs of words that correlate most; the row of word i begins at `starts[i]`."""

    starts: Indices
    neighbours: Numbers
    """The numbers of the neighbours, ascending in each row; neighbours are mutual."""
    together: Numbers
    """In how many documents word and neighbour both occur."""

    @cached_property
    def factors(self) -> Factors:
        """The correlation of each word with each of its neighbours."""
        own = np.repeat(self.frequencies, np.diff(self.starts))
        return correlations(self.together, own, self.frequencies[self.neighbours]).astype(
            np.float32
        )

    def _row(self, number: int, least: float) -> tuple[NDArray[np.integer], Factors]:  # noqa: ARG002 - rows are kept whole
        place = slice(self.starts[number], self.starts[number + 1])
        return self.neighbours[place], self.factors[place]

    def _pairs(self, mine: Indices, theirs: Indices) -> Pairs:
        known = np.flatnonzero(mine >= 0)
        rows = mine[known]
        wanted = np.full(len(self.words), -1, np.int64)
        wanted[theirs[theirs >= 0]] = np.flatnonzero(theirs >= 0)
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        # places of all rows, one row after the other
        places = np.arange(lengths.sum()) + np.repeat(self.starts[rows] - ends + lengths, lengths)
        second = wanted[self.neighbours[places]]
        kept = second >= 0
        return Pairs(np.repeat(known, lengths)[kept], second[kept], self.factors[places][kept])

    @cached_property
    def _sorted(self) -> Indices:
        """All pairs in order, as one number each."""
        size = len(self.words)
        return np.repeat(np.arange(size), np.diff(self.starts)) * size + self.neighbours

    def _each(self, rows: Indices, columns: Indices) -> Factors:
        if not len(self._sorted):
            return np.zeros(len(rows), np.float32)
        wanted = rows * len(self.words) + columns
        places = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        found: Factors = np.where(self._sorted[places] == wanted, self.factors[places], 0)
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class FullModel(Model):
    """The documents that have each word, a bit for each: all correlations follow, none is cut."""

    holders: NDArray[np.uint8]

    @cached_property
    def _words_of(self) -> list[Numbers]:
        """The words of each document."""
        bits = np.unpackbits(self.holders, axis=1, count=self.documents).T
        return [np.flatnonzero(document).astype(np.uint32) for document in bits]

    def _row(self, number: int, least: float) -> tuple[NDArray[np.integer], Factors]:
        own = int(self.frequencies[number])
        holders = np.flatnonzero(np.unpackbits(self.holders[number], count=self.documents))
        words = np.concatenate([self._words_of[place] for place in holders.tolist()])
        together = np.bincount(words, minlength=len(self.words))
        together[number] = 0
        others = np.flatnonzero(together >= max(1, least * own - _TINY))
        factors = correlations(
            together[others], np.full(len(others), own), self.frequencies[others]
        )
        return others, factors.astype(np.float32)

    def _pairs(self, mine: Indices, theirs: Indices) -> Pairs:
        first, second = np.flatnonzero(mine >= 0), np.flatnonzero(theirs >= 0)
        rows, columns = mine[first], theirs[second]
        together = self._bits(rows) @ self._bits(columns).T
        at, to = np.nonzero((together > 0) & (rows[:, None] != columns))
        factors = correlations(
            together[at, to], self.frequencies[rows[at]], self.frequencies[columns[to]]
        )
        return Pairs(first[at], second[to], factors.astype(np.float32))

    def _each(self, rows: Indices, columns: Indices) -> Factors:
        together = _ONES[self.holders[rows] & self.holders[columns]].sum(axis=1)
        found = correlations(together, self.frequencies[rows], self.frequencies[columns])
        return found.astype(np.float32)

    def _bits(self, numbers: Indices) -> Factors:
        return np.unpackbits(self.holders[numbers], axis=1).astype(np.float32)


def correlations(together: Any, one: Any, other: Any) -> NDArray[np.float64]:
    both = together.astype(np.int64)
    shares: NDArray[np.float64] = both / (one.astype(np.int64) + other - both)
    return shares


def starts_of(lengths: NDArray[np.integer]) -> Indices:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def cell_of(gram: str, cells: int) -> int:
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) % cells


def save(model: Model, path: str | Path) -> None:
    """Write a model to a file at once: readers see either the old one or the new one."""
    try:
        write_atomically(Path(path), _packed(model))
    except OSError as error:
        raise DedupError(f"Can't write the model {path}: {error.strerror}") from error


def load(path: str | Path) -> Model:
    """Read a model from a file, which may be damaged or forged."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return _unpacked(data)
    except OSError as error:
        problem = f"Can't read the model {path}: {error.strerror}"
    except _BadModel as error:
        problem = f"{path} {error}"
    raise DedupError(f"{problem}; `python -m lab.train PATH… --output FILE` makes a model")


@cache
def shipped() -> Model:
    """Return the model of English words that comes with the package."""
    return load(SHIPPED)


class _BadModel(ValueError):
    """What is wrong with a file, as a sentence that begins with its name."""


def _packed(model: Model) -> bytes:
    size = len(model.words)
    words = "\n".join(model.words).encode("utf-8", "surrogatepass")
    pairs, rest = 0, [model.grams.astype("<u4").tobytes()]
    if isinstance(model, FullModel):
        rest.append(model.holders.tobytes())
    if isinstance(model, PairModel):
        pairs, rest = _packed_pairs(model)
    head = _INNER.pack(model.number, model.documents, size, pairs, len(model.grams), len(words))
    data = b"".join((head, model.frequencies.astype("<u4").tobytes(), *rest, words))
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
    version = _FULL if isinstance(model, FullModel) else _VERSION
    return _OUTER.pack(_MAGIC, version, _checksum(packed)) + packed


def _packed_pairs(model: PairModel) -> tuple[int, list[bytes]]:
    """Serialise pairs of words; of each only one direction is kept."""
    size = len(model.words)
    rows = np.repeat(np.arange(size), np.diff(model.starts))
    first = model.neighbours > rows
    arrays = (
        np.bincount(rows[first], minlength=size),
        model.neighbours[first],
        model.together[first],
        model.grams,
    )
    return int(first.sum()), [array.astype("<u4").tobytes() for array in arrays]


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _unpacked(file: bytes) -> Model:
    version, data = _decompressed(file)
    return _unpacked_full(data) if version == _FULL else _unpacked_pairs(data)


def _unpacked_full(data: bytes) -> FullModel:
    number, documents, size, _, cells, letters = _INNER.unpack_from(data)
    width = -(-documents // 8)
    if len(data) != _INNER.size + 4 * (size + cells) + size * width + letters:
        raise _BadModel(_BAD_SIZES)
    frequencies, grams = (
        np.frombuffer(data, "<u4", length, place).astype(np.uint32, copy=False)
        for length, place in ((size, _INNER.size), (cells, _INNER.size + 4 * size))
    )
    start = _INNER.size + 4 * (size + cells)
    holders = np.frombuffer(data, np.uint8, size * width, start).reshape(size, width)
    words = _words(data[len(data) - letters :], size)
    if not (number and cells and frequencies.all()):
        raise _BadModel(_BAD_COUNT)
    bits = np.unpackbits(holders, axis=1)
    if (bits.sum(axis=1) != frequencies).any() or bits[:, documents:].any():
        raise _BadModel("is damaged: its counts contradict each other")
    return FullModel(
        number=number,
        documents=documents,
        words=words,
        frequencies=frequencies,
        grams=grams,
        holders=holders,
    )


def _unpacked_pairs(data: bytes) -> PairModel:
    number, documents, size, pairs, cells, letters = _INNER.unpack_from(data)
    lengths = (size, size, pairs, pairs, cells)
    if len(data) != _INNER.size + 4 * sum(lengths) + letters:
        raise _BadModel(_BAD_SIZES)
    places = _INNER.size + 4 * starts_of(np.array(lengths))
    frequencies, counts, later, together, cell_counts = (
        np.frombuffer(data, "<u4", length, place).astype(np.uint32, copy=False)
        for length, place in zip(lengths, places[:-1].tolist(), strict=True)
    )
    words = _words(data[len(data) - letters :], size)
    if not (number and cells and frequencies.all()):
        raise _BadModel(_BAD_COUNT)
    if (frequencies > documents).any() or int(counts.sum(dtype=np.int64)) != pairs:
        raise _BadModel("is damaged: its counts contradict each other")
    rows = np.repeat(np.arange(size), counts)
    columns = later.astype(np.int64)
    if (columns <= rows).any() or (columns >= size).any():
        raise _BadModel("is damaged: a word has an impossible neighbour")
    if (np.diff(rows * size + columns) <= 0).any():
        raise _BadModel("is damaged: neighbours are out of order")
    if (together > np.minimum(frequencies[rows], frequencies[columns])).any():
        raise _BadModel("is damaged: two words occur together more often than one of them")
    both = np.concatenate((rows, columns)), np.concatenate((columns, rows))
    order = np.lexsort((both[1], both[0]))
    return PairModel(
        number=number,
        documents=documents,
        words=words,
        frequencies=frequencies,
        starts=starts_of(np.bincount(both[0], minlength=size)),
        neighbours=both[1][order].astype(np.uint32),
        together=np.concatenate((together, together))[order],
        grams=cell_counts,
    )


def _decompressed(file: bytes) -> tuple[int, bytes]:
    """Check and decompress the contents of a file; return its format, too."""
    if not file.startswith(_MAGIC):
        raise _BadModel("is not a model")
    if len(file) > MAX_BYTES:
        raise _BadModel(f"is larger than a model can be ({MAX_BYTES >> 20} MiB)")
    if len(file) < _OUTER.size:
        raise _BadModel("is damaged: it ends too early")
    _, version, checksum = _OUTER.unpack_from(file)
    if version not in (_VERSION, _FULL):
        raise _BadModel(f"has format {version} of a model, this version reads {_VERSION}, {_FULL}")
    packed = file[_OUTER.size :]
    if _checksum(packed) != checksum:
        raise _BadModel("is damaged: its checksum is wrong")
    try:
        size = zstandard.frame_content_size(packed)
        if not _INNER.size <= size <= MAX_BYTES:
            raise _BadModel(f"is damaged: it claims to hold {size:,} bytes")
        return version, zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise _BadModel(f"is damaged: {error}") from error


def _words(data: bytes, size: int) -> tuple[str, ...]:
    try:
        words = data.decode("utf-8", "surrogatepass").split("\n") if size else []
    except UnicodeDecodeError as error:
        raise _BadModel("is damaged: its words are not UTF-8") from error
    if len(words) != size or len(set(words)) != size or "" in words:
        raise _BadModel("is damaged: its words don't agree with its header")
    return tuple(words)
