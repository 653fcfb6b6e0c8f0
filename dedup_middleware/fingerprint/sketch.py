"""Sketches: what the store keeps of a page to estimate how much another one shares with it.

A sketch holds a dense sample of the page's shingles and its sample of word pairs, each hash with
half of its bits, which is enough to tell members apart.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware import core

from .sample import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .hashing import Hashes

    Short = NDArray[np.uint32]

MISSED = 0.001
"""How seldom a sample may hide that pages share as much as is looked for."""
RATE = 4
MOST = 256
_FULL = (1 << 64) - 1
_SHORT = 32
_HEAD = Struct("<3I")
_COUNTS = Struct("<4I")


class Estimate(NamedTuple):
    """How much two pages share, estimated from their samples."""

    shared: int
    """How many members of the samples both have."""
    sampled: tuple[int, int]
    """How many members of each sample were compared."""
    pairs: int
    """How many word pairs both have."""

    @property
    def containment(self) -> float:
        """The share of the page found in the other."""
        return self.shared / self.sampled[0] if self.sampled[0] else 0.0

    @property
    def contained_by(self) -> float:
        return self.shared / self.sampled[1] if self.sampled[1] else 0.0

    @property
    def resemblance(self) -> float:
        union = sum(self.sampled) - self.shared
        return self.shared / union if union else 0.0

    def may_reach(self, threshold: float) -> bool:
        """Return True if either share may be that high, given how little a sample says."""
        return any(size and self.shared >= least_shared(size, threshold) for size in self.sampled)


class Sketch(NamedTuple):
    """The smallest hashes of a page's shingles, up to a limit, and of its word pairs."""

    limit: int
    sampled: int
    """How many hashes are of shingles."""
    hashes: bytes
    """Four bytes each, ascending: first those of shingles, then those of pairs."""

    @property
    def sample(self) -> Short:
        return np.frombuffer(self.hashes, "<u4", self.sampled)

    @property
    def pairs(self) -> Short:
        return np.frombuffer(self.hashes, "<u4", offset=4 * self.sampled)

    def pack(self) -> bytes:
        return _HEAD.pack(self.limit, self.sampled, len(self.hashes) // 4) + self.hashes

    @classmethod
    def unpack(cls, data: bytes) -> Sketch:
        limit, sampled, _ = _HEAD.unpack_from(data)
        return cls(limit, sampled, data[_HEAD.size :])


def dense_sample(shingles: Hashes) -> Sample:
    """Return the smallest hashes of a page's shingles, more than are looked up."""
    limit = _FULL // RATE
    few: Hashes = np.unique(shingles[shingles <= np.uint64(limit)])
    return Sample(few[:MOST], int(few[MOST - 1])) if len(few) > MOST else Sample(few, limit)


def sketch(sample: Sample, pairs: Hashes) -> Sketch:
    """Return the sketch of a page with these hashes."""
    both = np.concatenate((sample.hashes, pairs)) >> np.uint64(_SHORT)
    return Sketch(sample.limit >> _SHORT, len(sample.hashes), both.astype("<u4").tobytes())


def estimates(page: Sketch, others: Sequence[Sketch]) -> list[Estimate]:
    """Estimate what a page shares with each of some others."""
    if not core.available():
        return [_estimate(page, other) for other in others]
    data = core.call("estimates", page.pack() + b"".join([other.pack() for other in others]))
    return [
        Estimate(shared, (mine, theirs), pairs)
        for shared, mine, theirs, pairs in _COUNTS.iter_unpack(data)
    ]


def _estimate(page: Sketch, other: Sketch) -> Estimate:
    limit = np.uint32(min(page.limit, other.limit))
    mine = page.sample[: page.sample.searchsorted(limit, "right")]
    theirs = other.sample[: other.sample.searchsorted(limit, "right")]
    shared = _count_shared(mine, theirs)
    return Estimate(shared, (len(mine), len(theirs)), _count_shared(page.pairs, other.pairs))


def _count_shared(one: Short, other: Short) -> int:
    """Count what two ascending arrays have in common."""
    return len(np.intersect1d(one, other))


@lru_cache(maxsize=4096)
def least_shared(size: int, share: float) -> int:
    """Return how many of a sample are shared at least, but for one page in a thousand.

    The members are drawn by chance from a page that has such a share in common with another: their
    number follows the binomial distribution.

    >>> least_shared(100, 0.5), least_shared(24, 0.5), least_shared(8, 0.5)
    (35, 5, 0)
    """
    if share >= 1:
        return size
    probability = (1 - share) ** size
    total, count = probability, 0
    while total < MISSED and count < size:
        probability *= (size - count) / (count + 1) * share / (1 - share)
        total += probability
        count += 1
    return count
