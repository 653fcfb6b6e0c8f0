"""SimHash-64, bit for bit what `simhash.Simhash` computes from the same features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simhash import Simhash

    from .hashing import Hashes

BITS = 64
BLOCKS = ((0, 13), (13, 13), (26, 13), (39, 13), (52, 12))
_BYTE_BITS = np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1).astype(np.int64)
_COLUMNS = np.arange(8, dtype=np.int64) * 256


def simhash(features: Hashes) -> int:
    """Fold feature hashes into 64 bits: a bit is set where more than half of them have it.

    A feature that occurs twice has twice the weight.

    >>> simhash(np.array([0b1100, 0b1100, 0b1010], np.uint64))
    12
    """
    columns = features.astype(">u8").view(np.uint8).reshape(-1, 8) + _COLUMNS
    # count each value of each byte, then its bits: 8 steps a feature instead of 64
    counts = np.bincount(columns.ravel(), minlength=8 * 256).reshape(8, 256) @ _BYTE_BITS
    return int.from_bytes(np.packbits(counts * 2 > len(features)).tobytes(), "big")


def distance(one: int, other: int) -> int:
    """Count the bits in which two SimHashes differ.

    >>> distance(0b1100, 0b1010)
    2
    """
    return (one ^ other).bit_count()


def to_simhash(value: int) -> Simhash:
    """Return a SimHash as one of the package `simhash`, whose indexes and functions take it.

    >>> to_simhash(0b1100).distance(to_simhash(0b1010))
    2
    """
    from simhash import Simhash  # only where somebody asks for it

    return Simhash(value, f=BITS)


def from_simhash(made: Simhash) -> int:
    """Return the value of a `simhash.Simhash`, as fingerprints hold it.

    >>> from_simhash(to_simhash(0b1100))
    12
    """
    if made.f != BITS:
        raise ValueError(f"A fingerprint has a SimHash of {BITS} bits, not of {made.f}")
    # the package takes numbers of any size, and looks at the last bits only
    value: int = made.value & ((1 << BITS) - 1)
    return value


def lookup_keys(value: int) -> list[int]:
    """Return ten keys, of which two SimHashes within distance 3 share at least one.

    Three differing bits touch at most three of five blocks, so at least two blocks are equal and
    the pair they form is a key. A key is the number of the pair above the 24–26 bits of its blocks.
    """
    parts = [(value >> shift) & ((1 << size) - 1) for shift, size in BLOCKS]
    pairs = [(a, b) for a in range(len(parts)) for b in range(a + 1, len(parts))]
    return [number << 32 | parts[a] << 13 | parts[b] for number, (a, b) in enumerate(pairs)]
