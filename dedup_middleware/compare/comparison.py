"""Two pages compared: what they share, measured both ways, from the cheapest measure up.

This is the seam for deeper stages: each is a step that takes a comparison and returns one that
knows more, and only pairs that the step before found alike pay for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes
from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS
from dedup_middleware.read.words import words

from .overlap import Overlap, of_sets, overlap
from .sentences import refined_sentences

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.read import Outline

MAX_ODDS = 100.0


@dataclass(frozen=True)
class Prepared:
    """What comparison needs of a page, made when it is needed and once only."""

    outline: Outline

    @cached_property
    def shingles(self) -> Hashes:
        """The distinct shingle hashes of the main text, ascending."""
        return np.unique(shingle_hashes(text_hashes(self.outline.main), SHINGLE_WORDS))

    @cached_property
    def words(self) -> list[str]:
        """The words of the main text, in order."""
        return words(self.outline.main)

    @cached_property
    def sentences(self) -> Counter[tuple[str, ...]]:
        """The refined sentences of the main text, and how often each stands there."""
        return Counter(refined_sentences(self.outline))


@dataclass(frozen=True, slots=True)
class Sentences:
    """How many sentences a page and a known page have, and how many of them stand in the other."""

    total: tuple[int, int]
    matched: tuple[int, int]

    @property
    def rs(self) -> tuple[float, float]:
        """The share of each page's sentences that stand in the other."""
        (n, m), (a, b) = self.total, self.matched
        return (a / n if n else 0.0, b / m if m else 0.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one."""

    overlap: Overlap
    sentences: Sentences | None = None
    """None until the pages proved alike."""


def compare_hashes(page: Prepared, known: Prepared) -> Comparison:
    """Compare two pages by hashes of their runs of words: quick, and never too low."""
    return Comparison(of_sets(page.shingles, known.shingles))


def compare_shingles(comparison: Comparison, page: Prepared, known: Prepared) -> Comparison:
    """Compare two pages by the runs of words themselves, which can't be forged."""
    return replace(comparison, overlap=overlap(page.words, known.words, SHINGLE_WORDS))


def compare_sentences(comparison: Comparison, page: Prepared, known: Prepared) -> Comparison:
    """Compare two pages by their refined sentences."""
    mine, theirs = page.sentences, known.sentences
    common = mine.keys() & theirs.keys()
    sentences = Sentences(
        total=(mine.total(), theirs.total()),
        matched=(sum(mine[one] for one in common), sum(theirs[one] for one in common)),
    )
    return replace(comparison, sentences=sentences)


DEEPER = (compare_shingles, compare_sentences)
"""The steps after the first, in order; a pair that one of them finds unlike takes no more."""


def odds_ratio(one: float, other: float) -> float:
    """Set the odds that two pages are alike from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))
