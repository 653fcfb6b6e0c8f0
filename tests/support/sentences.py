"""Sentences for tests: strategies, word models made by hand, and the definition of membership."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from dedup_middleware.similarity.model import Model
from dedup_middleware.similarity.sentences import Sentence
from lab.training import Limits, train

COUNT_ALL = Limits(least_documents=1, copied=2.0)
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


class TableModel(Model):
    """A model in which words occur together as often as a table says: few documents can't do so."""

    factors: dict[tuple[str, str], float]

    def correlations_of(self, words, first, second):
        pairs = zip(np.array(words)[first], np.array(words)[second], strict=True)
        return np.array([self.factors.get(pair, pair[0] == pair[1]) for pair in pairs], np.float32)

    def table(self, words, others):
        found = [[self.factors.get((one, other), 0) for other in others] for one in words]
        return np.array(found, np.float32).reshape(len(words), len(others))

    def closest(self, word, most=5, least=0.0):
        found = [(b, factor) for (a, b), factor in self.factors.items() if a == word]
        return sorted((pair for pair in found if pair[1] >= least), key=lambda one: -one[1])[:most]


def table_model(columns: tuple[str, ...], table: dict[str, tuple[float, ...]]) -> TableModel:
    """Make a model in which words occur together as often as a table says."""
    words = (*columns, *table)
    model = TableModel(
        number=1,
        documents=8,
        words=words,
        frequencies=np.full(len(words), 2, np.uint32),
        grams=np.zeros(1, np.uint32),
        holders=np.full((len(words), 1), 3, np.uint8),
    )
    cells = {
        (row, column): factor
        for row, factors in table.items()
        for column, factor in zip(columns, factors, strict=True)
    }
    vars(model)["factors"] = cells | {(b, a): factor for (a, b), factor in cells.items()}
    return model


def membership(word: str, words: tuple[str, ...], model: Model | None) -> float:
    """Return to what degree a word is a member of a sentence: 1 - Π (1 - c)."""
    if word in words or model is None:
        return float(word in words)
    # different words are never the same
    factors = [min(0.999, model.correlation(word, other)) for other in set(words)]
    return 1 - math.prod(1 - factor for factor in factors)


def naive_share(one: Sentence, other: Sentence, model: Model | None) -> float:
    return sum(membership(word, other.words, model) for word in one.words) / len(one.words)
