"""Falsified and revised text: what is changed, and that all else is as it was."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.copies.falsify import falsify_fact, find_facts, negate
from lab.copies.revise import misspell, revise


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("The harbour is open.", "The harbour is not open."),
        ("The harbour is not open.", "The harbour is open."),
        ("Boats can enter, but they must wait.", "Boats cannot enter, but they must not wait."),
        ("Boats can't enter and won't wait.", "Boats can enter and will wait."),
        ("It doesn't work.", "It does work."),
        ("It helps the town and needs no rest.", "It does not help the town and needs no rest."),
        ("The new ferry uses the old pier.", "The new ferry does not use the old pier."),
        ("Its uses are many.", "Its uses are not many."),
        ("We know that they have left.", "We do not know that they have not left."),
        ("Keep the door shut.", "Do not keep the door shut."),
        ("The town has a harbour.", "The town does not have a harbour."),
        ("The town has built a harbour.", "The town has not built a harbour."),
    ],
)
def test_verbs_are_negated(said, denied):
    assert negate(said) == denied


@pytest.mark.parametrize(
    ("text", "kind", "fact"),
    [
        ("Call +49 30 1234567 now.", "phone", "+49 30 1234567"),
        ("Call (030) 123456 now.", "phone", "(030) 123456"),
        ("Pay to account 4021 7735 10.", "account", "4021 7735 10"),
        ("Pay to DE89 3704 0044 0532 0130 00.", "account", "DE89 3704 0044 0532 0130 00"),
        ("It costs $12.50 today.", "price", "$12.50"),
        ("It costs 30 euros.", "price", "30 euros"),
        ("Debian 11.3 is out.", "version", "11.3"),
        ("Written on May 3, 2021.", "date", "May 3, 2021"),
        ("Written on 2021-05-03.", "date", "2021-05-03"),
        ("Founded in 1993.", "year", "1993"),
    ],
)
def test_facts_are_found(text, kind, fact):
    assert [(one.kind, one.text) for one in find_facts([text])] == [(kind, fact)]


@pytest.mark.parametrize(
    "text",
    ["See Section 5.4.", "At 10.0.0.1/24 and a.b.1.2.", "It takes 20 minutes, or 3.5 % more."],
)
def test_other_numbers_are_no_facts(text):
    assert find_facts([text]) == []


FACTS = ["Call +49 30 1234567.", "It costs 30 euros.", "Version 2.5 is out.", "Founded in 1993."]
TEXTS = st.lists(st.sampled_from([*FACTS, "Nothing is known."]), max_size=6)


@given(TEXTS, st.integers(0, 100))
def test_exactly_one_digit_of_one_fact_is_another(texts, seed):
    found = falsify_fact(texts, Random(seed))
    if found is None:
        assert not set(texts) & set(FACTS[:3])
        return
    fact, made = found
    differ = [place for place, text in enumerate(texts) if made[place] != text]
    assert differ == [fact.paragraph]
    old, new = texts[fact.paragraph], made[fact.paragraph]
    assert len(old) == len(new)
    changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(changed) == 1
    assert all(digit.isdigit() for digit in changed[0])
    assert [one.kind for one in find_facts([new])] == [fact.kind]


@given(st.integers(0, 200))
def test_a_revision_is_nearly_the_same(seed):
    texts = ["Written in May 2021.", "The furnace of the bakery is lit on the first Monday."] * 5
    made = revise(texts, [1, 3, 5, 7, 9], Random(seed))
    assert 2 <= sum(old != new for old, new in zip(texts, made, strict=True)) <= 3
    assert sum("2021" in text for text in made) == 4


def test_nothing_is_misspelt_without_a_long_word():
    assert misspell("It is lit.", Random(1)) == "It is lit."
    assert misspell("aaaaaaa", Random(1)) == "aaaaaaa"
