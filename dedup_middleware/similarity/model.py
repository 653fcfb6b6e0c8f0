"""Word models: how rare words are in a corpus, which occur together, and the file format."""

from __future__ import annotations

import hashlib
import struct
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
_VERSION = 2
_ONES = np.array([value.bit_count() for value in range(256)], np.uint16)
_TINY = 1e-9
_OUTER = struct.Struct("<12sI16s")  # magic, version, checksum of what follows
_INNER = struct.Struct("<6I")  # number, documents, words, 0, cells, bytes of words
_LEVEL = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """Words of a corpus, and the documents that have each: all correlations follow."""

    number: int
    """The number of the training, from 1; in decisions, 0 means no model."""
    documents: int
    words: tuple[str, ...]
    """The words of the corpus, the most frequent first."""
    frequencies: Numbers
    """In how many documents each word occurs."""
    grams: Numbers
    """How often 4-grams occur, counted in cells by hash: good enough to find the rarer of two."""
    holders: NDArray[np.uint8]
    """A row for each word, with a bit for each document."""

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def frequency(self, word: str) -> int:
        """Return in how many documents a word occurs, 0 if it is unknown."""
        known = self._ids.get(word)
        return 0 if known is None else int(self.frequencies[known])

    def gram_frequency(self, gram: str) -> int:
        """Return how often a 4-gram occurs, or more if another one shares its cell."""
        return int(self.grams[cell_of(gram, len(self.grams))])

    def correlation(self, one: str, other: str) -> float:
        """Return the share of the documents with either word that have both."""
        return 1.0 if one == other else float(self.correlations_of([one, other], [0], [1])[0])

    def correlations_of(
        self, words: Sequence[str], first: Sequence[int] | Indices, second: Sequence[int] | Indices
    ) -> Factors:
        """Return the correlation of each pair of words, given by places."""
        known = self._known(words)
        rows, columns = known[first], known[second]
        there = np.flatnonzero((rows >= 0) & (columns >= 0))
        rows, columns = rows[there], columns[there]
        together = _ONES[self.holders[rows] & self.holders[columns]].sum(axis=1)
        factors = np.zeros(len(known[first]), np.float32)
        factors[there] = _correlations(together, self.frequencies[rows], self.frequencies[columns])
        return factors

    def table(self, words: Sequence[str], others: Sequence[str]) -> Factors:
        """Return the correlation of each of some words with each of others, in a row for each."""
        mine, theirs = self._known(words), self._known(others)
        first, second = np.flatnonzero(mine >= 0), np.flatnonzero(theirs >= 0)
        rows, columns = mine[first], theirs[second]
        together = self._bits(rows) @ self._bits(columns).T
        factors = np.zeros((len(words), len(others)), np.float32)
        factors[np.ix_(first, second)] = _correlations(
            together, self.frequencies[rows][:, None], self.frequencies[columns]
        )
        return factors

    def closest(self, word: str, most: int = 5, least: float = 0.0) -> list[tuple[str, float]]:
        """Return the words that correlate most with a word, best first."""
        known = self._ids.get(word)
        if known is None:
            return []
        own = self.frequencies[known]
        holders = np.flatnonzero(np.unpackbits(self.holders[known], count=self.documents))
        words = np.concatenate([self._words_of[place] for place in holders.tolist()])
        together = np.bincount(words, minlength=len(self.words))
        together[known] = 0
        others = np.flatnonzero(together >= max(1, least * int(own) - _TINY))
        factors = _correlations(together[others], own, self.frequencies[others]).astype(np.float32)
        near = np.flatnonzero(factors >= least)
        others, factors = others[near], factors[near]
        best = np.lexsort((others, -factors))[:most]
        found = zip(others[best].tolist(), factors[best].tolist(), strict=True)
        return [(self.words[number], factor) for number, factor in found]

    def _known(self, words: Sequence[str]) -> Indices:
        """Return the numbers of words, -1 for those that are unknown."""
        return np.array([self._ids.get(word, -1) for word in words], np.int64)

    @cached_property
    def _words_of(self) -> list[Numbers]:
        """The words of each document."""
        bits = np.unpackbits(self.holders, axis=1, count=self.documents).T
        return [np.flatnonzero(document).astype(np.uint32) for document in bits]

    def _bits(self, numbers: Indices) -> Factors:
        return np.unpackbits(self.holders[numbers], axis=1).astype(np.float32)


def _correlations(together: Any, one: Any, other: Any) -> NDArray[np.float64]:
    both = together.astype(np.int64)
    shares: NDArray[np.float64] = both / (one.astype(np.int64) + other - both)
    return shares


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
        return _unpacked(_decompressed(data))
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
    words = "\n".join(model.words).encode("utf-8", "surrogatepass")
    sizes = len(model.words), 0, len(model.grams), len(words)
    head = _INNER.pack(model.number, model.documents, *sizes)
    counts = [one.astype("<u4").tobytes() for one in (model.frequencies, model.grams)]
    data = b"".join((head, *counts, model.holders.tobytes(), words))
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
    return _OUTER.pack(_MAGIC, _VERSION, _checksum(packed)) + packed


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _unpacked(data: bytes) -> Model:
    number, documents, size, _, cells, letters = _INNER.unpack_from(data)
    width = -(-documents // 8)
    start = _INNER.size + 4 * (size + cells)
    if len(data) != start + size * width + letters:
        raise _BadModel("is damaged: its parts don't have the sizes in its header")
    counts = np.frombuffer(data, "<u4", size + cells, _INNER.size).astype(np.uint32, copy=False)
    frequencies, grams = counts[:size], counts[size:]
    holders = np.frombuffer(data, np.uint8, size * width, start).reshape(size, width)
    words = _words(data[len(data) - letters :], size)
    if not (number and cells and frequencies.all()):
        raise _BadModel("is damaged: a count that must be positive is 0")
    bits = np.unpackbits(holders, axis=1)
    if (bits.sum(axis=1) != frequencies).any() or bits[:, documents:].any():
        raise _BadModel("is damaged: its counts contradict each other")
    return Model(
        number=number,
        documents=documents,
        words=words,
        frequencies=frequencies,
        grams=grams,
        holders=holders,
    )


def _decompressed(file: bytes) -> bytes:
    """Check and decompress the contents of a file."""
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
            raise _BadModel(f"is damaged: it claims to hold {size:,} bytes")
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
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
