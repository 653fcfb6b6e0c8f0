"""Similarity of two pages: words, sentences and hierarchy compared, nothing decided."""

from __future__ import annotations

from .comparison import (
    Comparison,
    Deep,
    compare_deeply,
    compare_hashes,
    compare_loss,
    odds_ratio,
)
from .loss import Loss
from .matching import SentenceTest
from .prepared import Prepared

__all__ = [
    "Comparison",
    "Deep",
    "Loss",
    "Prepared",
    "SentenceTest",
    "compare_deeply",
    "compare_hashes",
    "compare_loss",
    "odds_ratio",
]
