"""Which pages were withdrawn: postings may lead to them until they are compacted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

CHUNK = 1 << 10
"""Bytes of the bits that LMDB keeps in one entry."""


class Withdrawn:
    """A bit for each page, set if it was withdrawn; threads may share it.

    >>> withdrawn = Withdrawn()
    >>> withdrawn.add([2, 70_000])
    >>> withdrawn.has(np.array([1, 2, 1_000_000])).tolist(), 70_000 in withdrawn
    ([False, True, False], True)
    >>> Withdrawn([(8, withdrawn.chunk(8)[1])]).has(np.array([2, 70_000])).tolist()
    [False, True]
    """

    def __init__(self, chunks: Iterable[tuple[int, bytes]] = ()) -> None:
        """Begin with what `chunk` has returned."""
        self.bits = np.zeros(4 * CHUNK, np.uint8)
        """Bits are added in place: the core may be reading them."""
        self._lock = threading.Lock()
        for number, data in chunks:
            self._make_room((number + 1) * CHUNK)
            self.bits[number * CHUNK : (number + 1) * CHUNK] = np.frombuffer(data, np.uint8)

    def add(self, pages: Sequence[int] | NDArray[np.integer[Any]]) -> None:
        numbers = np.asarray(pages, np.int64)
        with self._lock:
            self._make_room(int(numbers.max(initial=0)) // 8 + 1)
            np.bitwise_or.at(self.bits, numbers // 8, (1 << numbers % 8).astype(np.uint8))

    def chunk(self, number: int) -> tuple[int, bytes]:
        """Return a part of the bits, as an entry of a table, and its number."""
        self._make_room((number + 1) * CHUNK)
        return number, self.bits[number * CHUNK : (number + 1) * CHUNK].tobytes()

    def has(self, pages: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which pages were withdrawn."""
        bits, places = self.bits, pages >> 3
        here = places < len(bits)
        gone = np.zeros(len(pages), np.bool_)
        gone[here] = bits[places[here]] >> (pages[here] & 7).astype(np.uint8) & 1 > 0
        return gone

    def __contains__(self, page: int) -> bool:
        place = page // 8
        return place < len(self.bits) and bool(self.bits[place] >> page % 8 & 1)

    def _make_room(self, size: int) -> None:
        if size > len(self.bits):
            bits = np.zeros(max(-(-size // CHUNK) * CHUNK, 2 * len(self.bits)), np.uint8)
            bits[: len(self.bits)] = self.bits
            self.bits = bits
