"""How a page relates to a known one: what their comparison adds up to, and the thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.fingerprint.sketch import least_shared
from dedup_middleware.similarity import Deep, odds_ratio
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.sketch import Estimate
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison, Words
    from dedup_middleware.similarity.comparison import Both

# What speaks for likeness adds up to the share of a page that is known from the other; what speaks
# against it is subtracted. The weights are fitted with `python -m benchmarks.fit`.
FOR = {"covered": 0.4, "aligned": 0.5, "chain": 0.1}
"""Weights of measures, which add up to 1; a measure that was not taken counts in full."""
AGAINST = {"swapped": 0.2, "subject": 0.15, "replaced": 3.0, "short": 1.0}
COUNTED_SWAPPED, COUNTED_SUBJECT, MOST_MENTIONS = 4.0, 1.0, 5
REPLACED_FREE = 0.1
SHORT = 3  # words that count twice if they differ: the shorter pages are, the less the others say

SIMHASH_DISTANCE = 3
REWORDED_PAIRS = 5
"""Word pairs of two samples that make pages worth comparing, whatever their shingles say."""
MOST_NEW = {Kind.NEAR: 0.2, Kind.CONTAINED: 0.1}
"""The share of a page's text that may be new for it to be dropped for a known one."""
GROWN, NOTHING_LOST = 0.1, 0.03
"""A page has grown if more than this share of it is new, and at most this share of the other lost.
All were chosen on versions of articles: copies on real sites and in manuals have 8 % at most that
is new (`python -m benchmarks.accuracy`)."""
MARGIN = 0.22
"""How far runs of words may stay below the thresholds for sentences to be worth a look."""

# A page in other words: nearly all of its sentences are like one of the other page, in the same
# order; few are equal, as they are in a template; and most words, numbers and names are there.
CHAIN, COMMON, FACTS, MOST_EQUAL, FEWEST_WORDS = 0.8, 0.57, 0.5, 0.6, 60
MOST_SWAPPED = 2.0  # places with other numbers or names, in a hundred words
ORDER_MATTERS = 0.9
"""Where so many words are the same and their order is not, something else is said."""

# Facts that differ where all else is the same: the page is kept, and named as suspect.
DENIED, FEWEST_DENIED = 0.2, 2
"""Share of the sentences that the other page denies."""
WORDS_PER_NUMBER = 2_000
"""An identifying number for each so many words may be another one, but the first."""


class Context(NamedTuple):
    """What speaks for or against two pages being the same, besides their main text."""

    names_differ: bool = False
    """Each has a name that the other lacks, and more than that is different; or the languages."""
    names_agree: bool = False
    """They have a title or main heading in common."""
    small_part: bool = False
    """The known page is so much longer that the page is not dropped for it."""
    new_site: bool = False
    """Both are of a site whose template is not known yet."""
    rest_differs: bool = False
    """One of them shows more text outside its main text than in it, and other text."""
    new_entries: bool = False
    """The page is a list, and has entries that the known one lacks."""


NO_CONTEXT = Context()


def is_comparable(words: int, outline: Outline, settings: Settings) -> bool:
    """Return True if a page has enough text, and all of it, to be compared."""
    return words >= settings.min_words and not outline.cut


def is_worth_comparing(distance: int, estimate: Estimate, lowest: float) -> bool:
    """Return True if pages may share so much, given how little a sample says."""
    shared, (mine, theirs), pairs = estimate
    return (
        pairs >= REWORDED_PAIRS
        or distance <= SIMHASH_DISTANCE
        or (mine > 0 and 0 < shared >= least_shared(mine, lowest))
        or (theirs > 0 and 0 < shared >= least_shared(theirs, lowest))
    )


def is_near_match(comparison: Comparison, settings: Settings) -> bool:
    """Return True if runs of words agree so far that sentences are worth a look."""
    return max(comparison.overlap[1:]) >= gate(settings)


def coverage(comparison: Comparison, *, new_site: bool = False) -> Both:
    """Return how much of each page is known from the other: 0…1."""
    found = comparison.deep or comparison.words
    if found is None:
        return comparison.overlap[1:]
    if isinstance(found, Deep) and found.by_rs:
        return found.rs
    # as long as the template is unknown, all that pages share may be that
    *facts, short = differences(found, 0.0 if new_site else REPLACED_FREE)
    less = 0.0
    for weight, value in zip(AGAINST.values(), facts, strict=False):
        less += weight * value
    chain = found.chain if isinstance(found, Deep) else (1.0, 1.0)
    covered, aligned, chained = FOR.values()
    short_weight = AGAINST["short"]
    one, other = [
        max(0.0, total - less - short_weight * min(short, 1 - total))
        for way in (0, 1)
        for total in [
            covered * found.covered[way] + aligned * found.aligned[way] + chained * chain[way]
        ]
    ]
    return one, other


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
        min(COUNTED_SWAPPED, max(0.0, swapped)),
        min(COUNTED_SUBJECT, max(0.0, subject)),
        max(0.0, found.replaced / words - replaced_free),
        SHORT / words,
    )


def relation(
    comparison: Comparison, settings: Settings, context: Context = NO_CONTEXT
) -> Kind | None:
    """Return how a page relates to a known one; None if it does not.

    A page is no copy of one with another name, however much they share, unless that name is all
    that differs; nor where identifying numbers differ or sentences are denied. One that has all of
    an earlier page, and more, is no copy but its successor.
    """
    if comparison.deep and comparison.deep.by_rs:
        return _published_relation(comparison.deep, settings)
    if context.rest_differs:
        return None
    found = comparison.deep or comparison.words
    kind = _relation(comparison, settings, context)
    if found and kind in (Kind.NEAR, Kind.CONTAINED) and is_disputed(found):
        return None
    return kind


def likely_relation(comparison: Comparison, settings: Settings) -> Kind | None:
    """Return how a page would relate to a known one if nothing but their text counted."""
    return _relation(comparison, settings, NO_CONTEXT)


def _relation(comparison: Comparison, settings: Settings, context: Context) -> Kind | None:
    containment, contained_by = coverage(comparison, new_site=context.new_site)
    if min(containment, contained_by) >= settings.near:
        if context.names_differ:
            return None
        return Kind.CONTAINS if has_grown(*new_shares(comparison)) else Kind.NEAR
    if containment >= settings.contained and (context.small_part or not context.names_differ):
        return Kind.CONTAINED
    if contained_by >= settings.contained:
        return Kind.CONTAINS
    if comparison.deep and not context.names_differ and is_reworded(comparison.deep):
        return Kind.NEAR
    return None


def new_shares(comparison: Comparison) -> Both:
    """Return the share of each page's text that the other page lacks, in runs of words."""
    found = comparison.deep or comparison.words
    mine, theirs = found.covered if found else comparison.overlap[1:]
    return 1 - mine, 1 - theirs


def has_grown(new: float, lost: float) -> bool:
    """Return True if a page has all of another one, and more."""
    return new > GROWN and lost <= NOTHING_LOST


def _published_relation(deep: Deep, settings: Settings) -> Kind | None:
    """Return how pages relate by the thesis: RS if one lies inside the other, else the odds.

    The thesis has no thresholds: its pairs that are alike have odds of 8 to 12, others 0.1 at most.
    """
    here, there = deep.rs
    if here >= settings.contained and there < settings.near:
        return Kind.CONTAINED
    if there >= settings.contained and here < settings.near:
        return Kind.CONTAINS
    alike = odds_ratio(here, there) >= odds_ratio(settings.near, settings.near)
    return Kind.NEAR if alike else None


def may_be_reworded(found: Words) -> bool:
    """Return True if two pages may say the same in other words, as far as words tell."""
    words = min(found.words)
    return (
        words >= FEWEST_WORDS
        and COMMON <= min(found.common) < ORDER_MATTERS
        and min(found.facts) >= FACTS
        and 100 * found.swapped <= MOST_SWAPPED * (words + 100)
    )


def is_reworded(deep: Deep) -> bool:
    """Return True if each of two pages says what the other says, in other words."""
    equal = max(counts.equal for counts in deep.counts)
    return may_be_reworded(deep) and min(deep.chain) >= CHAIN and equal < MOST_EQUAL


def is_disputed(found: Words) -> bool:
    """Return True if pages differ in what identifies: an account, a price, a yes or no."""
    if found.numbers > min(found.words) / WORDS_PER_NUMBER:
        return True
    if not isinstance(found, Deep) or found.negated < FEWEST_DENIED:
        return False
    return found.negated > DENIED * (found.counts[0].same + found.counts[0].reworded)


def gate(settings: Settings) -> float:
    """Return the share in runs of words from which on pages are compared word by word."""
    lowest = min(settings.near, settings.contained)
    return lowest if settings.sentences == "off" else max(0.1, lowest - MARGIN)
