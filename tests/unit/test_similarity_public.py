"""`sentence_similarity`, as it is called from Python."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import sentence_similarity

SENTENCES = st.lists(
    st.sampled_from("the tide boat not 3 40 Ada came in is no island never 7th".split()), max_size=9
).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_it_is_a_symmetric_share(one, other):
    value = sentence_similarity(one, other)
    assert 0 <= value <= 1
    assert value == pytest.approx(sentence_similarity(other, one), abs=1e-6)
    assert sentence_similarity(one, one) == bool(one)


def test_what_makes_sentences_differ():
    def alike(one: str, other: str) -> float:
        return sentence_similarity(one, other)

    base = "The dog bit the man on the old bridge."
    assert alike(base, "The dog bit the man on an old bridge!") == 1
    assert 0.6 < alike(base, "The man bit the dog on the old bridge.") < 1
    assert 0.6 < alike(base, "The dog did not bite the man on the old bridge.") < 0.9
    assert alike("It costs 40 crowns a day.", "It costs 45 crowns a day.") < 0.7
    assert alike(base, "Copper kettles need strong vinegar.") == 0
    assert alike("", base) == alike(base, "…") == alike("", "") == 0


def test_other_languages():
    german = "Die Fähre blieb wegen des Eises vierzehn Tage lang im Hafen."
    assert sentence_similarity(german, german.replace("lang ", "")) > 0.8
    assert sentence_similarity(german, german.replace("blieb", "blieb nicht")) <= 0.8
    chinese = "月球绕着地球转动，海水因此每天两次涨落。"
    assert sentence_similarity(chinese, chinese) == 1
    assert sentence_similarity(chinese, chinese.replace("两", "三")) < 1
