"""Sentences compared: the worked examples of the thesis, and two loops for each vectorised step."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Page, compare
from dedup_middleware.lab.training import Limits, train
from dedup_middleware.similarity import matching, odds_ratio
from dedup_middleware.similarity.fuzzy import alike, order, shares
from dedup_middleware.similarity.matching import grams, least_frequent, match, similarity
from dedup_middleware.similarity.model import Model
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.values import Sentence

CLOSE = 0.0015
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


def membership(word: str, words: tuple[str, ...], model: Model | None) -> float:
    """Tell to what degree a word is a member of a sentence: 1 - Π (1 - c)."""
    if word in words or model is None:
        return float(word in words)
    return 1 - math.prod(1 - model.correlation(word, other) for other in set(words))


def sentence(*words: str) -> Sentence:
    return Sentence(" ".join(words), 0, words)


def said(text: str) -> Sentence:
    return sentence_of(text, "en")


def table_model(columns: tuple[str, ...], table: dict[str, tuple[float, ...]]) -> Model:
    """Make a model in which words stand together just as often as a table says."""
    n = 10**6
    words = (*columns, *table)
    rows: list[list[tuple[int, int]]] = [[] for _ in words]
    for row, factors in enumerate(table.values(), start=len(columns)):
        for column, factor in enumerate(factors):
            together = round(factor * 2 * n / (1 + factor))
            rows[row].append((column, together))
            rows[column].append((row, together))
    pairs = [pair for row in rows for pair in sorted(row)]
    return Model(
        number=1,
        documents=4 * n,
        words=words,
        frequencies=np.full(len(words), n, np.uint32),
        starts=np.cumsum([0, *map(len, rows)]),
        neighbours=np.array([neighbour for neighbour, _ in pairs], np.uint32),
        together=np.array([together for _, together in pairs], np.uint32),
        grams=np.zeros(1, np.uint32),
    )


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
    test = matching.Test("thesis", model)
    assert similarity(one, other, test) == pytest.approx(0.966, abs=CLOSE)
    assert similarity(other, one, test) == pytest.approx(0.966, abs=CLOSE)
    assert match([one], [other], test).first[0].place == 0
    assert similarity(one, other, matching.Test("thesis")) == 0, "no word is the same"


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
    test = matching.Test("thesis", model)
    assert similarity(one, other, test) == 0
    assert match([one], [other], test).pairs == ()


def common(size: int, shared: int, other: int) -> tuple[Sentence, Sentence]:
    """Make sentences of so many words, of which so many are the same."""
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
        (17, 17, 20, True),  # 1 and .85: as far apart as they may be
        (21, 21, 25, False),  # 1 and .84: too far apart
        (60, 60, 71, False),  # 1 and .845
        (10, 9, 10, True),
        (10, 8, 10, False),
        (9, 8, 9, True),
        (7, 7, 10, False),  # 1 and .7: neither
    ],
)
def test_sentences_are_equal_by_the_thesis_only_if_both_conditions_hold(size, shared, other, same):
    one, two = common(size, shared, other)
    test = matching.Test("thesis")
    lower = min(shared / size, shared / other)
    for first, second in ((one, two), (two, one)):
        found = similarity(first, second, test)
        assert found == (pytest.approx(lower, abs=1e-6) if same else 0)
        assert bool(match([first], [second], test).pairs) is same


def naive_share(one: Sentence, other: Sentence, model: Model | None, *, weighted: bool) -> float:
    def weight(word: str) -> float:
        return model.weight(word) if model and weighted else 1.0

    total = sum(weight(word) * membership(word, other.words, model) for word in one.words)
    return total / sum(map(weight, one.words))


@given(PAGES, PAGES, MODELS, st.booleans())
@settings(max_examples=80)
def test_shares_are_those_of_two_loops(first, second, model, weighted):
    found = shares(first, second, model, weighted=weighted)
    assert found.of_first.shape == found.of_second.shape == (len(first), len(second))
    for (i, one), (j, other) in product(enumerate(first), enumerate(second)):
        mine = naive_share(one, other, model, weighted=weighted)
        theirs = naive_share(other, one, model, weighted=weighted)
        assert float(found.of_first[i, j]) == pytest.approx(mine, abs=1e-5)
        assert float(found.of_second[i, j]) == pytest.approx(theirs, abs=1e-5)


def naive_similarity(one: Sentence, other: Sentence, name: str, model: Model | None) -> float:
    """Compare two sentences by the definition; 0 below what counts as the same."""
    if one.words == other.words and (name == "thesis" or one.negated == other.negated):
        return 1.0
    mine = naive_share(one, other, model, weighted=name == "fuzzy")
    theirs = naive_share(other, one, model, weighted=name == "fuzzy")
    if name == "thesis":
        same = min(mine, theirs) >= 0.825 - 1e-6 and abs(mine - theirs) <= 0.15 + 1e-6
        return min(mine, theirs) if same else 0.0
    overlap = math.sqrt(mine * theirs)
    if name == "overlap":
        return overlap
    value = overlap * (1 - 0.5 * overlap**2 * (1 - order(one.words, other.words)))
    value *= 0.8 if one.numbers - other.numbers and other.numbers - one.numbers else 1
    return value * (0.8 if one.negated != other.negated else 1)


def is_unsure(value: float) -> bool:
    """Tell whether rounding decides if two sentences are the same."""
    return abs(value - 0.6) < 1e-4 or abs(value - 0.825) < 1e-4


@given(PAGES, PAGES, MODELS, st.sampled_from(["fuzzy", "overlap", "thesis"]))
@settings(max_examples=150)
def test_each_sentence_finds_the_partner_that_two_loops_find(first, second, model, name):
    found = match(first, second, matching.Test(name, model))
    assert found.cut == (0, 0)
    for mine, theirs, partners in ((first, second, found.first), (second, first, found.second)):
        assert len(partners) == len(mine)
        for one, partner in zip(mine, partners, strict=True):
            values = [naive_similarity(one, other, name, model) for other in theirs]
            best = max(values, default=0.0)
            if is_unsure(best):
                continue
            if best < 0.6:
                assert partner == (-1, 0)
                continue
            assert partner.similarity == pytest.approx(best, abs=1e-4)
            assert values[partner.place] == pytest.approx(best, abs=1e-4)


@given(PAGES, PAGES, MODELS)
@settings(max_examples=80)
def test_by_fourgrams_sentences_are_the_same_if_their_rarest_are(first, second, model):
    counts = Counter(gram for one in (*first, *second) for gram in grams(one.words))
    frequency = model.gram_frequency if model else counts.__getitem__
    found = match(first, second, matching.Test("fourgrams", model))
    for mine, theirs, partners in ((first, second, found.first), (second, first, found.second)):
        there = [least_frequent(other.words, frequency) for other in theirs]
        for one, partner in zip(mine, partners, strict=True):
            representation = least_frequent(one.words, frequency)
            assert (partner.place >= 0) is (representation in there)
            if partner.place >= 0:
                assert partner.similarity == 1
                assert there[partner.place] == representation


def test_the_fourgrams_of_the_thesis():
    """With all grams equally rare the first three stand for the sentence: nove ovel velc."""
    one, other = sentence("novel", "creations"), sentence("novel", "claims")
    assert grams(one.words) == "nove ovel velc elcr lcre crea reat eati atio tion ions".split()
    model = table_model(PLEASE, SECOND_TABLE)
    assert match([one], [sentence("novelcre")], matching.Test("fourgrams", model)).pairs
    assert match([one], [other], matching.Test("fourgrams", model)).pairs, "a false positive"
    assert not match([one], [other], matching.Test("fourgrams")).pairs, "others are rarer here"


@given(SENTENCES, SENTENCES, MODELS, st.sampled_from(["fuzzy", "overlap", "thesis"]))
@settings(max_examples=80)
def test_similarity_is_symmetric_and_a_share(one, other, model, name):
    test = matching.Test(name, model)
    value = similarity(one, other, test)
    assert 0 <= value <= 1 + 1e-6
    assert value == pytest.approx(similarity(other, one, test), abs=1e-6)
    assert similarity(one, one, test) == 1
    assert similarity(one, replace_words(one), test) == similarity(replace_words(one), one, test)


def replace_words(one: Sentence) -> Sentence:
    return one._replace(words=())


@given(st.lists(st.sampled_from([("a",), ("b", "c"), ("d",)]), max_size=8), st.integers(1, 4))
def test_equal_sentences_pair_in_their_order(page, copies):
    """The k-th with the k-th; what repeats more often than in the other page, with the last."""
    first, second = [sentence(*words) for words in page], [sentence("a")] * copies
    found = match(first, second, matching.Test())
    expected = iter([*range(copies), *[copies - 1] * 8])
    for one, partner in zip(first, found.first, strict=True):
        if one.words == ("a",):
            assert partner == (next(expected), 1.0)
        else:
            assert partner == (-1, 0)
    itself = match(first, first, matching.Test())
    assert [partner.place for partner in itself.first] == list(range(len(first)))
    assert [(pair.first, pair.second) for pair in itself.pairs] == [
        (place, place) for place in range(len(first))
    ]


@pytest.mark.parametrize("name", ["fuzzy", "overlap"])
def test_a_negated_sentence_is_not_the_same(name):
    yes, no = said("The harbour is open in winter."), said("The harbour is not open in winter.")
    assert yes.words == no.words
    found = match([yes, no], [no, yes], matching.Test(name))
    assert [partner.place for partner in found.first] == [1, 0]
    alone = match([yes], [no], matching.Test(name)).first[0]
    if name == "fuzzy":
        assert alone.similarity == pytest.approx(0.8)
        assert similarity(yes, no, matching.Test()) == pytest.approx(0.8)


def test_other_numbers_make_sentences_less_alike():
    one = said("The ferry to the island left the old harbour at 9.")
    other = said("The ferry to the island left the old harbour at 10.")
    none = said("The ferry to the island left the old harbour early.")
    test = matching.Test()
    overlap = similarity(one, other, matching.Test("overlap"))
    assert similarity(one, other, test) == pytest.approx(0.8 * overlap)
    assert similarity(one, none, test) == similarity(one, none, matching.Test("overlap"))
    assert alike(one, other._replace(negated=True), overlap) == pytest.approx(0.64 * overlap)


def test_order_counts_more_the_more_is_shared():
    one = sentence("dog", "bite", "man")
    assert similarity(one, sentence("man", "bite", "dog"), matching.Test()) == pytest.approx(2 / 3)
    assert similarity(one, sentence("man", "bite", "dog"), matching.Test("overlap")) == 1
    assert alike(one, sentence("man", "x", "dog"), 0.2) == pytest.approx(0.2 * (1 - 0.5 * 0.04 / 2))


def test_the_work_is_bounded_and_what_was_cut_is_told(monkeypatch):
    first = [sentence(f"a{n}", f"b{n}", f"c{n}") for n in range(20)]
    second = [sentence(f"a{n}", f"b{n}", f"d{n}", f"e{n}") for n in range(20)]
    monkeypatch.setattr(matching, "MOST_STEPS", 800)
    found = match([*first, second[3]], second, matching.Test())
    assert found.cut == (10, 7)  # 800 steps: 10 times all 80 words there, or 12 times 64
    assert found.first[20] == (3, 1.0), "equal ones cost nothing"


def test_blocks_add_up(monkeypatch):
    rng = np.random.default_rng(4)
    first, second = (
        [sentence(*(WORDS[k] for k in rng.integers(0, len(WORDS), 5))) for _ in range(40)]
        for _ in "ab"
    )
    whole = match(first, second, matching.Test())
    monkeypatch.setattr(matching, "BLOCK_STEPS", 300)
    assert match(first, second, matching.Test()) == whole


def test_no_sentences():
    one = [sentence("sea")]
    for name in matching.TESTS:
        test = matching.Test(name)
        assert match([], [], test).pairs == ()
        assert match(one, [], test).first == [(-1, 0)]
        assert match([], one, test).second == [(-1, 0)]
    assert similarity(one[0], sentence(), matching.Test()) == 0


def nonsense(name: str, count: int) -> list[str]:
    return [f"{name}{n}a {name}{n}b {name}{n}c." for n in range(count)]


def test_the_document_overlap_of_the_thesis():
    """12 common sentences of 32 and of 21."""
    both = nonsense("Both", 12)
    one = Page(url="a", text="\n\n".join([*both, *nonsense("One", 20)]))
    other = Page(url="b", text="\n\n".join([*nonsense("Two", 9), *both]))
    found = compare(one, other).found
    assert [round(share, 2) for share in found.overlap] == [0.38, 0.57]
    assert found.rs == found.overlap == (12 / 32, 12 / 21)
    assert found.odds_ratio == pytest.approx(12 * 12 / (32 * 21 - 12 * 12))
    assert found.in_order == (1, 1)
    assert tuple(map(len, found.new)) == (20, 9)
    assert found.new[0] == tuple(range(12, 32))


@pytest.mark.parametrize(
    ("one", "other", "odds"),
    [
        (0.9, 0.9, 4.26),
        (0.1, 0.9, 0.099),
        (0.91, 0.98, 8.24),
        (0.93, 0.97, 9.21),
        (1, 1, 100),
        (0.999, 1, 100),
        (0, 1, 0),
    ],
)
def test_the_odds_of_the_thesis(one, other, odds):
    assert odds_ratio(one, other) == odds_ratio(other, one) == pytest.approx(odds, abs=0.005)


def test_a_sentence_that_repeats_counts_once():
    tide, moon, ice = "The tide came in.", "A moon rose over hills.", "Thick ice broke up."
    found = compare(
        Page(url="a", text=f"{tide} {tide} {moon}"),
        Page(url="b", text=f"{tide} {tide} {tide} {tide} {ice} {ice}"),
    )
    assert found.rs == (2 / 3, 4 / 6)
    assert found.found.odds_ratio == pytest.approx((4 / 9) / (5 / 9))
    assert all(share <= 1 for share in (*found.tree, *found.found.best_match, *found.known))


def test_a_word_of_the_model_is_a_member_to_a_degree():
    model = table_model(GLOBAL, FIRST_TABLE)
    assert membership("rise", ["increase"], model) == pytest.approx(0.9, abs=1e-6)
    assert membership("rise", ["rise", "increase"], model) == 1
    assert membership("rise", ["unknown"], model) == membership("unknown", ["rise"], model) == 0
    assert membership("rise", ["increase", "increase"], model) == pytest.approx(0.9, abs=1e-6)
    assert membership("rise", ["rise"], None) == 1
    assert membership("rise", ["increase"], None) == membership("rise", [], None) == 0


def test_rare_words_weigh_more():
    model = replace(
        table_model(GLOBAL, FIRST_TABLE), frequencies=np.array([3 * 10**6] + [10**6] * 7, np.uint32)
    )
    one = sentence("global", "aid")
    plain = shares([one], [sentence("aid")], weighted=False).of_first[0, 0]
    heavy = shares([one], [sentence("aid")], model, weighted=True).of_first[0, 0]
    light = shares([one], [sentence("global")], model, weighted=True).of_first[0, 0]
    assert light < plain < heavy
