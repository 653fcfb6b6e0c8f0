"""Shingle samples: pages are looked up by their members, and overlap is estimated from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .hashing import Hashes

ERRORS = 3.0  # standard errors, at their largest, by which an estimate may be off
RATE = 12
LEAST = 8
MOST = 640
_FULL = (1 << 64) - 1
_SHORT = np.uint64(32)


class Estimate(NamedTuple):
    """How much two pages share, estimated from their samples."""

    resemblance: float
    containment: float
    contained_by: float
    sampled: tuple[int, int]
    """How many shingles of each page the shares were counted on."""

    def may_reach(self, threshold: float) -> bool:
        """Return True if either share may be that high, given the error of the estimate."""
        return any(
            size and share + ERRORS * 0.5 / math.sqrt(size) >= threshold
            for share, size in zip((self.containment, self.contained_by), self.sampled, strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """All distinct shingle hashes of a page up to `limit`, ascending.

    The limit is 1/12 of the hash range, lower on pages where that gives more than 640, higher on
    those where it gives fewer than 8. A page of 100 words shares about eight members with any page
    that holds it, up to 75 times longer.
    """

    hashes: Hashes
    limit: int

    def short(self) -> Sample:
        """Return the sample with half of the bits of each hash, which is enough to estimate."""
        return Sample((self.hashes >> _SHORT).astype(np.uint32), self.limit >> int(_SHORT))

    def estimate(self, other: Sample) -> Estimate:
        """Estimate what two pages share; `containment` is the share of self found in other."""
        limit = self.hashes.dtype.type(min(self.limit, other.limit))
        mine = self.hashes[: self.hashes.searchsorted(limit, "right")]
        theirs = other.hashes[: other.hashes.searchsorted(limit, "right")]
        shared = count_shared(mine, theirs)
        union = len(mine) + len(theirs) - shared
        return Estimate(
            shared / union if union else 0.0,
            shared / len(mine) if len(mine) else 0.0,
            shared / len(theirs) if len(theirs) else 0.0,
            (len(mine), len(theirs)),
        )


def count_shared(one: Hashes, other: Hashes) -> int:
    """Count what two ascending arrays have in common."""
    if not len(one):
        return 0
    places = one.searchsorted(other)
    places[places == len(one)] = 0
    return int(np.count_nonzero(one[places] == other))


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
