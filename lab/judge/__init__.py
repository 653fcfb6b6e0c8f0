"""Tools to evaluate with: labelling by people, synthesis of labelled pages, training of models."""

from __future__ import annotations

from dedup_middleware.viewer.feedback import Answer, Pair

from .answers import Answers
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
