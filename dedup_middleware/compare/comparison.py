"""Two pages compared: what they share, measured both ways.

This is the seam for deeper stages: each adds a measure to `Comparison` and, where it decides
something, a line to `judge`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS
from dedup_middleware.read.words import words

from .overlap import Overlap, overlap
from .sentences import refined_sentences

if TYPE_CHECKING:
    from dedup_middleware.read import Outline

MAX_ODDS = 100.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """What comparison needs of a page, made once a page."""

    words: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]


def prepare(outline: Outline) -> Prepared:
    """Get the main text of a page ready for comparison."""
    return Prepared(tuple(words(outline.main)), tuple(refined_sentences(outline)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one; pairs are (page, known page)."""

    overlap: Overlap
    sentences: tuple[int, int]
    matched: tuple[int, int]
    """How many sentences of each page stand in the other."""

    @property
    def rs(self) -> tuple[float, float]:
        """The share of each page's sentences that stand in the other."""
        (a, b), (n, m) = self.matched, self.sentences
        return (a / n if n else 0.0, b / m if m else 0.0)

    @property
    def odds_ratio(self) -> float:
        return odds_ratio(*self.rs)


def compare_prepared(page: Prepared, known: Prepared) -> Comparison:
    """Compare two prepared pages."""
    mine, theirs = Counter(page.sentences), Counter(known.sentences)
    common = mine.keys() & theirs.keys()
    return Comparison(
        overlap=overlap(page.words, known.words, SHINGLE_WORDS),
        sentences=(len(page.sentences), len(known.sentences)),
        matched=(sum(mine[one] for one in common), sum(theirs[one] for one in common)),
    )


def odds_ratio(one: float, other: float) -> float:
    """Set the odds that two pages are alike from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))
