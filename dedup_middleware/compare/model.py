"""What a corpus says about words: how rare they are, and which stand in the same documents."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    Indices = NDArray[np.int64]


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
        return correlations(self.together, own, self.frequencies[self.neighbours]).astype(
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
        return int(self.grams[cell_of(gram, len(self.grams))])


def correlations(together: Any, one: Any, other: Any) -> NDArray[np.float64]:
    both = together.astype(np.int64)
    shares: NDArray[np.float64] = both / (one.astype(np.int64) + other - both)
    return shares


def starts_of(lengths: NDArray[np.integer]) -> Indices:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def cell_of(gram: str, cells: int) -> int:
    return zlib.crc32(gram.encode("utf-8", "surrogatepass")) % cells
