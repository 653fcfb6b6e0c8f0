"""Two pages compared: what they share, measured both ways, from the cheapest measure up.

Only pairs that runs of words show to be near matches are compared sentence by sentence and node by
node; what each step finds is added to what is known of the pair.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS

from .alignment import align, aligned_words
from .facts import swapped_facts, swapped_subject
from .languages import STOP_WORDS
from .matching import Matching, match
from .overlap import Overlap, covered, of_sets, overlap, shingle_numbers, word_numbers
from .tree import TreeMatch, match_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import Partner, Test
    from .prepared import Prepared

MAX_ODDS = 100.0

Both = tuple[float, float]
"""A figure of the first page and one of the second."""


class Counts(NamedTuple):
    """The sentences of a page, by what became of them in the other."""

    total: int
    same: int
    reworded: int

    @property
    def new(self) -> int:
        return self.total - self.same - self.reworded

    @property
    def found(self) -> float:
        """The share that stands in the other page (RS)."""
        return (self.same + self.reworded) / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Deep:
    """What sentences, order, structure and facts say of two pages."""

    matching: Matching
    nodes: TreeMatch
    counts: tuple[Counts, Counts]
    words: tuple[int, int]
    """How many words the pages have."""
    covered: Both
    """Share of each page's words that lie in runs of four words which the other page has."""
    aligned: Both
    """Share of the words that stand in the other page in the same order, three or more in a row."""
    said: Both
    """Share of the content that matched sentences make up, in proportion to how alike they are."""
    tree: Both
    """Share of the content in matched sentences of matched nodes that keep their order."""
    swapped: int
    """Places where one page has some numbers or names and the other has others."""
    subject: int
    """How often each page names something that the other never mentions."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one."""

    overlap: Overlap
    deep: Deep | None = None
    """None unless they proved to be near matches."""

    @property
    def rs(self) -> Both | None:
        """The share of each page's sentences that stand in the other."""
        return (self.deep.counts[0].found, self.deep.counts[1].found) if self.deep else None


def compare_hashes(page: Prepared, known: Prepared) -> Comparison:
    """Compare two pages by hashes of their runs of words: quick, and never too low."""
    return Comparison(of_sets(page.shingles, known.shingles))


def compare_shingles(page: Prepared, known: Prepared) -> Comparison:
    """Compare two pages by the runs of words themselves, which can't be forged."""
    return Comparison(overlap(page.words, known.words, SHINGLE_WORDS))


def compare_deeply(comparison: Comparison, page: Prepared, known: Prepared, test: Test) -> Comparison:
    """Compare two pages sentence by sentence, word by word and node by node."""
    matching = match(page.sentences, known.sentences, test)
    nodes = match_trees(page.sentences, known.sentences, matching)
    sides = ((page.sentences, matching.first), (known.sentences, matching.second))
    content = [max(1, sum(len(one.words) for one in sentences)) for sentences, _ in sides]
    said = [
        sum(
            partner.similarity * len(one.words)
            for one, partner in zip(sentences, partners, strict=True)
        )
        for sentences, partners in sides
    ]
    words = len(page.words), len(known.words)
    cover, order, swapped = _words_in_common(page, known)
    deep = Deep(
        matching,
        nodes,
        (_counts(matching.first), _counts(matching.second)),
        words,
        covered=(cover[0] / max(1, words[0]), cover[1] / max(1, words[1])),
        aligned=(order / max(1, words[0]), order / max(1, words[1])),
        said=(said[0] / content[0], said[1] / content[1]),
        tree=(nodes.in_order[0] / content[0], nodes.in_order[1] / content[1]),
        swapped=swapped,
        subject=swapped_subject(page.facts, known.facts, _common_words(page, known)),
    )
    return replace(comparison, deep=deep)


def odds_ratio(one: float, other: float) -> float:
    """Set the odds that two pages are alike from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))


def _words_in_common(page: Prepared, known: Prepared) -> tuple[tuple[int, int], int, int]:
    """Count the words in common runs, those also in order, and the facts that were swapped."""
    first, second = word_numbers(page.words, known.words)
    if min(len(first), len(second)) < SHINGLE_WORDS:
        return (0, 0), 0, 0
    mine, theirs = shingle_numbers(first, second, SHINGLE_WORDS)
    runs = align(first, second)
    return (
        (covered(mine, theirs, SHINGLE_WORDS), covered(theirs, mine, SHINGLE_WORDS)),
        aligned_words(runs),
        swapped_facts(runs, page.facts, known.facts, _common_words(page, known)),
    )


def _common_words(page: Prepared, known: Prepared) -> frozenset[str]:
    return STOP_WORDS.get(page.language, frozenset()) | STOP_WORDS.get(known.language, frozenset())


def _counts(partners: Sequence[Partner]) -> Counts:
    same = sum(partner.similarity == 1 for partner in partners)
    found = sum(partner.place >= 0 for partner in partners)
    return Counts(len(partners), same, found - same)
