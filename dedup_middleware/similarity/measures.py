"""What is counted of a page and others: by the compiled core, but for tests of the thesis."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

from .matching import match
from .prepared import main_shingles
from .sentences import STOP_WORDS, Matching
from .tree import chained, match_trees

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
        tree=match_trees(first, second, matching).in_order,
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
