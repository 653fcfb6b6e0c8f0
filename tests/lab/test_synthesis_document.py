"""Made documents against what was asked for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.read import read
from dedup_middleware.read.words import words
from lab.synthesis import (
    Edits,
    Generated,
    HeldOut,
    Plan,
    Range,
    Source,
    count_terms,
    source_of,
    synthesize,
)
from lab.synthesis.document import assemble
from lab.synthesis.sources import paragraph_of
from lab.synthesis.terms import join_terms, sentences_with_places, split_terms
from tests.support.synthesis import (
    ALPHABET,
    PLANS,
    SAME_ORDER,
    SEEDS,
    SOURCES,
    STRANGE,
    source,
)
from tests.support.texts import article, html

EXAMPLE = {"a": (7, 4, 4, 6, 4), "b": (5, 3, 4, 10, 5, 3, 4, 5), "c": (4,) * 4, "d": (5, 6, 5, 6)}
TAKEN = [[1, 4, 0], [2, 4], [2], [1]]


def test_the_example_of_the_paper():
    sources = [source(name, *lengths) for name, lengths in EXAMPLE.items()]
    assert [one.terms for one in sources] == [25, 39, 16, 22]
    made = assemble(sources, [0.4, 0.2, 0.2, 0.2], TAKEN, Plan(), Random(1))
    assert [one.taken for one in made.truth.sources] == [15, 9, 4, 6]
    expected = [100 * one.of_source for one in made.truth.sources]
    assert expected == pytest.approx([60.00, 23.07, 25.00, 27.27], abs=0.01)
    assert made.truth.terms == 34
    assert len(made.text.splitlines()) == 7


def test_the_generator_takes_what_the_paper_took():
    sources = [source(name, *lengths) for name, lengths in EXAMPLE.items()]
    plan = Plan(shares=(0.4, 0.2, 0.2, 0.2))
    series = [synthesize(sources, plan, Random(seed)) for seed in range(300)]
    taken = [{made.truth.sources[place].taken for made in series} for place in range(4)]
    assert taken[2] == {4}  # one of four lines, whichever it is
    assert all(taken[place] >= {wanted} for place, wanted in enumerate([15, 9, 4, 6]))
    assert min(taken[0]) >= 10


@given(SOURCES, PLANS, SEEDS)
def test_shares_are_reached_within_one_paragraph(sources, plan, seed):
    made = synthesize(sources, plan, Random(seed))
    for page, one in zip(sources, made.truth.sources, strict=True):
        sizes = [page.paragraphs[place].terms for place in one.paragraphs]
        assert one.taken == sum(sizes)
        assert sum(sizes) >= one.asked * page.terms - 1e-6
        assert sum(sizes[:-1]) < one.asked * page.terms
        assert plan.shares.low <= one.asked <= plan.shares.high
        assert len(set(one.paragraphs)) == len(one.paragraphs)


@given(SOURCES, PLANS, SEEDS)
def test_terms_add_up(sources, plan, seed):
    made = synthesize(sources, plan, Random(seed))
    truth, edits = made.truth, made.truth.edits
    assert truth.terms == count_terms(made.text) == len(words(made.text))
    taken = sum(one.taken for one in truth.sources)
    assert truth.terms == truth.own + taken + edits.inserted - edits.deleted
    for one in truth.sources:
        assert one.kept == one.taken - one.edits.replaced - one.edits.deleted
        assert one.of_source == pytest.approx(one.kept / one.terms)
        assert one.of_document == pytest.approx(one.kept / max(truth.terms, 1))


@given(STRANGE, PLANS, SEEDS)
def test_any_text_comes_back_from_its_page(strange, plan, seed):
    if not strange.paragraphs:
        return
    made = synthesize([strange], plan, Random(seed))
    again = source_of(Page(url="again", html=made.html))
    assert [one.text for one in again.paragraphs] == made.text.splitlines()
    assert again.terms == made.truth.terms
    assert read(Page(url="again", html=made.html)).main == made.text.replace("\n", " ")


def test_headings_stay_headings_and_boilerplate_stays_out():
    page = html(article(1), "The < title & more", "news")
    made = synthesize([source_of(Page(url="a", html=page))], SAME_ORDER, Random(1))
    assert made.html.count("<h2>") == 1
    assert "<h2>The &lt; title &amp; more</h2>" in made.html
    assert made.html.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "Copyright by the News" not in made.text


@given(SOURCES, PLANS, SEEDS)
def test_the_same_seed_makes_the_same_document(sources, plan, seed):
    first, second = (synthesize(sources, plan, Random(seed)) for _ in range(2))
    assert (first.html, first.truth) == (second.html, second.truth)


def test_another_seed_makes_another_document():
    sources = [source("a", *[5] * 20)]
    texts = {synthesize(sources, Plan(shares=(0.5,)), Random(seed)).text for seed in range(20)}
    assert len(texts) == 20


@given(SOURCES, PLANS, SEEDS)
def test_edits_are_as_counted(sources, plan, seed):
    made = synthesize(sources, replace(plan, own=Range(0, 0)), Random(seed), vocabulary=["new"])
    there = Counter(made.text.split())
    edits = made.truth.edits
    assert there["new"] == edits.replaced + edits.inserted
    for page, one in zip(sources, made.truth.sources, strict=True):
        taken = {word for place in one.paragraphs for word in page.paragraphs[place].text.split()}
        left = taken & there.keys()
        assert len(left) == one.kept
        assert len(taken - left) == one.edits.replaced + one.edits.deleted
        assert all(there[word] == 1 for word in left)
    for kind, count in (
        ("replace", edits.replaced),
        ("insert", edits.inserted),
        ("delete", edits.deleted),
    ):
        assert kind in plan.edit_kinds or not count


def test_the_rate_of_edits_is_kept():
    page = source("a", *[50] * 200)
    for rate in (0.1, 0.4):
        plan = replace(SAME_ORDER, edits=Range(rate, rate))
        edits = synthesize([page], plan, Random(1), vocabulary=["new"]).truth.edits
        for count in (edits.replaced, edits.inserted, edits.deleted):
            assert count == pytest.approx(10_000 * rate / 3, rel=0.1)


def test_a_word_is_never_replaced_by_itself():
    page = Source("a", (paragraph_of("tea Tea TEA tea"),))
    plan = replace(SAME_ORDER, edits=Range(1.0, 1.0), edit_kinds=("replace", "insert"))
    made = synthesize([page], plan, Random(1))
    assert made.truth.edits == Edits()
    assert made.text == "tea Tea TEA tea"


def test_a_paragraph_of_which_nothing_is_left_is_gone():
    plan = replace(SAME_ORDER, edits=Range(1.0, 1.0), edit_kinds=("delete",))
    made = synthesize([source("a", 3, 4)], plan, Random(1))
    assert (made.truth.terms, made.truth.edits.deleted, made.truth.sources[0].kept) == (0, 7, 0)
    assert (made.pieces, made.text) == ((), "")
    assert made.truth.sources[0].of_document == 0.0


@given(st.text(ALPHABET, max_size=80))
def test_terms_and_gaps_make_the_text(text):
    terms, gaps = split_terms(text)
    assert len(gaps) == len(terms) + 1
    assert "".join(gap + term for gap, term in zip(gaps, [*terms, ""], strict=True)) == text
    assert len(terms) == count_terms(text)
    assert split_terms(join_terms(terms, gaps))[0] == terms
    assert split_terms(join_terms(terms, [""] * len(gaps)))[0] == terms


@given(st.text(st.sampled_from("abC1_ .,-'"), max_size=80))
def test_terms_are_words_where_there_are_spaces(text):
    found = words(text) if re.search(r"\w", text) else []
    assert [term.lower() for term in split_terms(text)[0]] == found


def test_nothing_is_reordered_if_so_wanted():
    pages = [source("a", 3, 1, 4, 1, 5), source("b", 2, 6)]
    made = synthesize(pages, SAME_ORDER, Random(5))
    assert made.text == "\n".join(page.text for page in pages)
    own = HeldOut([source("own", *[2] * 50)])
    plan = replace(SAME_ORDER, own=Range(0.4, 0.4))
    mixed = synthesize(pages, plan, Random(5), own=own).text.splitlines()
    assert mixed != made.text.splitlines()
    assert [line for line in mixed if not line.startswith("own")] == made.text.splitlines()


def test_paragraphs_of_all_sources_are_mixed():
    pages = [source("a", *[3] * 10), source("b", *[3] * 10)]
    lines = synthesize(pages, Plan(shares=(1.0, 1.0)), Random(5)).text.splitlines()
    assert Counter(lines) == Counter("\n".join(page.text for page in pages).splitlines())
    assert sum(one[0] != other[0] for one, other in pairwise(lines)) > 5


def test_sentences_are_shuffled_inside_their_paragraphs():
    text = " ".join(f"Sentence number {number} is here." for number in range(9))
    page = source_of(Page(url="a", text=f"{text}\n\n{text.replace('here', 'there')}"))
    made = synthesize([page], replace(SAME_ORDER, reorder="sentences"), Random(3))
    assert made.truth.sources[0].of_source == 1.0
    assert made.text != page.text
    for line in made.text.splitlines():
        before = page.text.splitlines()["there" in line]
        assert line != before
        assert sorted(re.findall(r"\d", line)) == [str(number) for number in range(9)]


@given(st.text(ALPHABET, max_size=200))
def test_sentences_have_all_terms_of_their_paragraph(text):
    found = sentences_with_places(text)
    assert sum(count_terms(sentence) for _, sentence in found) == count_terms(text)
    terms = split_terms(text)[0]
    for place, sentence in found:
        own = split_terms(sentence)[0]
        assert terms[place : place + len(own)] == own


def test_edits_are_followed_through_shuffled_sentences():
    text = " ".join(f"S{number}a s{number}b s{number}c." for number in range(9))
    page = Source("a", (paragraph_of(text),))
    plan = Plan(shares=(1.0,), edits=Range(0.5, 0.5), edit_kinds=("delete",), reorder="sentences")
    made = synthesize([page], plan, Random(2))
    (piece,) = made.pieces
    left = {term for place, term in enumerate(split_terms(text)[0]) if piece.kept >> place & 1}
    assert 0 < len(left) < 27
    assert set(split_terms(made.text)[0]) == left


@given(SOURCES, st.floats(0.05, 0.8), SEEDS)
def test_own_text_has_its_share_within_one_paragraph(sources, share, seed):
    held_out = HeldOut([source("own", *[7] * 400)])
    plan = Plan(own=Range(share, share))
    made = synthesize(sources, plan, Random(seed), own=held_out)
    truth = made.truth
    lines = [line for line in made.text.splitlines() if line.startswith("own")]
    assert truth.own == 7 * len(lines) == 7 * len(set(lines))
    assert truth.own_from == "pages"
    assert truth.own / truth.terms >= share - 1e-6
    assert (truth.own - 7) / (truth.terms - 7) < share


@given(SOURCES, SEEDS)
def test_generated_text_is_of_the_words_of_the_sources(sources, seed):
    made = synthesize(sources, Plan(own=Range(0.5, 0.5)), Random(seed))
    known = {word.lower() for page in sources for word in page.text.split()}
    assert made.truth.own_from == "generated"
    assert made.truth.own >= made.truth.terms / 2
    assert {word.lower().strip(".") for word in made.text.split()} <= known


def test_generated_text_has_sentences_and_knows_scripts():
    (paragraph,) = Generated(["中", "文", "tea"]).take(1, Random(4))
    assert paragraph.text.endswith(".")
    assert re.search("[中文]{2}", paragraph.text)
    assert not re.search(r"tea[^ .]|[^ ]tea", paragraph.text)
    assert paragraph.terms == count_terms(paragraph.text)


def test_own_text_that_runs_out_is_what_there_is():
    own = HeldOut([source("own", 2, 2)])
    made = synthesize([source("a", 50)], Plan(own=Range(0.5, 0.5)), Random(1), own=own)
    assert made.truth.own == 4
