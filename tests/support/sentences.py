"""Sentences for tests: strategies, word models made by hand, and the definition of membership."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from dedup_middleware.similarity.model import Model, PairModel
from dedup_middleware.similarity.values import Sentence
from lab.training import Limits, train

COUNT_ALL = Limits(least_together=1, lowest=0.0, highest=0.95, copied=2.0)
WORDS = "sea tide moon boat ice bread lamp hat".split()
SENTENCES = st.builds(
    lambda words, numbers, negated: Sentence(
        "", 0, (*words, *sorted(numbers)), frozenset(numbers), negated
    ),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.sets(st.sampled_from(["3", "40"]), max_size=1),
    st.booleans(),
)
PAGES = st.lists(SENTENCES, max_size=7)
MODELS = st.one_of(
    st.none(),
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=2, max_size=12).map(
        lambda documents: train([[one] for one in documents], limits=COUNT_ALL)
    ),
)


def sentence(*words: str) -> Sentence:
    return Sentence(" ".join(words), 0, words)


def table_model(columns: tuple[str, ...], table: dict[str, tuple[float, ...]]) -> PairModel:
    """Make a model in which words occur together as often as a table says."""
    n = 10**6
    words = (*columns, *table)
    rows: list[list[tuple[int, int]]] = [[] for _ in words]
    for row, factors in enumerate(table.values(), start=len(columns)):
        for column, factor in enumerate(factors):
            together = round(factor * 2 * n / (1 + factor))
            rows[row].append((column, together))
            rows[column].append((row, together))
    pairs = [pair for row in rows for pair in sorted(row)]
    return PairModel(
        number=1,
        documents=4 * n,
        words=words,
        frequencies=np.full(len(words), n, np.uint32),
        starts=np.cumsum([0, *map(len, rows)]),
        neighbours=np.array([neighbour for neighbour, _ in pairs], np.uint32),
        together=np.array([together for _, together in pairs], np.uint32),
        grams=np.zeros(1, np.uint32),
    )


def membership(word: str, words: tuple[str, ...], model: Model | None) -> float:
    """Return to what degree a word is a member of a sentence: 1 - Π (1 - c)."""
    if word in words or model is None:
        return float(word in words)
    return 1 - math.prod(1 - model.correlation(word, other) for other in set(words))


def naive_share(one: Sentence, other: Sentence, model: Model | None, *, weighted: bool) -> float:
    def weight(word: str) -> float:
        return model.weight(word) if model and weighted else 1.0

    total = sum(weight(word) * membership(word, other.words, model) for word in one.words)
    return total / sum(map(weight, one.words))
