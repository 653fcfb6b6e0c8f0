"""Two pages, and what is counted of them: by the compiled core, but for some tests of sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core

from .chain import chained
from .languages import STOP_WORDS
from .matching import Matching, found_by
from .tree import match_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import SentenceTest
    from .pairing import Partner
    from .prepared import Prepared
    from .values import Sentence

_LENGTH = Struct("<I")
_WORDS = Struct("<Q15I")  # cells, counts
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


@dataclass(frozen=True)
class Pair:
    """A page and a known one; their words are compared once."""

    page: Prepared
    known: Prepared

    @property
    def hashes(self) -> tuple[int, int, int]:
        """How many shingle hashes the pages have, and both."""
        mine, theirs = self.page.shingles, self.known.shingles
        first = mine.tobytes()
        data = core.call("shared_hashes", _LENGTH.pack(len(first)) + first + theirs.tobytes())
        return len(mine), len(theirs), int(_LENGTH.unpack(data)[0])

    @cached_property
    def words(self) -> WordMeasures:
        return _measure_words(self.page, self.known)

    def sentences(self, test: SentenceTest) -> SentenceMeasures:
        """Compare the sentences of the pages."""
        measure = _measure_sentences if test.is_plain else _measure_by_test
        return measure(self.page, self.known, test)


def _measure_words(page: Prepared, known: Prepared) -> WordMeasures:
    """Compare two pages word by word."""
    data = core.call("compare_words", packed_words(page, known))
    _, one, other, both, *found = _WORDS.unpack(data)
    return WordMeasures(
        (one, other, both),
        covered=(found[0], found[1]),
        common=found[2],
        aligned=(found[3], found[4]),
        swapped=found[5],
        subject=found[6],
        replaced=found[7],
        facts=((found[8], found[9]), (found[10], found[11])),
    )


def packed_words(page: Prepared, known: Prepared) -> bytes:
    """Return what the core needs to compare two pages word by word."""
    return b"".join(
        part
        for one in (page, known)
        for part in (_language(one), _LENGTH.pack(len(one.table.packed)), one.table.packed)
    )


def _measure_sentences(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages sentence by sentence and node by node, without a model."""
    data = core.call("compare_sentences", packed_sentences(page, known, test))
    _, *found = _SENTENCES.unpack_from(data)
    mine, total, same, paired, content, cut = found[:6]
    theirs, other_total, other_same, other_paired, other_content, other_cut = found[6:12]
    start = _SENTENCES.size
    middle = start + _PARTNER_BYTES * total
    return SentenceMeasures(
        Matching((data[start:middle], data[middle:]), (cut, other_cut)),
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


def packed_sentences(page: Prepared, known: Prepared, test: SentenceTest) -> bytes:
    """Return what the core needs to compare two pages sentence by sentence."""
    options = (_NUMBERS if page.numbers else 0) | (_FUZZY if test.name == "fuzzy" else 0)
    parts = [bytes((options,))]
    for one in (page, known):
        packed, stems = one.table.packed, one.stems
        parts += (_language(one), _LENGTH.pack(len(packed)), packed)
        parts += (_LENGTH.pack(len(stems)), stems)
    return b"".join(parts)


def _language(page: Prepared) -> bytes:
    return _LANGUAGES.get(page.language, _UNKNOWN)


def _measure_by_test(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages in the same way by a test of the thesis, or with a model."""
    first, second = page.sentences, known.sentences
    mine, theirs = found_by(first, second, test)
    matching = Matching.of(mine.partners, theirs.partners, (mine.cut, theirs.cut))
    return SentenceMeasures(
        matching,
        (_counts(mine.partners), _counts(theirs.partners)),
        content=(_content(first), _content(second)),
        matched=(_matched(first, mine.partners), _matched(second, theirs.partners)),
        tree=match_trees(first, second, matching).in_order,
        chain=chained(first, second, mine.partners, mine.alike),
        negated=_negated(first, second, mine.partners),
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
