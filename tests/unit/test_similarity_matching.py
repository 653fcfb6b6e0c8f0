"""Matching of sentences: each finds the partner that plain loops find, within bounded work."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware.similarity import matching
from dedup_middleware.similarity.matching import (
    SentenceTest,
    grams,
    least_frequent,
    match,
    order_share,
    similarity,
)
from dedup_middleware.similarity.model import Model
from dedup_middleware.similarity.prepared import sentence_of
from dedup_middleware.similarity.sentences import Sentence
from tests.support import pairing
from tests.support.pairing import match_plain
from tests.support.sentences import (
    MODELS,
    PAGES,
    SENTENCES,
    WORDS,
    naive_share,
    sentence,
    table_model,
)


def naive_similarity(one: Sentence, other: Sentence, name: str, model: Model | None) -> float:
    """Compare two sentences by the definition; 0 below what counts as the same."""
    if one.words == other.words and (name == "thesis" or one.negated == other.negated):
        return 1.0
    mine = naive_share(one, other, model)
    theirs = naive_share(other, one, model)
    if name == "thesis":
        same = min(mine, theirs) >= 0.825 - 1e-6 and abs(mine - theirs) <= 0.15 + 1e-6
        return min(mine, theirs) if same else 0.0
    overlap = math.sqrt(mine * theirs)
    if name == "overlap":
        return overlap
    value = overlap * (1 - 0.5 * overlap**2 * (1 - order_share(one.words, other.words)))
    value *= 0.8 if one.numbers - other.numbers and other.numbers - one.numbers else 1
    return value * (0.8 if one.negated != other.negated else 1)


def is_unsure(value: float) -> bool:
    """Return True if rounding decides whether two sentences are the same."""
    return abs(value - 0.6) < 1e-4 or abs(value - 0.825) < 1e-4


@given(PAGES, PAGES, MODELS, st.sampled_from(["fuzzy", "overlap", "thesis"]))
@settings(max_examples=150)
def test_each_sentence_finds_the_partner_that_two_loops_find(first, second, model, name):
    model = model if name == "thesis" else None
    find = match if name == "thesis" else match_plain
    found = find(first, second, SentenceTest(name, model))
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


@given(SENTENCES, SENTENCES, MODELS, st.sampled_from(["fuzzy", "overlap", "thesis"]))
@settings(max_examples=80)
def test_similarity_is_symmetric_and_a_share(one, other, model, name):
    test = SentenceTest(name, model)
    value = similarity(one, other, test)
    assert 0 <= value <= 1 + 1e-6
    assert value == pytest.approx(similarity(other, one, test), abs=1e-6)
    assert similarity(one, one, test) == 1
    empty = one._replace(words=())
    assert similarity(one, empty, test) == similarity(empty, one, test)


@given(st.lists(st.sampled_from([("a",), ("b", "c"), ("d",)]), max_size=8), st.integers(1, 4))
def test_equal_sentences_pair_in_their_order(page, copies):
    """The k-th with the k-th; those that the other page has fewer of, with its last."""
    first, second = [sentence(*words) for words in page], [sentence("a")] * copies
    found = match_plain(first, second, SentenceTest())
    expected = iter([*range(copies), *[copies - 1] * 8])
    for one, partner in zip(first, found.first, strict=True):
        if one.words == ("a",):
            assert partner == (next(expected), 1.0)
        else:
            assert partner == (-1, 0)
    itself = match_plain(first, first, SentenceTest())
    assert [partner.place for partner in itself.first] == list(range(len(first)))
    assert [(pair.first, pair.second) for pair in itself.pairs] == [
        (place, place) for place in range(len(first))
    ]


@pytest.mark.parametrize("name", ["fuzzy", "overlap"])
def test_a_negated_sentence_is_not_the_same(name):
    yes = sentence_of("The harbour is open in winter.", "en")
    no = sentence_of("The harbour is not open in winter.", "en")
    assert yes.words == no.words
    found = match_plain([yes, no], [no, yes], SentenceTest(name))
    assert [partner.place for partner in found.first] == [1, 0]
    alone = match_plain([yes], [no], SentenceTest(name)).first[0]
    if name == "fuzzy":
        assert alone.similarity == pytest.approx(0.8)
        assert similarity(yes, no, SentenceTest()) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("words", "rare", "expected"),
    [
        (["novel", "creations"], {}, "noveovelvelc"),
        (["novel", "creations"], {"ions": 0, "elcr": 1, "crea": 2}, "elcrcreaions"),
        (["novel", "creations"], {"tion": 3, "ions": 3}, "novetionions"),
        (["aaaaaaaa"], {}, "aaaa"),
        (["ab", "c"], {}, "abc"),
        (["abcd"], {}, "abcd"),
        (["漢字", "字"], {}, "漢字字"),
        ([], {}, ""),
    ],
)
def test_a_sentence_is_represented_by_its_rarest_grams(words, rare, expected):
    assert least_frequent(words, lambda gram: rare.get(gram, 9)) == expected


@given(PAGES, PAGES, MODELS)
@settings(max_examples=80)
def test_by_fourgrams_sentences_are_the_same_if_their_rarest_are(first, second, model):
    counts = Counter(gram for one in (*first, *second) for gram in grams(one.words))
    frequency = model.gram_frequency if model else counts.__getitem__
    found = match(first, second, SentenceTest("fourgrams", model))
    for mine, theirs, partners in ((first, second, found.first), (second, first, found.second)):
        there = [least_frequent(other.words, frequency) for other in theirs]
        for one, partner in zip(mine, partners, strict=True):
            representation = least_frequent(one.words, frequency)
            assert (partner.place >= 0) is (representation in there)
            if partner.place >= 0:
                assert partner.similarity == 1
                assert there[partner.place] == representation


def test_the_fourgrams_of_the_thesis():
    """With all grams equally rare the first three represent the sentence: nove ovel velc."""
    one, other = sentence("novel", "creations"), sentence("novel", "claims")
    assert grams(one.words) == "nove ovel velc elcr lcre crea reat eati atio tion ions".split()
    model = table_model(("sea",), {"tide": (0.5,)})  # counts no 4-grams
    assert match([one], [sentence("novelcre")], SentenceTest("fourgrams", model)).pairs
    assert match([one], [other], SentenceTest("fourgrams", model)).pairs, "a false positive"
    assert not match([one], [other], SentenceTest("fourgrams")).pairs, "others are rarer here"


def test_the_work_is_bounded_and_what_was_cut_is_counted(monkeypatch):
    first = [sentence(f"a{n}", f"b{n}", f"c{n}") for n in range(20)]
    second = [sentence(f"a{n}", f"b{n}", f"d{n}", f"e{n}") for n in range(20)]
    monkeypatch.setattr(pairing, "MOST_STEPS", 25)
    found = match_plain([*first, second[3]], second, SentenceTest())
    assert found.cut == (8, 7)  # 25 steps: 12 times two words, each in one sentence there
    assert found.first[20] == (3, 1.0), "equal ones cost nothing"


def test_with_a_model_the_work_is_bounded_too(monkeypatch):
    model = table_model(("sea",), {"tide": (0.5,)})
    first = [sentence(f"a{n}", f"b{n}", f"c{n}") for n in range(20)]
    second = [sentence(f"a{n}", f"b{n}", f"d{n}", f"e{n}") for n in range(20)]
    monkeypatch.setattr(matching, "MOST_STEPS", 800)
    found = match([*first, second[3]], second, SentenceTest("thesis", model))
    assert found.cut == (10, 7)  # 800 steps: 10 times all 80 words there, or 12 times 64


def test_blocks_add_up(monkeypatch):
    rng = np.random.default_rng(4)
    first, second = (
        [sentence(*(WORDS[k] for k in rng.integers(0, len(WORDS), 5))) for _ in range(40)]
        for _ in "ab"
    )
    test = SentenceTest("thesis")
    whole = match(first, second, test)
    monkeypatch.setattr(matching, "BLOCK_STEPS", 300)
    assert match(first, second, test) == whole


def test_no_sentences():
    one = [sentence("sea")]
    for name in matching.TESTS:
        test = SentenceTest(name)
        find = match if test.is_published else match_plain
        assert find([], [], test).pairs == ()
        assert find(one, [], test).first == [(-1, 0)]
        assert find([], one, test).second == [(-1, 0)]
    assert similarity(one[0], sentence(), SentenceTest()) == 0
