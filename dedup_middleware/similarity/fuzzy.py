"""Fuzzy overlap of sentences: all sentences of one page against all of another."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .model import Model
    from .values import Sentence

    Matrix = NDArray[np.float32]
    _Correlated = tuple[NDArray[np.int64], Matrix]

DISORDER = 0.5
OTHER_FACTS = 0.8
MOST_SPARSE = 50_000  # pairs of words, beyond which a table of all is quicker
HIGHEST = 0.999  # of a correlation: different words are never the same


class Shares(NamedTuple):
    """For each pair of sentences, how much of one the other covers; a row for each of the first."""

    of_first: Matrix
    of_second: Matrix


def shares(
    first: Sequence[Sentence],
    second: Sequence[Sentence],
    model: Model | None = None,
    *,
    weighted: bool = False,
) -> Shares:
    """Return the mean membership of each sentence's words in each sentence of the other side.

    A word is a member of the sentences that have it, and with a model, to a degree, of those that
    have words which often occur in the same documents. If `weighted`, rare words weigh more.
    """
    return SentenceMatrix(second, model, weighted=weighted).shares(first)


class SentenceMatrix:
    """Many sentences in a form that is quickly compared with a few at a time."""

    def __init__(
        self, sentences: Sequence[Sentence], model: Model | None, *, weighted: bool
    ) -> None:
        self._model, self._weighted = model, weighted
        self._vocabulary: dict[str, int] = defaultdict(count().__next__)
        self._table = _table(sentences, self._vocabulary)
        self._weights = self._weigh(self._vocabulary)

    def shares(self, few: Sequence[Sentence]) -> Shares:
        """Compare a few sentences with all; only the words that matter to them take memory."""
        vocabulary: dict[str, int] = defaultdict(count().__next__)
        table = _table(few, vocabulary)
        weights = self._weigh(vocabulary)
        correlated = self._correlated(vocabulary) if self._model else None
        words = unknown = len(vocabulary)
        number = dict(vocabulary).get
        renumbered = np.array([number(word, unknown) for word in self._vocabulary], np.int64)
        theirs = self._table._replace(words=renumbered[self._table.words])
        mine = _membership(table, words + 1, len(few))
        others = _membership(theirs, words + 1, len(self._table.starts))
        others[unknown] = 0
        back = correlated
        if isinstance(correlated, np.ndarray):
            back, mine = correlated.T, mine[: len(correlated)]
        return Shares(
            _mean(table, _spread(others, correlated), weights[table.words]),
            _mean(theirs, _spread(mine, back), self._weights[self._table.words]).T,
        )

    def _weigh(self, words: Mapping[str, int]) -> Matrix:
        if self._model and self._weighted:
            return np.array([self._model.weight(word) for word in words], np.float32)
        return np.ones(len(words), np.float32)

    def _correlated(self, vocabulary: dict[str, int]) -> _Correlated | Matrix:
        """Return the pairs of correlated words, sorted, and ln(1 - c) of each.

        Words that only the many sentences have enter the vocabulary if they correlate with these.
        If pairs are many, the result is a table with a row for each word of the few sentences.
        """
        assert self._model  # noqa: S101  # checked by the caller
        few = len(vocabulary)
        others = [*self._vocabulary, *(word for word in vocabulary if word not in self._vocabulary)]
        first, second, factors = self._model.pairs_among(list(vocabulary), others)
        numbers = np.full(len(others), -1, np.int64)
        for place in np.unique(second).tolist():
            numbers[place] = vocabulary[others[place]]
        second, size = numbers[second], len(vocabulary)
        logs = np.log1p(-np.minimum(factors, np.float32(HIGHEST)))
        if len(logs) > MOST_SPARSE:
            table = np.zeros((few, size + 1), np.float32)  # the last is for all other words
            table[first, second] = logs
            return table
        both = np.concatenate((first * size + second, second * size + first))
        distinct, at = np.unique(both, return_index=True)
        pairs = np.stack((distinct // size, distinct % size), axis=1) if size else both[:, None]
        return pairs, np.concatenate((logs, logs))[at]


def penalised(overlap: float, first: Sentence, second: Sentence) -> float:
    """Reduce the overlap of two sentences that differ in order, numbers or negation.

    >>> from .values import Sentence
    >>> one, two = Sentence("", 0, ("dog", "bite", "man")), Sentence("", 0, ("man", "bite", "dog"))
    >>> penalised(1.0, one, one), round(penalised(1.0, one, two), 2)
    (1.0, 0.67)
    """
    similarity = overlap
    if overlap > 0 and first.words != second.words:
        # the more two sentences share, the more its order matters
        disorder = 1 - order_share(first.words, second.words)
        similarity *= 1 - DISORDER * (overlap * overlap) * disorder
    if first.numbers - second.numbers and second.numbers - first.numbers:
        similarity *= OTHER_FACTS
    if first.negated != second.negated:
        similarity *= OTHER_FACTS
    return similarity


def order_share(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the share of the common words that are in the same order in both.

    >>> order_share("a b c d".split(), "x a c b d".split())
    0.75
    """
    here, there = set(first), set(second)
    if [word for word in first if word in there] == [word for word in second if word in here]:
        return 1.0  # the quick answer for most reworded sentences
    places: dict[str, list[int]] = {}
    for place in range(len(second) - 1, -1, -1):
        places.setdefault(second[place], []).append(place)
    common = 0
    ends: list[int] = []  # the lowest last place of an ascending sequence, by its length
    for word in first:
        if places.get(word):
            place = places[word].pop()
            common += 1
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends) / common if common else 1.0


class _Table(NamedTuple):
    """The words of sentences as numbers, one sentence after the other."""

    words: NDArray[np.int64]
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]


def _table(sentences: Sequence[Sentence], vocabulary: dict[str, int]) -> _Table:
    lengths = np.array([len(sentence.words) for sentence in sentences], np.int64)
    words = chain.from_iterable(sentence.words for sentence in sentences)
    numbers = np.fromiter(map(vocabulary.__getitem__, words), np.int64, lengths.sum())
    rows = np.repeat(np.arange(len(sentences)), lengths)
    return _Table(numbers, rows, np.cumsum(lengths) - lengths)


def _membership(table: _Table, words: int, sentences: int) -> Matrix:
    members = np.zeros((words, sentences), np.float32)
    members[table.words, table.rows] = 1
    return members


def _spread(members: Matrix, correlated: _Correlated | Matrix | None) -> Matrix:
    """Make words members, to a degree, of sentences with words that correlate with them."""
    if correlated is None:
        return members
    if isinstance(correlated, np.ndarray):
        spread: Matrix = 1 - np.exp(correlated @ members)
        known = min(len(spread), len(members))  # words of the few sentences come first
        spread[:known] = np.maximum(spread[:known], members[:known])
        return spread
    numbers, logs = correlated
    if not len(numbers):
        return members
    words, starts = np.unique(numbers[:, 0], return_index=True)
    sums = np.add.reduceat(logs[:, None] * members[numbers[:, 1]], starts, axis=0)
    spread = members.copy()
    spread[words] = np.maximum(members[words], 1 - np.exp(sums))
    return spread


def _mean(table: _Table, members: Matrix, weights: Matrix) -> Matrix:
    if not len(table.words):
        return np.zeros((len(table.starts), members.shape[1]), np.float32)
    sums = np.add.reduceat(members[table.words] * weights[:, None], table.starts, axis=0)
    return (sums / np.add.reduceat(weights, table.starts)[:, None]).astype(np.float32, copy=False)
