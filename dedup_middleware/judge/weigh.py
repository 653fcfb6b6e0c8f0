"""The weights of the judge: what measures of two pages add up to.

What speaks for likeness adds up to the share of a page that is known from the other; what speaks
against it is subtracted. All weights are fitted with `python -m benchmarks.fit`. Two questions are
asked of these shares, each with its own threshold: are the pages the same (of both shares), and is
one inside the other (of one)?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dedup_middleware.similarity import Words

FOR = {"covered": 0.41, "aligned": 0.53, "chain": 0.06}
"""Weights of measures, which add up to 1; a measure that was not taken counts in full."""
AGAINST = {"swapped": 0.077, "subject": 0.118, "replaced": 0.056}
MOST_SWAPPED, MOST_SUBJECT, MOST_MENTIONS = 3.0, 2.0, 5


def known_share(found: Words, way: int, *, replaced: float = AGAINST["replaced"]) -> float:
    """Return the share of one of two pages that is known from the other."""
    total = sum(weight * getattr(found, name, (1, 1))[way] for name, weight in FOR.items())
    swapped, subject, other = differences(found)
    less = AGAINST["swapped"] * swapped + AGAINST["subject"] * subject + replaced * other
    return float(max(0.0, total - less))


def differences(found: Words) -> tuple[float, float, float]:
    """Measure what speaks against two pages.

    Places with other numbers or names, in a hundred words; mentions of what the other page never
    mentions, in proportion to its length; the share of words that replace something else.
    """
    words = max(1, min(found.words))
    return (
        min(MOST_SWAPPED, 100 * found.swapped / (words + 100)),
        min(MOST_SUBJECT, found.subject / (1 + min(words / 100, MOST_MENTIONS))),
        min(1.0, found.replaced / words),
    )
