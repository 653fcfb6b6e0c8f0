"""SimHash-64, bit for bit what `simhash.Simhash` computes from the same features."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simhash import Simhash

BITS = 64


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
