"""Similarity of two pages: words, sentences and hierarchy compared, nothing decided."""

from __future__ import annotations

from .comparison import (
    Comparison,
    Deep,
    Words,
    compare_deeply,
    compare_hashes,
    compare_loss,
    compare_sentences,
    compare_words,
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
    "Words",
    "compare_deeply",
    "compare_hashes",
    "compare_loss",
    "compare_sentences",
    "compare_words",
    "odds_ratio",
]
