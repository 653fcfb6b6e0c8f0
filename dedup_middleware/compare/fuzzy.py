"""How alike two sentences are: all sentences of one page against all of another."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .model import Model
    from .values import Sentence

    Matrix = NDArray[np.float32]

DISORDER = 0.5
OTHER_FACTS = 0.8


class Shares(NamedTuple):
    """For each pair of sentences, how much of the one is meant by the other; a row a sentence."""

    of_first: Matrix
    of_second: Matrix


def shares(
    first: Sequence[Sentence],
    second: Sequence[Sentence],
    model: Model | None = None,
    *,
    weighted: bool = False,
) -> Shares:
    """Take the mean membership of each sentence's words in each sentence of the other side.

    A word is a member of a sentence that has it, and with a model, to a degree, of one that has
    words which often stand in the same documents. Rare words weigh more if `weighted`.
    """
    vocabulary: dict[str, int] = defaultdict(count().__next__)
    one = _table(first, vocabulary)
    other = _table(second, vocabulary)
    weights = np.ones(len(vocabulary), np.float32)
    if model and weighted:
        weights = np.array([model.weight(word) for word in vocabulary], np.float32)
    in_first = _membership(one, len(vocabulary), len(first))
    in_second = _membership(other, len(vocabulary), len(second))
    if model:
        correlated = _correlated(list(vocabulary), vocabulary, model)
        in_first, in_second = _spread(in_first, correlated), _spread(in_second, correlated)
    return Shares(_mean(one, in_second, weights), _mean(other, in_first, weights).T)


def alike(first: Sentence, second: Sentence, overlap: float) -> float:
    """Lower the overlap of two sentences where order, numbers or a negation tell them apart.

    >>> from .values import Sentence
    >>> one, two = Sentence("", 0, ("dog", "bite", "man")), Sentence("", 0, ("man", "bite", "dog"))
    >>> alike(one, one, 1.0), round(alike(one, two, 1.0), 2)
    (1.0, 0.67)
    """
    similarity = overlap
    if overlap > 0 and first.words != second.words:
        # the more two sentences share, the more the order of it says
        disorder = 1 - order(first.words, second.words)
        similarity *= 1 - DISORDER * overlap**2 * disorder
    if first.numbers - second.numbers and second.numbers - first.numbers:
        similarity *= OTHER_FACTS
    if first.negated != second.negated:
        similarity *= OTHER_FACTS
    return similarity


def order(first: Sequence[str], second: Sequence[str]) -> float:
    """Give the share of the common words that stand in the same order in both.

    >>> order("a b c d".split(), "x a c b d".split())
    0.75
    """
    places: dict[str, list[int]] = {}
    for place in range(len(second) - 1, -1, -1):
        places.setdefault(second[place], []).append(place)
    common = 0
    ends: list[int] = []  # the lowest last place of an ascending row, by its length
    for word in first:
        if places.get(word):
            place = places[word].pop()
            common += 1
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends) / common if common else 1.0


def membership(word: str, words: Sequence[str], model: Model | None) -> float:
    """Tell to what degree a word is a member of a sentence: 1 - Π (1 - c)."""
    if word in words or model is None:
        return float(word in words)
    return 1 - math.prod(1 - model.correlation(word, other) for other in set(words))


class _Table(NamedTuple):
    """The words of sentences as numbers, one after the other."""

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


def _correlated(
    words: list[str], vocabulary: dict[str, int], model: Model
) -> list[tuple[int, NDArray[np.int64], Matrix]]:
    """List the words that have correlated words among these: which, and ln(1 - c) of each."""
    found: list[tuple[int, NDArray[np.int64], Matrix]] = []
    for number, word in enumerate(words):
        closest = model.closest(word, len(vocabulary))
        near = [(vocabulary[other], factor) for other, factor in closest if other in vocabulary]
        if near:
            others, factors = zip(*near, strict=True)
            found.append((number, np.array(others), np.log1p(-np.array(factors, np.float32))))
    return found


def _spread(members: Matrix, correlated: list[tuple[int, NDArray[np.int64], Matrix]]) -> Matrix:
    spread = members.copy()
    for word, others, logs in correlated:
        np.maximum(spread[word], 1 - np.exp(logs @ members[others]), out=spread[word])
    return spread


def _mean(table: _Table, members: Matrix, weights: Matrix) -> Matrix:
    if not len(table.words):
        return np.zeros((len(table.starts), members.shape[1]), np.float32)
    own = weights[table.words]
    sums = np.add.reduceat(members[table.words] * own[:, None], table.starts, axis=0)
    return (sums / np.add.reduceat(own, table.starts)[:, None]).astype(np.float32, copy=False)
