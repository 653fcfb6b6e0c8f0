"""How a page relates to a known one: what their comparison adds up to, and the thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.sample import Estimate
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings
    from dedup_middleware.similarity import Comparison, Words
    from dedup_middleware.similarity.comparison import Both

SIMHASH_DISTANCE = 3
REWORDED_PAIRS = 3
"""Word pairs of two samples that make pages worth comparing, whatever their shingles say."""
WEIGHTS = {"covered": 0.4, "aligned": 0.4, "sentence_share": 0.1, "tree": 0.1}
"""What each measure adds to the share of a page that is known; fitted with `benchmarks.fit`."""
SWAPPED_WEIGHT, MOST_SWAPPED = 0.2, 4.0
SUBJECT_WEIGHT, MOST_SUBJECT, MOST_MENTIONS = 0.15, 1.0, 5
REPLACED_WEIGHT, REPLACED_FREE = 3.0, 0.1
DOUBT = 3
"""Words that count twice if they differ: the shorter the pages, the less the others say."""
STRICTER, STRICTER_IF_NEW = 0.9, 0.97
"""How much of what is between a threshold and 1 is added to it for pages with different names; on a
site whose template is unknown, next to nothing may differ."""
MARGIN = 0.22
"""How far runs of words may stay below the thresholds for sentences to be worth a look."""


class Context(NamedTuple):
    """What speaks for or against two pages being the same, besides their main text."""

    names_differ: bool = False
    """Each has a name, and neither shows that of the other; or the languages differ."""
    small_part: bool = False
    """The known page is so much longer that the page is not dropped for it."""
    new_site: bool = False
    """Both are of a site whose template is not known yet."""
    rest_differs: bool = False
    """One of them shows more text outside its main text than in it, and other text."""


NO_CONTEXT = Context()


def is_comparable(words: int, outline: Outline, settings: Settings) -> bool:
    """Return True if a page has enough text, and all of it, to be compared."""
    return words >= settings.min_words and not outline.cut


def is_worth_comparing(distance: int, estimate: Estimate, settings: Settings) -> bool:
    """Return True if pages may be alike, given how little a sample says."""
    return distance <= SIMHASH_DISTANCE or estimate.may_reach(_gate(settings))


def is_near_match(comparison: Comparison, settings: Settings) -> bool:
    """Return True if runs of words agree so far that sentences are worth a look."""
    return max(comparison.overlap[1:]) >= _gate(settings)


def known(comparison: Comparison, *, new_site: bool = False) -> Both:
    """Return how much of each page is known from the other: 0…1.

    Where the facts differ, as in two entries of one template, less of the page is known than
    words and sentences say; and where there are few words, they say less. As long as the template
    of a site is unknown, all that its pages share may be that, so no replaced passage is free.
    """
    found = comparison.deep or comparison.words
    if found is None:
        return comparison.overlap[1:]
    less = other_facts(found, free=0.0 if new_site else REPLACED_FREE)
    doubt = DOUBT / max(1, min(found.words))
    # a measure that was not taken counts in full: it can't be more
    shares = (
        sum(weight * getattr(found, name, (1, 1))[i] for name, weight in WEIGHTS.items())
        for i in (0, 1)
    )
    first, second = (max(0.0, share - less - min(doubt, 1 - share)) for share in shares)
    return first, second


def other_facts(found: Words, free: float = REPLACED_FREE) -> float:
    """Return how much different facts speak against two pages being the same.

    A date, a counter, a session id, another name: one place and one more for each hundred words
    says nothing; nor do so many mentions of what the other page lacks, up to five more; nor a
    passage or two that were rewritten, up to ten words in a hundred (`free`).
    """
    words = max(1, min(found.words))
    swapped = found.swapped / (1 + words / 100) - 1
    subject = found.subject / (1 + min(words / 100, MOST_MENTIONS)) - 1
    replaced = found.replaced / words - free
    return (
        SWAPPED_WEIGHT * min(MOST_SWAPPED, max(0.0, swapped))
        + SUBJECT_WEIGHT * min(MOST_SUBJECT, max(0.0, subject))
        + REPLACED_WEIGHT * max(0.0, replaced)
    )


def relation(
    comparison: Comparison, settings: Settings, context: Context = NO_CONTEXT
) -> Kind | None:
    """Return how a page relates to a known one; None if it does not.

    Where each has a name of its own, far more must be known to call the page redundant.
    """
    containment, contained_by = known(comparison, new_site=context.new_site)
    if context.rest_differs:
        return None
    stricter = 0.0
    if context.names_differ:
        stricter = STRICTER_IF_NEW if context.new_site else STRICTER
    near, contained = (
        threshold + stricter * (1 - threshold) for threshold in (settings.near, settings.contained)
    )
    if min(containment, contained_by) >= near:
        return Kind.NEAR
    if containment >= (settings.contained if context.small_part else contained):
        return Kind.CONTAINED
    if contained_by >= settings.contained:
        return Kind.CONTAINS
    return None


def _gate(settings: Settings) -> float:
    lowest = min(settings.near, settings.contained)
    return lowest if settings.sentences == "off" else max(0.1, lowest - MARGIN)
