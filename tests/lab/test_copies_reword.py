"""Reworded text: the same facts in other words, in sentences that can be read."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import DedupError
from lab.copies import load
from lab.copies.clauses import swap_short_forms, to_passive, turn_clauses
from lab.copies.inflection import inflect
from lab.copies.reword import Rewriter, fix_articles
from tests.support.wordnet import write_wordnet


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    return load(write_wordnet(tmp_path_factory.mktemp("wordnet")))


def test_synonyms_are_single_words_without_capitals(lexicon):
    assert lexicon.synonyms["harbour", "n"] == ("haven",)
    assert lexicon.synonyms["begin", "v"] == ("start", "commence")
    assert lexicon.synonyms["furious", "a"] == ("angry",)
    assert lexicon.synonyms["ship", "n"] == ()
    assert lexicon.synonyms["paris", "n"] == ()
    assert "paris" not in lexicon.lower_case


@pytest.mark.parametrize(
    ("base", "form", "part", "said"),
    [
        ("tempest", "s", "n", "tempests"),
        ("man", "s", "n", None),
        ("copy", "s", "v", "copies"),
        ("raise", "past", "v", "raised"),
        ("halt", "past", "v", "halted"),
        ("stop", "past", "v", "stopped"),
        ("begin", "past", "v", None),
        ("put", "past", "v", None),
        ("raise", "ing", "v", "raising"),
        ("tie", "ing", "v", "tying"),
        ("large", "compared", "a", None),
    ],
)
def test_forms_follow_rules_or_are_not_used(lexicon, base, form, part, said):
    assert inflect(base, form, part, lexicon) == said


@pytest.mark.parametrize(
    ("said", "reworded"),
    [
        ("The tide lifted the big boats.", "The large boats were raised by the tide."),
        ("When the storm began, 3 boats left.", "3 boats left when the tempest started."),
        ("It is not a big harbour.", "It's not a large haven."),
        ("In Paris, storms begin quickly.", "In Paris, tempests start rapidly."),
        (
            "For example, Angry Boats Ltd. owns two harbours.",
            "For instance, Angry Boats Ltd. owns 2 havens.",
        ),
    ],
)
def test_sentences_are_reworded(lexicon, said, reworded):
    assert Rewriter(lexicon, Random(1)).sentence(said) == reworded


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("When the tide comes in, all boats rise.", "All boats rise when the tide comes in."),
        ("The boats stay at sea if a storm comes.", "If a storm comes, the boats stay at sea."),
        ("It is good, but it is not cheap.", "Although it is good, it is not cheap."),
        ("The bread is sold, so the baker goes.", "Since the bread is sold, the baker goes."),
    ],
)
def test_clauses_change_places(lexicon, said, turned):
    assert turn_clauses(said, lexicon) == turned


@pytest.mark.parametrize(
    "said",
    [
        "Look into the old harbour and check if the boats are there.",
        "You should never leave the harbour because the tide is high.",
        "The bread is good, but not cheap.",
    ],
)
def test_clauses_that_belong_together_stay(lexicon, said):
    assert turn_clauses(said, lexicon) == said


@pytest.mark.parametrize(
    ("active", "passive"),
    [
        ("The baker bakes the bread at night.", "The bread is baked by the baker at night."),
        ("They sold these ships.", "These ships were sold by them."),
        (
            "We can watch a few boats from the pier.",
            "A few boats can be watched by us from the pier.",
        ),
        ("Anna bakes a bread.", "A bread is baked by Anna."),
    ],
)
def test_active_sentences_become_passive(lexicon, active, passive):
    assert to_passive(active, lexicon) == passive


@pytest.mark.parametrize(
    "said", ["The baker is the winner.", "This bakes the bread.", "The baker bakes quickly."]
)
def test_other_sentences_do_not(lexicon, said):
    assert to_passive(said, lexicon) == said


def test_short_forms_and_small_numbers_are_written_the_other_way():
    long = "It is late, and they do not have two boats."
    assert swap_short_forms(long) == "It's late, and they don't have 2 boats."
    assert swap_short_forms(swap_short_forms(long)) == long
    assert swap_short_forms("Chapter 2 describes 12 boats.") == "Chapter 2 describes 12 boats."


def test_articles_fit_the_next_word():
    assert (
        fix_articles("A error, an large user, an NFS share")
        == "An error, a large user, an NFS share"
    )


def test_a_word_has_one_synonym_in_a_page_and_neighbours_may_change_places(lexicon):
    text = " ".join(f"Boat {number} begins now." for number in range(20))
    made = Rewriter(lexicon, Random(3)).paragraph(text)
    assert len(set(re.findall(r"starts|commences", made))) == 1
    numbers = list(map(int, re.findall(r"\d+", made)))
    assert sorted(numbers) == list(range(20)) != numbers
    assert max(abs(number - place) for place, number in enumerate(numbers)) < 6


@given(st.lists(st.sampled_from("The tide, 42 Paris harbour began. a (big) x-ray It's".split())))
def test_numbers_and_names_are_kept(lexicon, words):
    made = Rewriter(lexicon, Random(1)).paragraph(" ".join(words))
    for fact in ("42", "Paris", "x-ray"):
        assert made.count(fact) == words.count(fact)


def test_missing_files_are_named_with_the_package_that_has_them(tmp_path):
    with pytest.raises(
        DedupError, match=r"cntlist.rev can't be read.*apt-get install wordnet-base"
    ):
        load(tmp_path)
    write_wordnet(tmp_path)
    (tmp_path / "data.noun").write_text("no offset")
    with pytest.raises(DedupError, match="no WordNet database that can be read"):
        load(tmp_path)
