"""Judging by people: pairs that methods disagree on, answers, agreement, labels (Varol 4.2)."""

from __future__ import annotations

from .answers import Agreement, Answer, Answers, Pair, agreement
from .folder import JudgingFolder, Pool

__all__ = [
    "Agreement",
    "Answer",
    "Answers",
    "JudgingFolder",
    "Pair",
    "Pool",
    "agreement",
]
