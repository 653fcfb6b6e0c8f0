"""Candidate by candidate: how much of a page stands in another."""

from .comparison import DEEPER, Comparison, Prepared, Sentences, compare_hashes, odds_ratio

__all__ = ["DEEPER", "Comparison", "Prepared", "Sentences", "compare_hashes", "odds_ratio"]
