"""Sentences compared as fuzzy sets of words (Yerra's thesis)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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

from ._sentence_method import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dedup_middleware.similarity.model import Model

    from ._sentence_method import Words
    from .base import Match

LEAST_SHARED = 0.5
"""Share of their words in common from which two sentences are compared with a model."""
MOST_HOLDERS = 10_000
"""Sentences that a word leads to."""
MOST_PAIRS = 500_000
"""Pairs of sentences that are compared for one document; beyond that only equal ones count."""


@dataclass
class Fuzzy(SentenceMethod):
    """The share of a document's sentences that another document has an equivalent of (RS).

    Two sentences are equivalent if at least 82.5 % of each is covered by the other, and the two
    shares differ by at most 15 %. A word is covered by itself and, with a model, to a degree by
    words that often occur in the same documents.

    No sentence is compared with all others. One that is equivalent must have one of the rarest
    words, since few may be missing; so without a model nothing is lost. With a model a word may be
    covered without being there: pairs of sentences that share less than half of their words are
    lost.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        self._holders: dict[str, list[int]] = defaultdict(list)

    def kind(self, match: Match) -> Kind | None:
        if self.by == "share":
            return super().kind(match)
        return Kind.NEAR if odds_ratio(match.forward, match.backward) >= self.odds else None

    def _index(self, new: list[int], sentences: list[Words]) -> None:  # noqa: ARG002 - not counted
        for number in new:
            for word in dict.fromkeys(self._known.sentences[number]):
                holders = self._holders[word]
                if len(holders) < MOST_HOLDERS:
                    holders.append(number)

    def _partners(self, sentences: list[Words]) -> Mapping[Words, Collection[int]]:
        known = self._known.sentences
        found: dict[Words, set[int]] = {}
        left = MOST_PAIRS
        for words in sentences:
            holders = self._holders_of_rarest(words)
            work = sum(map(len, holders))
            if work > left:  # another sentence may take less
                continue
            left -= work
            numbers = set[int]().union(*holders)
            found[words] = {one for one in numbers if self._may_be_same(words, known[one])}
        return self._same_by_model(found, self._model) if self._model else found

    def _holders_of_rarest(self, words: Words) -> list[list[int]]:
        """Return for some words the known sentences that have them: all that may be equivalent."""
        holders: dict[str, list[int]] = {word: self._holders.get(word, []) for word in words}
        least = LEAST_SHARED if self._model else THESIS_SAME
        chosen = rarest_words(words, lambda word: len(holders[word]), least)
        return [holders[word] for word in chosen]

    def _may_be_same(self, words: Words, other: Words) -> bool:
        if self._model:  # equal sentences, which most are, need no model
            return words != other and share_most(words, other, LEAST_SHARED)
        return same_words(words, other)

    def _same_by_model(
        self, found: Mapping[Words, set[int]], model: Model
    ) -> dict[Words, set[int]]:
        """Keep those sentences that are equivalent by a model."""
        numbers = sorted(set[int]().union(*found.values()))
        known = [self._known.sentences[number] for number in numbers]
        open_ = [words for words, others in found.items() if others]
        same = same_by_model(open_, known, model)
        return {
            words: found[words] & {numbers[place] for place in places}
            for words, places in zip(open_, same, strict=False)  # the work may end before
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
