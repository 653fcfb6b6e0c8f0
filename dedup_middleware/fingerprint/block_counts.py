"""How many pages of a host have each of their blocks, in columns: there can be very many blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .hashing import Hashes

_NONE = np.empty(0, np.uint64)


class BlockCounts:
    """Counts by the hash of a block. Pages are kept as they come, and counted together.

    >>> counts = BlockCounts()
    >>> for page in ([7, 8], [7]):
    ...     counts.add(np.array(page, np.uint64))
    >>> counts.frequent(2)
    frozenset({7})
    """

    def __init__(self, hashes: Hashes = _NONE, counts: NDArray[np.integer] = _NONE) -> None:
        """Begin with the counts of some hashes, which ascend."""
        self._hashes = hashes
        self._counts = counts.astype(np.int64)
        self._new: list[Hashes] = []

    def add(self, blocks: Hashes) -> None:
        """Count the blocks of a page, each once."""
        if len(blocks):
            self._new.append(blocks)

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def hashes(self) -> Hashes:
        """All hashes, ascending."""
        self._count()
        return self._hashes

    def of(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the counts of some hashes; 0 of those that were never counted."""
        known = self.hashes
        if not len(known):
            return np.zeros(len(hashes), np.int64)
        places = known.searchsorted(hashes).clip(max=len(known) - 1)
        return np.where(known[places] == hashes, self._counts[places], 0)

    def frequent(self, least: float) -> frozenset[int]:
        """Return the hashes that were counted so often, or more."""
        self._count()
        return frozenset(self._hashes[self._counts >= least].tolist())

    def keep(self, most: int) -> None:
        """Keep the highest counts, of equal ones those with the lowest hashes."""
        self._count()
        if len(self._hashes) > most:
            # a crawl waits for this, and most of very many have a count of 1: no sorting of all
            least = np.partition(self._counts, len(self._counts) - most)[len(self._counts) - most]
            above = np.flatnonzero(self._counts > least)
            equal = np.flatnonzero(self._counts == least)[: most - len(above)]
            kept = np.sort(np.concatenate((above, equal)))
            self._hashes, self._counts = self._hashes[kept], self._counts[kept]

    def _count(self) -> None:
        if self._new:
            new, self._new = self._new, []
            hashes, counts = np.unique(np.concatenate(new), return_counts=True)
            both, places = np.unique(np.concatenate((self._hashes, hashes)), return_inverse=True)
            counted = np.bincount(places, np.concatenate((self._counts, counts)), len(both))
            self._hashes, self._counts = both, counted.astype(np.int64)
