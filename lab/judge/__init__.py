"""Tools to evaluate with: labelling by people, synthesis of labelled pages, training of models."""

from __future__ import annotations

from lab.answers import Answer, Answers, Pair

from .evaluation import Agreement, agreement
from .folder import LabelFolder
from .pool import Pool

__all__ = [
    "Agreement",
    "Answer",
    "Answers",
    "LabelFolder",
    "Pair",
    "Pool",
    "agreement",
]
