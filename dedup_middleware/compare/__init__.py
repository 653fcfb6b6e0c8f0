"""Candidate by candidate: how much of a page stands in another."""

from .comparison import Comparison, Deep, compare_deeply, compare_hashes, compare_shingles, odds_ratio
from .matching import Test
from .prepared import Prepared

__all__ = [
    "Comparison",
    "Deep",
    "Prepared",
    "Test",
    "compare_deeply",
    "compare_hashes",
    "compare_shingles",
    "odds_ratio",
]
