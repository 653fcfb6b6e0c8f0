"""Comparison of two pages: what they share, measured both ways, from the cheapest measure up.

Shingle hashes come first, then shingles, words, sentences with nodes; the caller chooses how deep
to go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from .loss import compare_units
from .matching import longest_ascent
from .measures import measure_sentences, measure_words, shared_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .loss import Loss
    from .matching import SentenceTest
    from .measures import Counts
    from .prepared import Prepared
    from .sentences import Matching, Partner

MAX_ODDS = 100.0

Both = tuple[float, float]
"""A figure for the first page and one for the second."""


class Overlap(NamedTuple):
    """What two shingle sets share, in proportion to both, to the first and to the second."""

    resemblance: float
    containment: float
    contained_by: float


@dataclass(frozen=True, slots=True)
class Deep:
    """Two pages compared by words, their order and facts, by sentences and by nodes."""

    words: tuple[int, int]
    """How many words the pages have."""
    common: Both
    """Share of each page's words that the other page has too, wherever."""
    covered: Both
    """Share of each page's words in shingles that the other page has."""
    aligned: Both
    """Share of each page's words in the same order in both, or in long passages that moved."""
    swapped: int
    """Places where the pages have different numbers or names."""
    subject: int
    """How often each page names something that the other never mentions."""
    replaced: int
    """Words of passages that the other page replaces with a passage on something else."""
    facts: Both
    """Share of each page's numbers and names that the other page has too."""
    numbers: int
    """Identifying numbers of each page, at least, that the other lacks."""
    matching: Matching
    counts: tuple[Counts, Counts]
    sentence_share: Both
    """Share of the content in matched sentences, in proportion to their similarity."""
    tree: Both
    """Share of the content in matched sentences of nodes that keep their order."""
    chain: Both
    """Share of the content in sentences that are alike, one after the other in both pages."""
    negated: int
    """Sentences of the first page that the second denies."""
    by_rs: bool = False
    """Whether shares of sentences (RS) and their odds decide, as in the thesis."""

    @property
    def rs(self) -> Both:
        """Share of the sentences that have a partner in the other page."""
        return self.counts[0].found, self.counts[1].found


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one."""

    overlap: Overlap
    deep: Deep | None = None
    """The comparison by words and sentences; None if it was not needed."""
    loss: Loss | None = None
    """None if shingles show that the pages are no near matches."""


def of_counts(mine: int, theirs: int, shared: int) -> Overlap:
    """Compare two sets, given how many members they have and share."""
    if not mine or not theirs:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(shared / (mine + theirs - shared), shared / mine, shared / theirs)


def compare_hashes(page: Prepared, others: Sequence[Prepared]) -> list[Comparison]:
    """Compare a page with others by the hashes of shingles: quick, and never too low."""
    return [Comparison(of_counts(*counts)) for counts in shared_hashes(page, others)]


def compare_loss(
    comparisons: Sequence[Comparison], page: Prepared, others: Sequence[Prepared]
) -> list[Comparison]:
    """Compare a page with others unit by unit: what each does not keep of the other."""
    losses = compare_units(page.units, [other.units for other in others])
    return [replace(one, loss=loss) for one, loss in zip(comparisons, losses, strict=True)]


def compare_deeply(
    page: Prepared, other: Prepared, test: SentenceTest, loss: Loss | None = None
) -> Comparison:
    """Compare two pages by words, sentences and nodes, and by units unless their loss is known."""
    if loss is None:
        (loss,) = compare_units(page.units, [other.units])
    (counted,), (found,) = measure_words(page, [other]), measure_sentences(page, [other], test)
    words = mine, theirs = page.word_count or 1, other.word_count or 1
    (known, facts), (other_known, other_facts) = counted.facts
    deep = Deep(
        (page.word_count, other.word_count),
        common=(counted.common / mine, counted.common / theirs),
        covered=_shares(counted.covered, words),
        aligned=_shares(counted.aligned, words),
        swapped=counted.swapped,
        subject=counted.subject,
        replaced=counted.replaced,
        facts=(known / facts if facts else 1.0, other_known / other_facts if other_facts else 1.0),
        numbers=counted.numbers,
        matching=found.matching,
        counts=found.counts,
        sentence_share=_shares(found.matched, found.content),
        tree=_shares(found.tree, found.content),
        chain=_shares(found.chain, found.content),
        negated=found.negated,
        by_rs=test.name == "thesis",
    )
    return Comparison(of_counts(*counted.shingles), deep, loss)


def odds_ratio(one: float, other: float) -> float:
    """Return the odds that two pages are alike, from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))


def in_order(partners: Sequence[Partner]) -> float:
    """Return the share of the sentences with a partner that are in the same order in both pages."""
    places = [partner.place for partner in partners if partner.place >= 0]
    return longest_ascent(places) / len(places) if places else 0.0


def _shares(parts: tuple[float, float], wholes: tuple[int, int]) -> Both:
    return float(parts[0] / max(1, wholes[0])), float(parts[1] / max(1, wholes[1]))
