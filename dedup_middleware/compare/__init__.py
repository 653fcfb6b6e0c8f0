"""Candidate by candidate: how much of a page stands in another."""

from .comparison import Comparison, Prepared, compare_prepared, prepare

__all__ = ["Comparison", "Prepared", "compare_prepared", "prepare"]
