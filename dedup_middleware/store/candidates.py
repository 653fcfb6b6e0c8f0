"""Which pages are worth a look, by the look-up keys that they share with a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import core
from dedup_middleware.fingerprint.scheme import PAIR, SHINGLE, SIMHASH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.scheme import Keys

    Found = NDArray[np.uint32]
    """The place of a key and a page that it leads to in each row, by ascending place and page."""

LEAST_PAIRS, MOST_BY_PAIRS = 2, 8


@dataclass(frozen=True, slots=True)
class Candidates:
    """The numbers of pages that share look-up keys with a page."""

    same_digest: list[int]
    alike: list[int]
    keys: Keys
    full: NDArray[np.bool_]
    """Which keys have so many pages already that no more are added."""

    @property
    def capped(self) -> int:
        """The number of keys that lead to more pages than are kept."""
        return int(self.full.sum())


def limits(most: int) -> tuple[tuple[int, int, int], ...]:
    """Return for each kind of key how many must be shared, and how many pages are chosen by it."""
    return (
        (SHINGLE, 1, most),
        (SIMHASH, 1, most),
        (PAIR, LEAST_PAIRS, min(most, MOST_BY_PAIRS)),
    )


def groups(keys: Keys) -> tuple[tuple[Keys, int], ...]:
    """Return keys in groups, each with the number of them that a candidate must share."""
    end = int(keys.searchsorted(np.uint64(PAIR << 56)))
    return (keys[:end], 1), (keys[end:], LEAST_PAIRS)


def choose(keys: Keys, found: Found, *, cap: int, most: int) -> Candidates:
    """Return the pages that share the rarest keys, at most `most` of each kind of key."""
    if not len(found):  # as for most pages
        return Candidates([], [], keys, np.full(len(keys), cap <= 0))
    data = core.call("candidates", keys.tobytes() + found.tobytes(), len(keys), most)
    numbers = np.frombuffer(data, "<u4")
    pages = numbers[len(keys) + 1 :].tolist()
    same = int(numbers[len(keys)])
    return Candidates(pages[:same], pages[same:], keys, numbers[: len(keys)] >= cap)
