"""What is counted of a page and others: by the compiled core, but for tests of the thesis.

That includes order and hierarchy: chains of pairs, and nodes matched by their sentences. One pair
of sentences that share some words says little. A chain of them through both pages says that one was
written from the other: pages on the same subject have such sentences too, but not one after the
other.
"""

from __future__ import annotations

from collections import Counter
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

from .matching import match
from .prepared import main_shingles
from .sentences import STOP_WORDS, Matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import SentenceTest
    from .prepared import Prepared
    from .sentences import Partner, Sentence

_COUNT = Struct("<I")
_HASH_BYTES = 8
_WORDS = Struct("<Q16I")  # cells, counts
_SENTENCES = Struct("<Qd5Id5I5I")  # steps; words and counts of each page; counts of both
_PARTNER_BYTES = 12
_NUMBERS, _FUZZY = 1, 2
_LANGUAGES = {code: bytes((number,)) for number, code in enumerate(STOP_WORDS)}
_UNKNOWN = b"\xff"


Pairs = tuple[int, int]
"""A count for the first page and one for the second."""


def chained(
    first: Sequence[Sentence], second: Sequence[Sentence], partners: Sequence[Partner]
) -> tuple[int, int]:
    """Count the words of the sentences of two pages that are in the chain of partners."""
    pairs = [(place, partner.place) for place, partner in enumerate(partners) if partner.place >= 0]
    chain = longest_chain(pairs, [len(first[one].words) for one, _ in pairs])
    return (
        sum(len(first[pairs[link][0]].words) for link in chain),
        sum(len(second[pairs[link][1]].words) for link in chain),
    )


def longest_chain(
    pairs: Sequence[tuple[int, int]], weights: Sequence[float], *, strictly: bool = True
) -> list[int]:
    """Return the indices of the heaviest chain of pairs in which both numbers ascend.

    Unless `strictly`, either number may stay the same from one pair to the next.

    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [1, 1, 1, 1])
    [1, 2, 3]
    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [3, 1, 1, 1])
    [0, 3]
    """
    # equal first numbers: the larger second one first, so that they never follow one another
    sign = -1 if strictly else 1
    ranked = sorted(range(len(pairs)), key=lambda i: (pairs[i][0], sign * pairs[i][1]))
    heights = {value: rank for rank, value in enumerate(sorted({y for _, y in pairs}), start=1)}
    best = _PrefixMaximum(len(heights))
    before: list[int] = [-1] * len(pairs)
    total: list[float] = [0.0] * len(pairs)
    for index in ranked:
        height = heights[pairs[index][1]]
        before[index] = best.up_to(height - strictly)
        total[index] = weights[index] + (total[before[index]] if before[index] >= 0 else 0.0)
        best.put(height, index, total[index])
    chain: list[int] = []
    at = best.up_to(len(heights))
    while at >= 0:
        chain.append(at)
        at = before[at]
    return chain[::-1]


class _PrefixMaximum:
    """The index with the greatest total among heights up to a given one, in a Fenwick tree."""

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def up_to(self, height: int) -> int:
        found = (0.0, -1)
        while height > 0:
            if self._best[height][0] > found[0]:
                found = self._best[height]
            height &= height - 1
        return found[1]

    def put(self, height: int, index: int, total: float) -> None:
        while height < len(self._best):
            if total > self._best[height][0]:
                self._best[height] = (total, index)
            height += height & -height


def match_trees(
    first: Sequence[Sentence], second: Sequence[Sentence], matching: Matching
) -> tuple[int, int]:
    """Match the nodes of two pages in document order, by the partners of their sentences.

    Return how many words of either page are in matched sentences of nodes that keep their order.
    """
    mine = _words(first, second, matching.first)
    theirs = _words(second, first, matching.second)
    edges = sorted({(first[pair.first].node, second[pair.second].node) for pair in matching.pairs})
    weights = [mine[x, y] + theirs[y, x] for x, y in edges]
    chain = [edges[i] for i in longest_chain(edges, weights, strictly=False)]
    return sum(mine[x, y] for x, y in chain), sum(theirs[y, x] for x, y in chain)


def _words(
    one: Sequence[Sentence], other: Sequence[Sentence], partners: Sequence[Partner]
) -> Counter[tuple[int, int]]:
    """Count the words of matched sentences by the pair of nodes that they connect."""
    words: Counter[tuple[int, int]] = Counter()
    for sentence, partner in zip(one, partners, strict=True):
        if partner.place >= 0:
            words[sentence.node, other[partner.place].node] += len(sentence.words)
    return words


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
    numbers: int
    """How many amounts, telephone and account numbers each page, at least, has for itself."""


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


def shared_hashes(page: Prepared, others: Sequence[Prepared]) -> list[tuple[int, int, int]]:
    """Return how many shingle hashes a page has, each of some others, and both."""
    missing = [other for other in others if other.hashes is None and not other.has_shingles]
    if missing:  # in one call
        main_shingles(missing)
    theirs = [other.shingles for other in others]
    data = core.call_parts("shared_hashes", (page.shingles, *theirs))
    mine = len(page.shingles) // _HASH_BYTES
    return [
        (mine, len(hashes) // _HASH_BYTES, shared)
        for hashes, (shared,) in zip(theirs, _COUNT.iter_unpack(data), strict=True)
    ]


def word_parts(pages: Sequence[Prepared]) -> list[bytes]:
    """Return what the core needs to compare the first of some pages by words."""
    return [b"".join(map(_language, pages)), *(one.table.packed for one in pages)]


def sentence_parts(pages: Sequence[Prepared], test: SentenceTest) -> list[bytes]:
    """Return what the core needs to compare the first of some pages by sentences."""
    options = (_NUMBERS if pages[0].numbers else 0) | (_FUZZY if test.name == "fuzzy" else 0)
    parts = [bytes((options,)) + b"".join(map(_language, pages))]
    for one in pages:
        parts += (one.table.packed, one.stems)
    return parts


def measure_words(page: Prepared, others: Sequence[Prepared]) -> list[WordMeasures]:
    """Compare a page with others word by word."""
    data = core.call_parts("compare_words", word_parts((page, *others)))
    return [
        WordMeasures(
            (one, other, both),
            covered=(found[0], found[1]),
            common=found[2],
            aligned=(found[3], found[4]),
            swapped=found[5],
            subject=found[6],
            replaced=found[7],
            facts=((found[8], found[9]), (found[10], found[11])),
            numbers=found[12],
        )
        for _, one, other, both, *found in _WORDS.iter_unpack(data)
    ]


def measure_sentences(
    page: Prepared, others: Sequence[Prepared], test: SentenceTest
) -> list[SentenceMeasures]:
    """Compare a page with others sentence by sentence and node by node."""
    if test.is_published:
        return [_measure_as_published(page, other, test) for other in others]
    data = core.call_parts("compare_sentences", sentence_parts((page, *others), test))
    found, at = [], 0
    for _ in others:
        (length,) = _COUNT.unpack_from(data, at)
        begin = at + _COUNT.size
        at = begin + length
        found.append(_sentence_measures(data, begin, at))
    return found


def _sentence_measures(data: bytes, begin: int, end: int) -> SentenceMeasures:
    """Unpack what the core says of the sentences of two pages."""
    _, *found = _SENTENCES.unpack_from(data, begin)
    mine, total, same, paired, content, cut = found[:6]
    theirs, other_total, other_same, other_paired, other_content, other_cut = found[6:12]
    start = begin + _SENTENCES.size
    middle = start + _PARTNER_BYTES * total
    return SentenceMeasures(
        Matching((data[start:middle], data[middle:end]), (cut, other_cut)),
        (
            Counts(total, same, paired - same),
            Counts(other_total, other_same, other_paired - other_same),
        ),
        content=(content, other_content),
        matched=(mine, theirs),
        tree=(found[12], found[13]),
        chain=(found[14], found[15]),
        negated=found[16],
    )


def _language(page: Prepared) -> bytes:
    return _LANGUAGES.get(page.language, _UNKNOWN)


def _measure_as_published(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages in the same way by a test of the thesis."""
    first, second = page.sentences, known.sentences
    matching = match(first, second, test)
    mine, theirs = matching.first, matching.second
    return SentenceMeasures(
        matching,
        (_counts(mine), _counts(theirs)),
        content=(_content(first), _content(second)),
        matched=(_matched(first, mine), _matched(second, theirs)),
        tree=match_trees(first, second, matching),
        chain=chained(first, second, mine),
        negated=_negated(first, second, mine),
    )


def _counts(partners: Sequence[Partner]) -> Counts:
    same = sum(partner.similarity == 1 for partner in partners)
    found = sum(partner.place >= 0 for partner in partners)
    return Counts(len(partners), same, found - same)


def _content(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence.words) for sentence in sentences)


def _matched(sentences: Sequence[Sentence], partners: Sequence[Partner]) -> float:
    """Count the words of matched sentences, in proportion to their similarity."""
    total = 0.0  # one after the other: `sum` rounds in other ways in newer versions of Python
    for sentence, partner in zip(sentences, partners, strict=True):
        total += partner.similarity * len(sentence.words)
    return total


def _negated(
    first: Sequence[Sentence], second: Sequence[Sentence], partners: Sequence[Partner]
) -> int:
    """Count the matched sentences of which one is negated and the other is not."""
    return sum(
        one.negated != second[partner.place].negated
        for one, partner in zip(first, partners, strict=True)
        if partner.place >= 0
    )
