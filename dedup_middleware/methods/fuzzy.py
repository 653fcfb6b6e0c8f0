"""Sentences compared as fuzzy sets of words (Yerra's thesis)."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.settings import choice, ranged
from dedup_middleware.similarity import odds_ratio
from dedup_middleware.similarity.fuzzy import SentenceMatrix
from dedup_middleware.similarity.matching import (
    BLOCK_STEPS,
    MOST_STEPS,
    ROUNDING,
    THESIS_GAP,
    THESIS_SAME,
)
from dedup_middleware.similarity.values import Sentence
from dedup_middleware.verdict import Kind

from ._index import Lists
from ._sentence_method import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dedup_middleware.similarity.model import Model

    from ._sentence_method import Words
    from .base import Match

LEAST_SHARED = 0.5
"""Share of their words that must have an equal or close one for sentences to be compared."""
CLOSE, MOST_CLOSE = 0.2, 20
"""Correlation from which words are close, and how many a word has at most."""
MOST_HOLDERS = 10_000
"""Sentences that a word leads to."""
MOST_PAIRS = 50_000
"""Pairs of sentences that are compared for one document; beyond that only equal ones count."""
_WORD = 2 << 56
_BITS = (1 << 56) - 1
_WORDS = b"words:"
_NUMBER = struct.Struct(">I")


@dataclass
class Fuzzy(SentenceMethod):
    """The share of a document's sentences that another document has an equivalent of (RS).

    Two sentences are equivalent if at least 82.5 % of each is covered by the other, and the two
    shares differ by at most 15 %. A word is covered by itself and, with a model, to a degree by
    words that often occur in the same documents.

    No sentence is compared with all others, but with those that have one of its rarest words, or
    one close to it. Without a model nothing is lost, since few words may be missing. With a model,
    a word may also be covered by many that are not close: pairs of sentences are lost if less than
    half of the words of one have an equal or close one in the other.

    Documents are alike by these shares, or by the odds ratio, which has no direction. The thesis
    gives a threshold for neither; its pairs that are alike have odds from 8 on, others up to 0.1.
    The defaults are those with the best mean F1 on four open sets of pages.

    >>> from dedup_middleware.methods import Document
    >>> fuzzy = Fuzzy()
    >>> fuzzy.add(Document.of_text("a", "The tide came in. Boats were lifted."))
    >>> fuzzy.candidates(Document.of_text("b", "A boat was lifting. Ice broke up. A moon rose."))
    [Match(name='a', forward=0.3333333333333333, backward=0.5)]
    """

    threshold: float = ranged(0.65, "Share from which documents are alike.", 0.0, 1.0)
    by: str = choice("share", "What decides: share of sentences or odds ratio.", "share", "odds")
    odds: float = ranged(0.25, "Odds ratio from which documents are alike.", 0.0, 100.0)

    def kind(self, match: Match) -> Kind | None:
        if self.by == "share":
            return super().kind(match)
        return Kind.NEAR if odds_ratio(match.forward, match.backward) >= self.odds else None

    def _index(self, new: Mapping[int, Words]) -> None:
        for number, words in new.items():
            text = " ".join(words).encode("utf-8", "surrogatepass")
            self.tables.put(_WORDS + _NUMBER.pack(number), text)
        self._holders.extend({number: _keys(set(words)) for number, words in new.items()})

    def _partners(self, sentences: Sequence[Words]) -> Mapping[Words, Collection[int]]:
        holders = self._holders
        keys = {word: self._keys_of(word) for word in dict.fromkeys(chain(*sentences))}
        work = {word: sum(map(holders.length, found)) for word, found in keys.items()}
        least = LEAST_SHARED if self._model else THESIS_SAME
        left = MOST_PAIRS
        asked: list[tuple[Words, int]] = []
        for words in sentences:
            rarest = rarest_words(words, work.__getitem__, least)
            cost = sum(work[word] for word in rarest)
            if cost <= left:  # another sentence may take less
                left -= cost
                asked += [(words, key) for word in rarest for key in keys[word]]
        at, numbers = holders.read([key for _, key in asked])
        found: dict[Words, set[int]] = {}
        for place, number in zip(at.tolist(), numbers.tolist(), strict=True):
            found.setdefault(asked[place][0], set()).add(number)
        known = {number: self._words(number) for number in set[int]().union(*found.values())}
        alike = {
            words: {one for one in others if self._may_be_same(words, known[one])}
            for words, others in found.items()
        }
        return _same_by_model(alike, known, self._model) if self._model else alike

    def _may_be_same(self, words: Words, other: Words) -> bool:
        if not self._model:
            return same_words(words, other)
        there = frozenset(other)
        missing = sum(there.isdisjoint(_close_words(self._model, word)) for word in words)
        return words != other and missing <= (1 - LEAST_SHARED) * len(words)

    def _keys_of(self, word: str) -> list[int]:
        """Return the keys of a word and of those close to it."""
        return _keys(_close_words(self._model, word) if self._model else [word])

    def _words(self, number: int) -> Words:
        text = self.tables.get(_WORDS + _NUMBER.pack(number)) or b""
        return tuple(text.decode("utf-8", "surrogatepass").split(" "))

    @property
    def _holders(self) -> Lists:
        return Lists(self.tables, most=MOST_HOLDERS, rows=MOST_PAIRS)


def _keys(words: Collection[str]) -> list[int]:
    return [_WORD | key & _BITS for key in word_hashes(words).tolist()]


@lru_cache(1 << 16)
def _close_words(model: Model, word: str) -> frozenset[str]:
    """Return a word and those close to it."""
    return frozenset([word, *(other for other, _ in model.closest(word, MOST_CLOSE, CLOSE))])


def _same_by_model(
    found: Mapping[Words, set[int]], known: Mapping[int, Words], model: Model
) -> dict[Words, set[int]]:
    """Keep those sentences that are equivalent by a model."""
    numbers = sorted(set[int]().union(*found.values()))
    sentences = [words for words, others in found.items() if others]
    same = same_by_model(sentences, [known[number] for number in numbers], model)
    return {
        words: found[words] & {numbers[place] for place in places}
        for words, places in zip(sentences, same, strict=False)  # the work may end before
    }


def share_most(one: Words, other: Words, least: float = THESIS_SAME) -> bool:
    """Return True if each sentence has at least this share of its words in the other.

    >>> share_most(("tide", "came", "high"), ("tide", "came", "late"), 0.5)
    True
    """
    least -= ROUNDING
    return _share(one, other) >= least and _share(other, one) >= least


def same_words(one: Words, other: Words) -> bool:
    """Return True if two sentences are equivalent, words being covered only by themselves.

    >>> words = tuple("tide lifted old boats off harbour wall".split())
    >>> same_words(words, words[1:]), same_words(words[1:], words[2:])
    (True, False)
    """
    gap = abs(_share(one, other) - _share(other, one))
    return share_most(one, other) and gap <= THESIS_GAP + ROUNDING


def same_by_model(
    sentences: Sequence[Words], known: Sequence[Words], model: Model
) -> list[list[int]]:
    """Return for each sentence the places of the known ones that are equivalent by a model.

    As many sentences are compared as the limit of work allows.
    """
    size = sum(map(len, known))
    if not size:
        return []
    matrix = SentenceMatrix([_sentence(words) for words in known], model, weighted=False)
    step, end = max(1, BLOCK_STEPS // size), min(len(sentences), MOST_STEPS // size)
    found: list[list[int]] = []
    for start in range(0, end, step):
        block = [_sentence(words) for words in sentences[start : min(end, start + step)]]
        shares = matrix.shares(block)
        lower = np.minimum(shares.of_first, shares.of_second)
        gap = np.abs(shares.of_first - shares.of_second)
        same = (lower >= THESIS_SAME - ROUNDING) & (gap <= THESIS_GAP + ROUNDING)
        found += [np.flatnonzero(row).tolist() for row in same]
    return found


def rarest_words(
    words: Words, frequency: Callable[[str], int], least: float = THESIS_SAME
) -> list[str]:
    """Return so many of the rarest words that every sentence which shares `least` has one of them.

    >>> text = "in a storm the old boat was lifted"
    >>> rarest_words(tuple(text.split()), lambda word: len(word) < 4)
    ['storm', 'boat']
    """
    missing = int(len(words) * (1 - least + ROUNDING))
    chosen: list[str] = []
    for word, times in sorted(Counter(words).items(), key=lambda one: frequency(one[0])):
        chosen.append(word)
        missing -= times
        if missing < 0:
            break
    return chosen


def _share(one: Words, other: Words) -> float:
    return sum(map(set(other).__contains__, one)) / len(one)


def _sentence(words: Words) -> Sentence:
    return Sentence("", 0, words)
