"""What is counted when two pages are compared: by words, and by sentences and nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .matching import Matching

Pairs = tuple[int, int]
"""A count for the first page and one for the second."""


class WordMeasures(NamedTuple):
    """Counts of words that two pages share, or in which they differ."""

    shingles: tuple[int, int, int]
    """Distinct shingles of the first page, of the second, and of both."""
    covered: Pairs
    common: int
    aligned: Pairs
    swapped: int
    subject: int
    replaced: int
    facts: tuple[Pairs, Pairs]
    """For each page, how many of its numbers and names the other has too, and how many it has."""


class Counts(NamedTuple):
    """How many sentences of a page are the same, reworded or missing in the other."""

    total: int
    same: int
    reworded: int

    @property
    def new(self) -> int:
        return self.total - self.same - self.reworded

    @property
    def equal(self) -> float:
        """The share that is the same in the other page."""
        return self.same / self.total if self.total else 0.0

    @property
    def found(self) -> float:
        """The share that is the same or reworded in the other page (RS)."""
        return (self.same + self.reworded) / self.total if self.total else 0.0


class SentenceMeasures(NamedTuple):
    """Counts of sentences that two pages share, and of the words of these."""

    matching: Matching
    counts: tuple[Counts, Counts]
    content: Pairs
    """Refined words of all sentences."""
    matched: tuple[float, float]
    """Refined words of matched sentences, in proportion to their similarity."""
    tree: Pairs
    chain: Pairs
    negated: int
