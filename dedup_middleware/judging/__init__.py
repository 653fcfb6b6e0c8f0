"""Judging by people: pairs that methods disagree on, answers, agreement, labels (Varol 4.2)."""

from __future__ import annotations

from .answers import Answer, Answers, Pair
from .folder import JudgingFolder, Pool
from .kappa import Agreement, agreement

__all__ = [
    "Agreement",
    "Answer",
    "Answers",
    "JudgingFolder",
    "Pair",
    "Pool",
    "agreement",
]
