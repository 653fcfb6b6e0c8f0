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

FOR = {"covered": 0.4, "aligned": 0.5, "chain": 0.1}
"""Weights of measures, which add up to 1; a measure that was not taken counts in full."""
AGAINST = {"swapped": 0.2, "subject": 0.15, "replaced": 3.0, "short": 1.0}
MOST_SWAPPED, MOST_SUBJECT, MOST_MENTIONS = 4.0, 1.0, 5
REPLACED_FREE = 0.1
SHORT = 3  # words that count twice if they differ: the shorter pages are, the less the others say


def known_share(found: Words, way: int, *, replaced_free: float = REPLACED_FREE) -> float:
    """Return the share of one of two pages that is known from the other."""
    total = sum(weight * getattr(found, name, (1, 1))[way] for name, weight in FOR.items())
    *facts, short = differences(found, replaced_free)
    less = sum(weight * value for weight, value in zip(AGAINST.values(), facts, strict=False))
    return float(max(0.0, total - less - AGAINST["short"] * min(short, 1 - total)))


def differences(
    found: Words, replaced_free: float = REPLACED_FREE
) -> tuple[float, float, float, float]:
    """Measure what speaks against two pages being the same, in the order of AGAINST.

    A date, a counter, a session id, another name: one place and one more for each hundred words
    says nothing; nor do so many mentions of what the other page lacks, up to five more; nor a
    passage or two that were rewritten, up to ten words in a hundred (`replaced_free`).
    """
    words = max(1, min(found.words))
    swapped = found.swapped / (1 + words / 100) - 1
    subject = found.subject / (1 + min(words / 100, MOST_MENTIONS)) - 1
    return (
        min(MOST_SWAPPED, max(0.0, swapped)),
        min(MOST_SUBJECT, max(0.0, subject)),
        max(0.0, found.replaced / words - replaced_free),
        SHORT / words,
    )
