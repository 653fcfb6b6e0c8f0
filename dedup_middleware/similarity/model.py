"""Word models: how rare words are in a corpus, which occur together, and the file format."""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    Indices = NDArray[np.int64]

MAX_BYTES = 32 << 20  # of a file, and of what it holds unpacked
_MAGIC = b"dedup-model\n"
_VERSION = 1
_OUTER = struct.Struct("<12sI16s")  # magic, version, checksum of what follows
_INNER = struct.Struct("<6I")  # number, documents, words, pairs, cells, bytes of words
_LEVEL = 12


@dataclass(frozen=True, eq=False)
class Model:
    """Words of a corpus and their correlations; the row of word i begins at `starts[i]`."""

    number: int
    """The number of the training, from 1; in decisions, 0 means no model."""
    documents: int
    words: tuple[str, ...]
    """The most frequent first."""
    frequencies: Numbers
    """In how many documents each word occurs."""
    starts: Indices
    neighbours: Numbers
    """Ascending in each row; neighbours are mutual."""
    together: Numbers
    """In how many documents word and neighbour both occur."""
    grams: Numbers
    """How often 4-grams occur, counted in cells by hash: good enough to find the rarer of two."""

    @cached_property
    def factors(self) -> NDArray[np.float32]:
        """The correlation of each word with each of its neighbours."""
        own = np.repeat(self.frequencies, np.diff(self.starts))
        return correlations(self.together, own, self.frequencies[self.neighbours]).astype(
            np.float32
        )

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

    def correlation(self, one: str, other: str) -> float:
        """Return the share of the documents with either word that have both, 0 if it is small."""
        if one == other:
            return 1.0
        row, column = self._ids.get(one), self._ids.get(other)
        if row is None or column is None:
            return 0.0
        start, end = self.starts[row], self.starts[row + 1]
        at = start + np.searchsorted(self.neighbours[start:end], column)
        return float(self.factors[at]) if at < end and self.neighbours[at] == column else 0.0

    def closest(self, word: str, most: int = 5) -> list[tuple[str, float]]:
        """Return the words that correlate most with a word, best first."""
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
        """Yield the pairs of some words and their neighbours among others, with the correlation."""
        rows = np.array(
            [number for word in words if (number := self._ids.get(word)) is not None], np.int64
        )
        wanted = np.zeros(len(self.words), bool)
        wanted[[number for word in others if (number := self._ids.get(word)) is not None]] = True
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        # places of all rows, one row after the other
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
        """Return how often a 4-gram occurs, or more if another one shares its cell."""
        return int(self.grams[cell_of(gram, len(self.grams))])


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
    raise DedupError(f"{problem}; `scrapy dedup train PATH… --output FILE` makes a model")


class _BadModel(ValueError):
    """What is wrong with a file, as a sentence that begins with its name."""


def _packed(model: Model) -> bytes:
    """Serialise a model; of each pair of neighbours only one direction is kept."""
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
    data = _decompressed(file)
    number, documents, size, pairs, cells, letters = _INNER.unpack_from(data)
    lengths = (size, size, pairs, pairs, cells)
    if len(data) != _INNER.size + 4 * sum(lengths) + letters:
        raise _BadModel("is damaged: its parts don't have the sizes in its header")
    places = _INNER.size + 4 * starts_of(np.array(lengths))
    frequencies, counts, later, together, cell_counts = (
        np.frombuffer(data, "<u4", length, place).astype(np.uint32, copy=False)
        for length, place in zip(lengths, places[:-1].tolist(), strict=True)
    )
    words = _words(data[len(data) - letters :], size)
    if not (number and cells and frequencies.all()):
        raise _BadModel("is damaged: a count that must be positive is 0")
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
    return Model(
        number=number,
        documents=documents,
        words=words,
        frequencies=frequencies,
        starts=starts_of(np.bincount(both[0], minlength=size)),
        neighbours=both[1][order].astype(np.uint32),
        together=np.concatenate((together, together))[order],
        grams=cell_counts,
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
