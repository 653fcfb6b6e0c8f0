"""Two pages, and what is counted of them: by the compiled core, or by its twin in Python."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.fingerprint.scheme import SHINGLE_WORDS

from . import compiled
from .alignment import ANCHOR_WORDS, align, aligned_words, masks, replaced_words
from .facts import shared_facts, swapped_facts, swapped_subject
from .hashes import count_shared
from .languages import STOP_WORDS
from .matching import Matching, found_by
from .measures import Counts, SentenceMeasures, WordMeasures
from .overlap import common_words, covered, shared_shingles, shingle_numbers, word_numbers
from .reworded import chained
from .tree import match_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import SentenceTest
    from .pairing import Partner
    from .prepared import Prepared
    from .values import Sentence


@dataclass(frozen=True)
class Pair:
    """A page and a known one; their words are compared once."""

    page: Prepared
    known: Prepared

    @property
    def hashes(self) -> tuple[int, int, int]:
        """How many shingle hashes the pages have, and both."""
        mine, theirs = self.page.shingles, self.known.shingles
        return len(mine), len(theirs), count_shared(mine, theirs)

    @cached_property
    def words(self) -> WordMeasures:
        measure = compiled.measure_words if core.available() else measure_words
        return measure(self.page, self.known)

    def sentences(self, test: SentenceTest) -> SentenceMeasures:
        """Compare the sentences of the pages."""
        quick = core.available() and test.is_plain
        measure = compiled.measure_sentences if quick else measure_sentences
        return measure(self.page, self.known, test)


def measure_words(page: Prepared, known: Prepared) -> WordMeasures:
    """Compare two pages word by word."""
    words = len(page.words), len(known.words)
    numbers = word_numbers(page.numbered, known.numbered)
    width = max(1, min(SHINGLE_WORDS, *words))  # fewer if a page is shorter than that
    mine, theirs = shingle_numbers(*numbers, width)
    alignment = align(*numbers, shingle_numbers(mine, theirs, ANCHOR_WORDS, width))
    moved = masks(alignment.passages, *words)
    facts = page.facts, known.facts
    common = frozenset[str]().union(*(STOP_WORDS.get(one.language, ()) for one in (page, known)))
    return WordMeasures(
        shared_shingles(mine, theirs),
        covered=(covered(mine, theirs, width), covered(theirs, mine, width)),
        common=common_words(*numbers),
        aligned=aligned_words(alignment, *words),
        swapped=swapped_facts(alignment.runs, *facts, common, moved),
        subject=swapped_subject(*facts, common),
        replaced=replaced_words(alignment, page.words, known.words, common, moved),
        facts=shared_facts(*facts, common),
    )


def measure_sentences(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages sentence by sentence and node by node."""
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
