"""Two pages compared: what they share, measured both ways, from the cheapest measure up.

Only pairs that runs of words show to be near matches are compared sentence by sentence and node by
node; what each step finds is added to what is known of the pair.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS

from .alignment import (
    ANCHOR_WORDS,
    Alignment,
    align,
    aligned_words,
    longest_chain,
    marks,
    replaced_words,
)
from .facts import swapped_facts, swapped_subject
from .languages import STOP_WORDS
from .matching import Matching, match
from .overlap import Overlap, covered, of_sets, of_shingles, shingle_numbers, word_numbers
from .tree import TreeMatch, match_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .matching import Partner, Test
    from .model import Model
    from .overlap import Numbers
    from .prepared import Prepared
    from .values import Sentence


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
class Words:
    """What the words of two pages, their order and the facts say."""

    words: tuple[int, int]
    """How many words the pages have."""
    covered: Both
    """Share of each page's words that lie in runs of four words which the other page has."""
    aligned: Both
    """Share of the words that stand there in the same order, or in long passages that moved."""
    swapped: int
    """Places where one page has some numbers or names and the other has others."""
    subject: int
    """How often each page names something that the other never mentions."""
    replaced: int
    """Words of passages in whose place the other page has a passage on something else."""


@dataclass(frozen=True, slots=True)
class Deep(Words):
    """What sentences and structure say besides."""

    matching: Matching
    nodes: TreeMatch
    counts: tuple[Counts, Counts]
    sentence_share: Both
    """Share of the content that matched sentences make up, in proportion to how alike they are."""
    tree: Both
    """Share of the content in matched sentences of matched nodes that keep their order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one."""

    overlap: Overlap
    words: Words | None = None
    """None unless they proved to be near matches."""
    deep: Deep | None = None
    """None unless sentences can make a difference."""


@dataclass(frozen=True)
class Pair:
    """Two pages, and what several steps of their comparison need."""

    page: Prepared
    known: Prepared

    @cached_property
    def numbers(self) -> tuple[Numbers, Numbers]:
        return word_numbers(self.page.numbered, self.known.numbered)

    @property
    def width(self) -> int:
        """How many words a shingle has: fewer on pages that have no more."""
        return max(1, min(SHINGLE_WORDS, len(self.page.words), len(self.known.words)))

    @cached_property
    def shingles(self) -> tuple[Numbers, Numbers]:
        return shingle_numbers(*self.numbers, self.width)

    @cached_property
    def alignment(self) -> Alignment:
        eights = shingle_numbers(*self.shingles, ANCHOR_WORDS, self.width)
        return align(*self.numbers, eights)

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Words that say nothing, in the languages of the pages."""
        return frozenset().union(
            *(STOP_WORDS.get(one.language, ()) for one in (self.page, self.known))
        )


def compare_hashes(pair: Pair) -> Comparison:
    """Compare two pages by hashes of their runs of words: quick, and never too low."""
    return Comparison(of_sets(pair.page.shingles, pair.known.shingles))


def compare_shingles(pair: Pair) -> Comparison:
    """Compare two pages by the runs of words themselves, which can't be forged."""
    return Comparison(of_shingles(*pair.shingles))


def compare_words(comparison: Comparison, pair: Pair) -> Comparison:
    """Compare two pages word by word: what they share, in which order, with which facts."""
    words = len(pair.page.words), len(pair.known.words)
    mine, theirs = pair.shingles
    cover = covered(mine, theirs, pair.width).sum(), covered(theirs, mine, pair.width).sum()
    alignment, common = pair.alignment, pair.common_words
    moved = marks(alignment.passages, *words)
    facts = pair.page.facts, pair.known.facts
    found = Words(
        words,
        covered=_shares(cover, words),
        aligned=_shares(aligned_words(alignment, *words), words),
        swapped=swapped_facts(alignment.runs, *facts, common, moved),
        subject=swapped_subject(*facts, common),
        replaced=replaced_words(alignment, pair.page.words, pair.known.words, common, moved),
    )
    return replace(comparison, words=found)


def compare_sentences(comparison: Comparison, pair: Pair, test: Test) -> Comparison:
    """Compare two pages sentence by sentence and node by node."""
    assert comparison.words  # noqa: S101  # words come first
    first, second = pair.page.sentences, pair.known.sentences
    matching = match(first, second, test)
    nodes = match_trees(first, second, matching)
    content = _content(first), _content(second)
    deep = Deep(
        **{field.name: getattr(comparison.words, field.name) for field in fields(Words)},
        matching=matching,
        nodes=nodes,
        counts=(_counts(matching.first), _counts(matching.second)),
        sentence_share=_shares(
            (_sentence_share(first, matching.first), _sentence_share(second, matching.second)),
            content,
        ),
        tree=_shares(nodes.in_order, content),
    )
    return replace(comparison, deep=deep)


def compare_deeply(comparison: Comparison, pair: Pair, test: Test) -> Comparison:
    """Compare two pages by words and sentences, whatever the words say."""
    return compare_sentences(compare_words(comparison, pair), pair, test)


def odds_ratio(one: float, other: float) -> float:
    """Set the odds that two pages are alike from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))


def _content(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence.words) for sentence in sentences)


def _sentence_share(sentences: Sequence[Sentence], partners: Sequence[Partner]) -> float:
    """Count the content of matched sentences, in proportion to how alike they are."""
    return sum(
        partner.similarity * len(sentence.words)
        for sentence, partner in zip(sentences, partners, strict=True)
    )


def _shares(parts: tuple[float, float], wholes: tuple[int, int]) -> Both:
    return float(parts[0] / max(1, wholes[0])), float(parts[1] / max(1, wholes[1]))


def _counts(partners: Sequence[Partner]) -> Counts:
    same = sum(partner.similarity == 1 for partner in partners)
    found = sum(partner.place >= 0 for partner in partners)
    return Counts(len(partners), same, found - same)


@dataclass(frozen=True, slots=True)
class Measures:
    """Two pages as wholes; of two figures the first is that of the first page."""

    overlap: Both
    """Share of the sentences that are equal to one of the other page."""
    rs: Both
    """Share of the sentences that have a partner in the other page."""
    odds_ratio: float
    best_match: Both
    """Mean similarity of the sentences to their partners, the long ones counting more."""
    in_order: Both
    """Share of the sentences with a partner that stand in the same order in both pages."""
    new: tuple[tuple[int, ...], tuple[int, ...]]
    """The sentences without a partner."""
    rarity: Both
    """How rare the words are that both pages have, and those that only one has, as mean idf."""


def measures_of(
    first: Sequence[Sentence], second: Sequence[Sentence], deep: Deep, model: Model | None = None
) -> Measures:
    """Measure two pages whose sentences have been matched."""
    mine, theirs = deep.matching.first, deep.matching.second
    rs = deep.counts[0].found, deep.counts[1].found
    return Measures(
        overlap=(_equal(mine), _equal(theirs)),
        rs=rs,
        odds_ratio=odds_ratio(*rs),
        best_match=deep.sentence_share,
        in_order=(in_order(mine), in_order(theirs)),
        new=(_new(mine), _new(theirs)),
        rarity=_rarity(first, second, model),
    )


def _equal(partners: Sequence[Partner]) -> float:
    return sum(partner.similarity == 1 for partner in partners) / max(1, len(partners))


def in_order(partners: Sequence[Partner]) -> float:
    """Give the share of the sentences with a partner that stand in the same order in both pages."""
    pairs = [(i, partner.place) for i, partner in enumerate(partners) if partner.place >= 0]
    return len(longest_chain(pairs, [1] * len(pairs))) / len(pairs) if pairs else 0.0


def _new(partners: Sequence[Partner]) -> tuple[int, ...]:
    return tuple(i for i, partner in enumerate(partners) if partner.place < 0)


def _rarity(first: Sequence[Sentence], second: Sequence[Sentence], model: Model | None) -> Both:
    mine = {word for sentence in first for word in sentence.words}
    theirs = {word for sentence in second for word in sentence.words}
    idf = _idf([*first, *second], model)
    return _mean([*map(idf, mine & theirs)]), _mean([*map(idf, mine ^ theirs)])


def _idf(sentences: Sequence[Sentence], model: Model | None) -> Callable[[str], float]:
    """Tell how rare words are: in the documents of the model, else in the sentences at hand."""
    if model:
        return lambda word: model.weight(word) ** 2
    counts = Counter(word for sentence in sentences for word in set(sentence.words))
    return lambda word: math.log((len(sentences) + 1) / (counts[word] + 0.5))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
