"""Known shares → labels, by the rule of the open sets.

Positive: both documents together are the same to 80 %, or 90 % of one stands in the other.
Negative: of neither stands half in the other. What lies between is left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .overlap import Overlap

SAME = 0.8
INSIDE = 0.9
DIFFERENT = 0.5


@dataclass(frozen=True, slots=True)
class Label:
    """What a page should be called, and beside which earlier pages."""

    url: str
    gold: str
    positives: dict[str, list[str]]
    """Earlier pages that are like it, and the kinds that are right for each."""
    neutral: list[str]
    """Earlier pages that the rule leaves open."""

    def row(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "gold": self.gold,
            "positives": self.positives,
            "neutral": self.neutral,
        }


def label(url: str, terms: int, overlaps: Iterable[Overlap], min_terms: int = 0) -> Label:
    """Label a page; one of too few terms can't be judged, and is left open."""
    positives: dict[str, list[str]] = {}
    neutral: list[str] = []
    for overlap in overlaps:
        if kinds := kinds_of(overlap):
            positives[overlap.url] = kinds
        elif max(overlap.of_source, overlap.of_document) >= DIFFERENT:
            neutral.append(overlap.url)
    if terms < min_terms:
        gold = "ignore"
    elif positives:
        gold = "positive"
    else:
        gold = "ignore" if neutral else "negative"
    return Label(url, gold, positives, neutral)


def kinds_of(overlap: Overlap) -> list[str]:
    """List the kinds that are right for a pair; none if it is no match.

    >>> from .overlap import Overlap
    >>> kinds_of(Overlap("a", terms=100, kept=95, document_terms=110))
    ['near', 'contains']
    >>> kinds_of(Overlap("a", terms=100, kept=30, document_terms=30))
    ['contained']
    """
    both = overlap.terms + overlap.document_terms
    same = 2 * overlap.kept >= SAME * both > 0
    contained, contains = overlap.of_document >= INSIDE, overlap.of_source >= INSIDE
    right = {
        "exact": overlap.kept == overlap.terms == overlap.document_terms > 0,
        "near": same,
        "contained": contained,
        "contains": contains,
    }
    return [kind for kind, is_right in right.items() if is_right]
