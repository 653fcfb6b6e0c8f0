"""Which sentences say the same, as sets that words belong to in degrees."""

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

from .sentence_index import SentenceMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dedup_middleware.similarity.model import Model

    from .base import Match
    from .sentence_index import Words


def share_most(one: Words, other: Words, least: float = THESIS_SAME) -> bool:
    """Tell whether so much of either sentence stands in the other, word for word.

    >>> share_most(("tide", "came", "high"), ("tide", "came", "late"), 0.5)
    True
    """
    least -= ROUNDING
    return _share(one, other) >= least and _share(other, one) >= least


def same_words(one: Words, other: Words) -> bool:
    """Tell whether two sentences say the same if a word means nothing but itself.

    >>> words = tuple("tide lifted old boats off harbour wall".split())
    >>> same_words(words, words[1:]), same_words(words[1:], words[2:])
    (True, False)
    """
    gap = abs(_share(one, other) - _share(other, one))
    return share_most(one, other) and gap <= THESIS_GAP + ROUNDING


def same_by_model(
    sentences: Sequence[Words], known: Sequence[Words], model: Model
) -> list[list[int]]:
    """Tell for each sentence which known ones say the same, by place, as a model knows words.

    As many sentences are looked at as the work allows.
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


def probes(words: Words, frequency: Callable[[str], int], least: float = THESIS_SAME) -> list[str]:
    """Choose words of which a sentence must have one to share so much: the rarest will do.

    >>> probes(tuple("in a storm the old boat was lifted".split()), lambda word: len(word) < 4)
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


LEAST_SHARED = 0.5
"""Of the words of two sentences that a model is asked about."""
MOST_HOLDERS = 10_000
"""Sentences that a word leads to."""
MOST_PAIRS = 500_000
"""Pairs of sentences that are looked at for one document; beyond that only equal ones count."""


@dataclass
class Fuzzy(SentenceMethod):
    """The share of a document's sentences that say the same as one of another (RS), both ways.

    Two sentences say the same if at least 82.5 % of either is meant by the other, and the two
    shares are at most 15 % apart. A word is meant by itself, and with a model, to a degree, by
    words that often stand in the same documents.

    No sentence is compared with all. One that says the same must have one of the rarest words,
    since few may be missing; so without a model nothing is lost. With a model a word need not be
    there to be meant: lost are pairs of sentences that share less than half of their words.

    Documents are alike by these shares, or by the odds ratio, which tells no direction. The thesis
    gives a threshold for neither; its pairs that are alike have odds from 8 on, others up to 0.1.
    The defaults are those with the best mean F1 on four open sets of pages.

    >>> from dedup_middleware.methods import Document
    >>> fuzzy = Fuzzy()
    >>> fuzzy.add(Document.of_text("a", "The tide came in. Boats were lifted."))
    >>> fuzzy.candidates(Document.of_text("b", "A boat was lifting. Ice broke up. A moon rose."))
    [Match(name='a', forward=0.3333333333333333, backward=0.5)]
    """

    threshold: float = ranged(0.65, "From which share on documents are alike.", 0.0, 1.0)
    by: str = choice("share", "What decides: share of sentences or odds ratio.", "share", "odds")
    odds: float = ranged(0.25, "From which odds ratio on documents are alike.", 0.0, 100.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._holders: dict[str, list[int]] = defaultdict(list)

    def kind(self, match: Match) -> Kind | None:
        if self.by == "share":
            return super().kind(match)
        return Kind.NEAR if odds_ratio(match.forward, match.backward) >= self.odds else None

    def _index(self, new: list[int], sentences: list[Words]) -> None:  # noqa: ARG002 - not counted
        for number in new:
            for word in dict.fromkeys(self._sayings.sentences[number]):
                holders = self._holders[word]
                if len(holders) < MOST_HOLDERS:
                    holders.append(number)

    def _partners(self, sentences: list[Words]) -> Mapping[Words, Collection[int]]:
        known = self._sayings.sentences
        found: dict[Words, set[int]] = {}
        left = MOST_PAIRS
        for words in sentences:
            holders = self._probed(words)
            work = sum(map(len, holders))
            if work > left:  # another sentence may take less
                continue
            left -= work
            numbers = set[int]().union(*holders)
            found[words] = {one for one in numbers if self._may_be_same(words, known[one])}
        return self._by_model(found) if self._model else found

    def _probed(self, words: Words) -> list[list[int]]:
        """Give for some words the known sentences that have them: all that may say the same."""
        holders: dict[str, list[int]] = {word: self._holders.get(word, []) for word in words}
        least = LEAST_SHARED if self._model else THESIS_SAME
        chosen = probes(words, lambda word: len(holders[word]), least)
        return [holders[word] for word in chosen]

    def _may_be_same(self, words: Words, other: Words) -> bool:
        if self._model:  # it need not be asked about equal ones, and most are
            return words != other and share_most(words, other, LEAST_SHARED)
        return same_words(words, other)

    def _by_model(self, found: Mapping[Words, set[int]]) -> dict[Words, set[int]]:
        """Choose those sentences that say the same as the model knows words."""
        assert self._model  # noqa: S101  # asked by the caller
        numbers = sorted(set[int]().union(*found.values()))
        known = [self._sayings.sentences[number] for number in numbers]
        asked = [words for words, others in found.items() if others]
        same = same_by_model(asked, known, self._model)
        return {
            words: found[words] & {numbers[place] for place in places}
            for words, places in zip(asked, same, strict=False)  # the work may end before
        }
