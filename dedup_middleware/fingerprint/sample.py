"""Shingle samples: pages are looked up by their members, and overlap is estimated from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .hashing import Hashes

RATE = 12
LEAST = 8
MOST = 640
_FULL = (1 << 64) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """All distinct shingle hashes of a page up to `limit`, ascending.

    The limit is 1/12 of the hash range, lower on pages where that gives more than 640, higher on
    those where it gives fewer than 8. A page of 100 words shares about eight members with any page
    that holds it, up to 75 times longer.
    """

    hashes: Hashes
    limit: int

    def shared(self, other: Sample) -> float:
        """Estimate the share of this page that is found in another."""
        limit = np.uint64(min(self.limit, other.limit))
        mine = self.hashes[: np.searchsorted(self.hashes, limit, "right")]
        return len(np.intersect1d(mine, other.hashes, assume_unique=True)) / max(1, len(mine))


def sample(shingles: Hashes) -> Sample:
    """Sample the shingles of a page by the size of their hash."""
    limit = _FULL // RATE
    small = np.unique(shingles[shingles <= np.uint64(limit)])
    if len(small) > MOST:
        small = small[:MOST]
        limit = int(small[-1])
    elif len(small) < LEAST:
        small = np.unique(shingles)[:LEAST]
        limit = int(small[-1]) if len(small) == LEAST else _FULL
    return Sample(small, limit)
