"""Sketches: what the store keeps of a page to estimate how much another one shares with it.

A sketch holds a dense sample of the page's shingles (a quarter of them, at most 256) and its sample
of word pairs, each hash with half of its bits, which is enough to tell members apart.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware import core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Short = NDArray[np.uint32]

MISSED = 0.001
"""How seldom a sample may hide that pages share as much as is looked for."""
HEAD = Struct("<3I")
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


class Sketch(NamedTuple):
    """The smallest hashes of a page's shingles, up to a limit, and of its word pairs."""

    packed: bytes
    """As the core takes it, which is all that is done with most of them: limit, how many hashes are
    of shingles, how many there are; these, four bytes each, ascending, and after them the pairs."""

    @property
    def limit(self) -> int:
        return int(HEAD.unpack_from(self.packed)[0])

    @property
    def sampled(self) -> int:
        """How many hashes are of shingles."""
        return int(HEAD.unpack_from(self.packed)[1])

    @property
    def sample(self) -> Short:
        return np.frombuffer(self.packed, "<u4", self.sampled, HEAD.size)

    @property
    def pairs(self) -> Short:
        return np.frombuffer(self.packed, "<u4", offset=HEAD.size + 4 * self.sampled)


def estimates(page: Sketch, others: Sequence[Sketch]) -> list[Estimate]:
    """Estimate what a page shares with each of some others."""
    packed = [other.packed for other in others]
    data = core.call("estimates", b"".join((page.packed, *packed)))
    return [
        Estimate(shared, (mine, theirs), pairs)
        for shared, mine, theirs, pairs in _COUNTS.iter_unpack(data)
    ]


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
