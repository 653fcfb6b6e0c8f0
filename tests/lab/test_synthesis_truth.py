"""The truth about made documents against naive counts; sources, series and labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import DedupError, Page
from lab.synthesis import (
    Overlap,
    Plan,
    Range,
    SeriesPlan,
    Source,
    SourceCollection,
    label_sources,
    make_series,
    source_of,
    synthesize,
)
from lab.synthesis.document import assemble
from lab.synthesis.sources import SAME_URL, SIMILAR, TOO_SHORT, paragraph_of
from lab.synthesis.truth import (
    OverlapIndex,
    common_terms,
    label_document,
    number_parts,
    right_kinds,
)
from tests.support.synthesis import (
    PLANS,
    POOL,
    SEEDS,
    SOURCES,
    numbered,
    source,
)

PIECES = st.lists(st.tuples(st.sampled_from("abcd"), st.just(0b111)), max_size=12)


@given(PIECES, PIECES)
def test_common_terms_are_those_of_common_paragraphs(one, other):
    naive = Counter(text for text, _ in one) & Counter(text for text, _ in other)
    assert common_terms(number_parts(one), number_parts(other)) == 3 * naive.total()


@given(st.lists(SOURCES, min_size=2, max_size=3), PLANS, SEEDS)
def test_overlaps_are_what_two_by_two_comparison_finds(pools, plan, seed):
    rng = Random(seed)
    made = [synthesize(pool, plan, rng, url=str(place)) for place, pool in enumerate(pools)]
    *earlier, last = made
    index = OverlapIndex()
    for document in earlier:
        index.add(document.url, document.truth.terms, document.parts)
    found = {one.url: one.kept for one in index.overlaps(last.truth.terms, last.parts)}
    naive = {one.url: common_terms(one.parts, last.parts) for one in earlier}
    assert found == {url: kept for url, kept in naive.items() if kept}


def test_a_paragraph_that_two_sources_share_counts_for_both():
    shared = paragraph_of("all rights are reserved")
    one, other = source("a", 6), source("b", 16)
    one = Source("a", (*one.paragraphs, shared))
    other = Source("b", (*other.paragraphs, shared))
    made = assemble([one, other], [1.0, 0.8], [[0, 1], [0]], Plan(), Random(1))
    first, second = made.truth.sources
    assert (first.taken, first.kept, first.of_source) == (10, 10, 1.0)
    assert (second.taken, second.kept, second.of_source) == (16, 20, 1.0)
    assert made.truth.terms == 26


def test_a_paragraph_that_a_source_repeats_is_taken_each_time():
    page = Source("a", tuple(map(paragraph_of, ["tea for two", "and more", "tea for two"])))
    made = assemble([page], [0.3], [[2]], Plan(), Random(1))
    assert made.truth.sources[0].of_source == 3 / 8
    assert assemble([page], [0.7], [[2, 0]], Plan(), Random(1)).truth.sources[0].kept == 6


@pytest.mark.parametrize(
    ("terms", "kept", "document_terms", "kinds"),
    [
        (100, 100, 100, ["exact", "near", "contained", "contains"]),
        (100, 30, 30, ["contained"]),
        (30, 30, 100, ["contains"]),
        (100, 80, 100, ["near"]),
        (100, 79, 100, []),
        (100, 90, 110, ["near", "contains"]),
        (130, 90, 100, ["contained"]),
        (1000, 89, 100, []),
        (100, 0, 100, []),
        (0, 0, 0, []),
    ],
)
def test_kinds_follow_the_shares(terms, kept, document_terms, kinds):
    assert right_kinds(Overlap("a", terms, kept, document_terms)) == kinds


@pytest.mark.parametrize(
    ("kept", "gold"),
    [((49, 10), "negative"), ((50, 10), "ignore"), ((50, 95), "positive"), ((), "negative")],
)
def test_gold_follows_the_closest(kept, gold):
    overlaps = [Overlap(str(number), 100, one, 500) for number, one in enumerate(kept)]
    found = label_document("new", 500, overlaps)
    assert found.gold == gold
    assert found.neutral == (["0"] if kept[:1] == (50,) else [])
    assert list(found.positives) == (["1"] if kept[1:] == (95,) else [])


def test_what_has_too_few_words_is_left_open():
    overlaps = [Overlap("a", 100, 10, 10)]
    assert label_document("new", 10, overlaps, min_terms=20).gold == "ignore"
    assert label_document("new", 10, overlaps, min_terms=10).gold == "positive"


def test_a_longer_series_begins_with_the_shorter_one():
    plan = Plan(own=Range(0, 0.3), edits=Range(0, 0.2))
    short, long = (
        list(make_series(POOL, SeriesPlan(count, plan=plan, seed=3))) for count in (5, 9)
    )
    assert [(one.made.html, one.label) for one in short] == [
        (one.made.html, one.label) for one in long[:5]
    ]
    other = list(make_series(POOL, SeriesPlan(5, plan=plan, seed=4)))
    assert [one.made.text for one in other] != [one.made.text for one in short]


def test_every_source_is_used_before_one_is_used_again():
    series = list(make_series(POOL, SeriesPlan(8, Range(3, 3))))
    used = [one.url for labelled in series for one in labelled.made.truth.sources]
    assert Counter(used) == {page.url: 2 for page in POOL}


def test_no_document_has_a_source_twice():
    for made, _ in make_series(POOL[:5], SeriesPlan(30, Range(1, 4))):
        urls = [one.url for one in made.truth.sources]
        assert len(set(urls)) == len(urls)


def test_made_documents_are_labelled_against_each_other():
    whole = Plan(shares=(1.0,), reorder="nothing")
    first, second = make_series(POOL[:1], SeriesPlan(2, Range(1, 1), whole))
    assert first.label.positives == {POOL[0].url: ["exact", "near", "contained", "contains"]}
    assert list(second.label.positives) == [POOL[0].url, first.made.url]
    assert [one.url for one in second.made.truth.others] == [first.made.url]
    assert second.made.truth.others[0].of_document == 1.0


def test_labels_agree_with_the_manifest():
    plan = Plan(own=Range(0, 0.4), edits=Range(0, 0.1))
    golds = Counter()
    for made, found in make_series(POOL, SeriesPlan(40, plan=plan)):
        overlaps = [*made.truth.sources, *made.truth.others]
        again = label_document(made.url, made.truth.terms, overlaps)
        assert (again.gold, again.positives) == (found.gold, found.positives)
        assert sorted(again.neutral) == sorted(found.neutral)
        golds[found.gold] += 1
    assert set(golds) == {"positive", "negative", "ignore"}


def test_sources_are_labelled_by_what_they_share():
    one, other = source("a", 10, 10), source("b", 3)
    again = Source("c", (*one.paragraphs, *other.paragraphs))
    found = label_sources([one, other, again])
    assert [label.gold for label in found] == ["negative", "negative", "positive"]
    assert found[2].positives == {"a": ["near", "contains"], "b": ["contains"]}


def test_too_few_pages_are_reported():
    with pytest.raises(DedupError, match="Documents of 3 sources can't be made from 2 pages"):
        make_series(POOL[:2], SeriesPlan())


def test_made_urls_are_free():
    taken = [replace(page, url=f"https://made.example/{page.url}") for page in POOL]
    (labelled,) = make_series(taken, SeriesPlan(1))
    assert labelled.made.url == "https://made-2.example/1/1"


def gathering(**options) -> SourceCollection:
    return SourceCollection(**{"min_terms": 20, "hold_out": False, "seed": 0, **options})


def test_pages_that_would_spoil_the_truth_are_left_out():
    found = gathering()
    one = numbered(1)
    assert found.add(one)
    assert not found.add(replace(one, paragraphs=numbered(9).paragraphs))
    assert not found.add(Source("few", (paragraph_of("only a few words"),)))
    edited = synthesize([one], Plan(shares=(1.0,), edits=Range(0.15, 0.15)), Random(1))
    assert not found.add(source_of(Page(url="edited", html=edited.html)))
    excerpt = synthesize([one], Plan(shares=(0.4,)), Random(1))
    assert not found.add(source_of(Page(url="excerpt", html=excerpt.html)))
    assert found.add(numbered(9))
    assert found.left_out == {SAME_URL: 1, TOO_SHORT: 1, SIMILAR: 2}
    assert found.sources == [one, numbered(9)]


def test_every_fifth_page_is_held_out():
    found = gathering(hold_out=True, seed=3)
    pages = [source(f"p{number}q", 30) for number in range(10)]
    assert [found.add(page) for page in pages].count(True) == 8
    assert [page.url for page in found.held_out] == ["p2q", "p7q"]
