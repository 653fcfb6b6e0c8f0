"""Fuzzy overlap of sentences: examples of the thesis, and vectorised steps against plain loops."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware.similarity.matching import (
    SentenceTest,
    match,
    order_share,
    penalised,
    shares,
    similarity,
)
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.sentences import Sentence
from tests.support.sentences import (
    MODELS,
    PAGES,
    membership,
    naive_share,
    sentence,
    table_model,
)

CLOSE = 0.0015
GLOBAL = ("global", "aid", "tsunami", "rise")
INTERNATIONAL = ("international", "community", "increase", "disaster")
FIRST_TABLE = {  # 3.3 of the thesis
    "international": (0.800, 0.496, 0.579, 0.177),
    "community": (0.430, 0.771, 0.117, 0.334),
    "increase": (0.123, 0.643, 0.661, 0.900),
    "disaster": (0.611, 0.414, 0.900, 0.394),
}
PLEASE = ("please", "hesitate", "contact")
REACH = ("reach", "phone")
SECOND_TABLE = {"reach": (0.059, 0.038, 0.683), "phone": (0.058, 0.036, 0.593)}  # 3.4


def test_the_similar_sentences_of_the_thesis():
    model = table_model(GLOBAL, FIRST_TABLE)
    assert model.correlation("rise", "increase") == pytest.approx(0.9, abs=1e-6)
    rows = [membership(word, GLOBAL, model) for word in INTERNATIONAL]
    assert rows == pytest.approx([0.965, 0.923, 0.989, 0.986], abs=CLOSE)
    columns = [membership(word, INTERNATIONAL, model) for word in GLOBAL]
    assert columns == pytest.approx([0.961, 0.976, 0.987, 0.967], abs=CLOSE)
    one, other = sentence(*GLOBAL), sentence(*INTERNATIONAL)
    found = shares([one], [other], model)
    assert float(found.of_first[0, 0]) == pytest.approx(0.973, abs=CLOSE)
    assert float(found.of_second[0, 0]) == pytest.approx(0.966, abs=CLOSE)
    test = SentenceTest("thesis", model)
    assert similarity(one, other, test) == pytest.approx(0.966, abs=CLOSE)
    assert similarity(other, one, test) == pytest.approx(0.966, abs=CLOSE)
    assert match([one], [other], test).first[0].place == 0
    assert similarity(one, other, SentenceTest("thesis")) == 0, "no word is the same"


def test_the_different_sentences_of_the_thesis():
    model = table_model(PLEASE, SECOND_TABLE)
    columns = [membership(word, REACH, model) for word in PLEASE]
    assert columns == pytest.approx([0.113, 0.073, 0.871], abs=CLOSE)  # .865 there is a slip
    rows = [membership(word, PLEASE, model) for word in REACH]
    assert rows == pytest.approx([0.713, 0.630], abs=CLOSE)
    one, other = sentence(*PLEASE), sentence(*REACH)
    found = shares([one], [other], model)
    assert float(found.of_first[0, 0]) == pytest.approx(0.35, abs=0.005)
    assert float(found.of_second[0, 0]) == pytest.approx(0.67, abs=0.005)
    test = SentenceTest("thesis", model)
    assert similarity(one, other, test) == 0
    assert match([one], [other], test).pairs == ()


def common(size: int, shared: int, other: int) -> tuple[Sentence, Sentence]:
    """Make two sentences of given sizes that share so many words."""
    both = [f"w{n}" for n in range(shared)]
    return (
        sentence(*both, *(f"a{n}" for n in range(size - shared))),
        sentence(*both, *(f"b{n}" for n in range(other - shared))),
    )


@pytest.mark.parametrize(
    ("size", "shared", "other", "same"),
    [
        (40, 33, 40, True),  # .825 and .825
        (200, 164, 200, False),  # .82
        (17, 17, 20, True),  # 1 and .85: as different as they may be
        (21, 21, 25, False),  # 1 and .84: too different
        (60, 60, 71, False),  # 1 and .845
        (10, 9, 10, True),
        (10, 8, 10, False),
        (9, 8, 9, True),
        (7, 7, 10, False),  # 1 and .7: neither
    ],
)
def test_sentences_are_equal_by_the_thesis_only_if_both_conditions_hold(size, shared, other, same):
    one, two = common(size, shared, other)
    test = SentenceTest("thesis")
    lower = min(shared / size, shared / other)
    for first, second in ((one, two), (two, one)):
        found = similarity(first, second, test)
        assert found == (pytest.approx(lower, abs=1e-6) if same else 0)
        assert bool(match([first], [second], test).pairs) is same


@given(PAGES, PAGES, MODELS)
@settings(max_examples=80)
def test_shares_are_those_of_two_loops(first, second, model):
    found = shares(first, second, model)
    assert found.of_first.shape == found.of_second.shape == (len(first), len(second))
    for (i, one), (j, other) in product(enumerate(first), enumerate(second)):
        mine = naive_share(one, other, model)
        theirs = naive_share(other, one, model)
        assert float(found.of_first[i, j]) == pytest.approx(mine, abs=1e-5)
        assert float(found.of_second[i, j]) == pytest.approx(theirs, abs=1e-5)


def test_a_word_of_the_model_is_a_member_to_a_degree():
    model = table_model(GLOBAL, FIRST_TABLE)
    assert membership("rise", ["increase"], model) == pytest.approx(0.9, abs=1e-6)
    assert membership("rise", ["rise", "increase"], model) == 1
    assert membership("rise", ["unknown"], model) == membership("unknown", ["rise"], model) == 0
    assert membership("rise", ["increase", "increase"], model) == pytest.approx(0.9, abs=1e-6)
    assert membership("rise", ["rise"], None) == 1
    assert membership("rise", ["increase"], None) == membership("rise", [], None) == 0


def test_other_numbers_make_sentences_less_alike():
    one = sentence_of("The ferry to the island left the old harbour at 9.", "en")
    other = sentence_of("The ferry to the island left the old harbour at 10.", "en")
    none = sentence_of("The ferry to the island left the old harbour early.", "en")
    test = SentenceTest()
    overlap = similarity(one, other, SentenceTest("overlap"))
    assert similarity(one, other, test) == pytest.approx(0.8 * overlap)
    assert similarity(one, none, test) == similarity(one, none, SentenceTest("overlap"))
    assert penalised(overlap, one, other._replace(negated=True)) == pytest.approx(0.64 * overlap)


def test_order_counts_more_the_more_is_shared():
    one = sentence("dog", "bite", "man")
    assert similarity(one, sentence("man", "bite", "dog"), SentenceTest()) == pytest.approx(2 / 3)
    assert similarity(one, sentence("man", "bite", "dog"), SentenceTest("overlap")) == 1
    assert penalised(0.2, one, sentence("man", "x", "dog")) == pytest.approx(
        0.2 * (1 - 0.5 * 0.04 / 2)
    )


@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(0, 7), st.integers(0, 7))
def test_order_is_the_longest_ascending_sequence(first, second, some, others):
    one, other = list(map(str, first[:some])), list(map(str, second[:others]))
    common = [word for word in one if word in other]
    longest = next(
        size
        for size in range(len(common), -1, -1)
        for chosen in combinations(common, size)
        if [other.index(word) for word in chosen] == sorted(other.index(word) for word in chosen)
    )
    assert order_share(one, other) == (longest / len(common) if common else 1)


def test_order_of_words_that_repeat():
    assert order_share("a b a".split(), "a b a".split()) == 1
    assert order_share("a a b".split(), "b a a".split()) == pytest.approx(2 / 3)
    assert order_share([], ["a"]) == order_share(["a"], ["b"]) == 1
