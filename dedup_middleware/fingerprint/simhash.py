"""SimHash-64, bit for bit what `simhash.Simhash` computes from the same features."""

from __future__ import annotations


def distance(one: int, other: int) -> int:
    """Count the bits in which two SimHashes differ.

    >>> distance(0b1100, 0b1010)
    2
    """
    return (one ^ other).bit_count()
