"""Comparison of two pages: what they share, measured both ways, from the cheapest measure up.

Shingle hashes come first, then shingles, words, sentences with nodes; the caller chooses how deep
to go.
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
    masks,
    replaced_words,
)
from .facts import shared_facts, swapped_facts, swapped_numbers, swapped_subject
from .languages import STOP_WORDS
from .matching import Matching, match
from .overlap import (
    Overlap,
    common_words,
    covered,
    of_sets,
    of_shingles,
    shingle_numbers,
    word_numbers,
)
from .reworded import chained
from .tree import TreeMatch, match_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .matching import Partner, SentenceTest
    from .model import Model
    from .overlap import Numbers
    from .prepared import Prepared
    from .values import Sentence

MAX_ODDS = 100.0

Both = tuple[float, float]
"""A figure for the first page and one for the second."""


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


@dataclass(frozen=True, slots=True)
class Words:
    """Two pages compared by words, their order, and facts."""

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


@dataclass(frozen=True, slots=True)
class Deep(Words):
    """Two pages compared by sentences and nodes as well."""

    matching: Matching
    nodes: TreeMatch
    counts: tuple[Counts, Counts]
    sentence_share: Both
    """Share of the content in matched sentences, in proportion to their similarity."""
    tree: Both
    """Share of the content in matched sentences of nodes that keep their order."""
    chain: Both
    """Share of the content in sentences that are alike, one after the other in both pages."""
    negated: int
    """Sentences of the first page that the second denies."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A page compared with a known one."""

    overlap: Overlap
    words: Words | None = None
    """None if shingles show that the pages are no near matches."""
    deep: Deep | None = None
    """None if sentences can't make a difference."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What the matched sentences of two pages amount to, for people."""

    overlap: Both
    """Share of the sentences that are equal to one of the other page."""
    rs: Both
    """Share of the sentences that have a partner in the other page."""
    odds_ratio: float
    best_match: Both
    """Mean similarity of the sentences to their partners, weighted by length."""
    in_order: Both
    """Share of the sentences with a partner that are in the same order in both pages."""
    new: tuple[tuple[int, ...], tuple[int, ...]]
    """The sentences without a partner."""
    rarity: Both
    """Mean idf of the words that both pages have, and of those that only one has."""


@dataclass(frozen=True)
class Pair:
    """Two pages, and what several steps of the comparison share."""

    page: Prepared
    known: Prepared

    @cached_property
    def numbers(self) -> tuple[Numbers, Numbers]:
        return word_numbers(self.page.numbered, self.known.numbered)

    @property
    def width(self) -> int:
        """How many words a shingle has: fewer if a page is shorter than that."""
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
        """The stop words of the pages' languages."""
        return frozenset().union(
            *(STOP_WORDS.get(one.language, ()) for one in (self.page, self.known))
        )


def compare_hashes(pair: Pair) -> Comparison:
    """Compare two pages by the hashes of their shingles: quick, and never too low."""
    return Comparison(of_sets(pair.page.shingles, pair.known.shingles))


def compare_shingles(pair: Pair) -> Comparison:
    """Compare two pages by the shingles themselves, which can't be forged."""
    return Comparison(of_shingles(*pair.shingles))


def compare_words(comparison: Comparison, pair: Pair) -> Comparison:
    """Compare two pages word by word: common words, their order, and facts."""
    words = len(pair.page.words), len(pair.known.words)
    mine, theirs = pair.shingles
    cover = covered(mine, theirs, pair.width).sum(), covered(theirs, mine, pair.width).sum()
    alignment, common = pair.alignment, pair.common_words
    moved = masks(alignment.passages, *words)
    facts = pair.page.facts, pair.known.facts
    shared = common_words(*pair.numbers)
    found = Words(
        words,
        common=_shares((shared, shared), words),
        covered=_shares(cover, words),
        aligned=_shares(aligned_words(alignment, *words), words),
        swapped=swapped_facts(alignment.runs, *facts, common, moved),
        subject=swapped_subject(*facts, common),
        replaced=replaced_words(alignment, pair.page.words, pair.known.words, common, moved),
        facts=shared_facts(*facts, common),
        numbers=swapped_numbers(pair.page.identifying_numbers, pair.known.identifying_numbers),
    )
    return replace(comparison, words=found)


def compare_sentences(comparison: Comparison, pair: Pair, test: SentenceTest) -> Comparison:
    """Compare two pages sentence by sentence and node by node."""
    assert comparison.words  # noqa: S101  # compare_words comes first
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
            (_matched_content(first, matching.first), _matched_content(second, matching.second)),
            content,
        ),
        tree=_shares(nodes.in_order, content),
        chain=_shares(chained(first, second, matching.first), content),
        negated=_negated(first, second, matching.first),
    )
    return replace(comparison, deep=deep)


def compare_deeply(comparison: Comparison, pair: Pair, test: SentenceTest) -> Comparison:
    """Compare two pages by words and sentences, even if they are no near matches."""
    return compare_sentences(compare_words(comparison, pair), pair, test)


def odds_ratio(one: float, other: float) -> float:
    """Return the odds that two pages are alike, from their shares of matched sentences.

    >>> round(odds_ratio(0.9, 0.9), 2), round(odds_ratio(0.1, 0.9), 3), odds_ratio(1, 1)
    (4.26, 0.099, 100.0)
    """
    both = one * other
    return MAX_ODDS if both >= 1 else min(MAX_ODDS, both / (1 - both))


def measures_of(
    first: Sequence[Sentence], second: Sequence[Sentence], deep: Deep, model: Model | None = None
) -> Measures:
    """Measure two pages whose sentences have been matched."""
    mine, theirs = deep.matching.first, deep.matching.second
    one, other = deep.counts
    rs = one.found, other.found
    return Measures(
        overlap=(one.equal, other.equal),
        rs=rs,
        odds_ratio=odds_ratio(*rs),
        best_match=deep.sentence_share,
        in_order=(in_order(mine), in_order(theirs)),
        new=(_new(mine), _new(theirs)),
        rarity=_rarity(first, second, model),
    )


def in_order(partners: Sequence[Partner]) -> float:
    """Return the share of the sentences with a partner that are in the same order in both pages."""
    pairs = [(i, partner.place) for i, partner in enumerate(partners) if partner.place >= 0]
    return len(longest_chain(pairs, [1] * len(pairs))) / len(pairs) if pairs else 0.0


def _content(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence.words) for sentence in sentences)


def _matched_content(sentences: Sequence[Sentence], partners: Sequence[Partner]) -> float:
    """Count the words of matched sentences, in proportion to their similarity."""
    return sum(
        partner.similarity * len(sentence.words)
        for sentence, partner in zip(sentences, partners, strict=True)
    )


def _shares(parts: tuple[float, float], wholes: tuple[int, int]) -> Both:
    return float(parts[0] / max(1, wholes[0])), float(parts[1] / max(1, wholes[1]))


def _negated(
    first: Sequence[Sentence], second: Sequence[Sentence], partners: Sequence[Partner]
) -> int:
    """Count the matched sentences of which one is negated and the other is not."""
    return sum(
        one.negated != second[partner.place].negated
        for one, partner in zip(first, partners, strict=True)
        if partner.place >= 0
    )


def _counts(partners: Sequence[Partner]) -> Counts:
    same = sum(partner.similarity == 1 for partner in partners)
    found = sum(partner.place >= 0 for partner in partners)
    return Counts(len(partners), same, found - same)


def _new(partners: Sequence[Partner]) -> tuple[int, ...]:
    return tuple(i for i, partner in enumerate(partners) if partner.place < 0)


def _rarity(first: Sequence[Sentence], second: Sequence[Sentence], model: Model | None) -> Both:
    mine = {word for sentence in first for word in sentence.words}
    theirs = {word for sentence in second for word in sentence.words}
    idf = _idf([*first, *second], model)
    return _mean([*map(idf, mine & theirs)]), _mean([*map(idf, mine ^ theirs)])


def _idf(sentences: Sequence[Sentence], model: Model | None) -> Callable[[str], float]:
    """Return the idf of words: by the model, else by the sentences of the two pages."""
    if model:
        return lambda word: model.weight(word) ** 2
    counts = Counter(word for sentence in sentences for word in set(sentence.words))
    return lambda word: math.log((len(sentences) + 1) / (counts[word] + 0.5))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
