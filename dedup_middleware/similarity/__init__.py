"""Candidate by candidate: how much of a page stands in another."""

from __future__ import annotations

from .comparison import (
    Comparison,
    Deep,
    Pair,
    Words,
    compare_deeply,
    compare_hashes,
    compare_sentences,
    compare_shingles,
    compare_words,
    odds_ratio,
)
from .matching import Test
from .prepared import Prepared

__all__ = [
    "Comparison",
    "Deep",
    "Pair",
    "Prepared",
    "Test",
    "Words",
    "compare_deeply",
    "compare_hashes",
    "compare_sentences",
    "compare_shingles",
    "compare_words",
    "odds_ratio",
]
