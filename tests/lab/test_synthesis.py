"""Made documents against what was asked for, and the truth about them against naive counts."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import DedupError, Page, SettingError
from dedup_middleware.lab.synthesis import (
    Edits,
    Generated,
    HeldOut,
    Order,
    Overlap,
    Plan,
    Range,
    Source,
    count_terms,
    label_sources,
    make_series,
    read_manifest,
    source_of,
    synthesize,
)
from dedup_middleware.lab.synthesis.files import row_of
from dedup_middleware.lab.synthesis.make import assemble
from dedup_middleware.lab.synthesis.plan import parse_range, parse_shares, parse_whole
from dedup_middleware.lab.synthesis.sources import (
    ALIKE,
    FEW_TERMS,
    SAME_URL,
    Gathering,
    join_terms,
    paragraph_of,
    sentences_with_places,
    split_terms,
)
from dedup_middleware.lab.synthesis.truth import Index, common_terms, keyed, kinds_of, label
from dedup_middleware.read import read
from dedup_middleware.read.words import words
from tests.support.texts import article, html

SAME_ORDER = Plan(shares=Range(1.0, 1.0), reorder="nothing")


def source(name: str, *lengths: int) -> Source:
    """Make a page of paragraphs of so many words, each of which stands in no other place."""
    lines = [
        " ".join(f"{name}{number}x{place}" for place in range(length))
        for number, length in enumerate(lengths)
    ]
    return Source(name, tuple(map(paragraph_of, lines)))


def numbered(seed: int, size: int = 300) -> Source:
    return source_of(Page(url=f"https://a.example/{seed}", html=html(article(seed, size))))


LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=12)
SOURCES = st.lists(LENGTHS, min_size=1, max_size=4).map(
    lambda found: [source(f"s{number}q", *lengths) for number, lengths in enumerate(found)]
)
# strangers' text: scripts with and without spaces, signs, marks, markup
ALPHABET = st.sampled_from(
    "aB1 .,-'<>&\"中文字ไทยกำé\u0301\u200b\u200d\xad♥\x07\ufdd0\U0001f600。?!\n"
)
STRANGE = st.lists(st.text(ALPHABET, max_size=60), min_size=1, max_size=6).map(
    lambda lines: Source("strange", tuple(one for one in map(paragraph_of, lines) if one.terms))
)
RANGES = st.tuples(st.floats(0, 0.6), st.floats(0, 0.6)).map(lambda ends: Range(*sorted(ends)))
PLANS = st.builds(
    Plan,
    shares=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)).map(lambda two: Range(*sorted(two))),
    own=RANGES,
    edits=RANGES,
    edit_kinds=st.sets(st.sampled_from(["replace", "insert", "delete"]), min_size=1).map(
        lambda kinds: tuple(sorted(kinds))
    ),
    reorder=st.sampled_from(["paragraphs", "sentences", "nothing"]),
)
SEEDS = st.integers(0, 1000)


# --- the example of the paper: lines of so many terms, of which these were taken


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


# --- what is taken


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


# --- edits


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


# --- order


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


# --- own text


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


# --- truth


PIECES = st.lists(st.tuples(st.sampled_from("abcd"), st.just(0b111)), max_size=12)


@given(PIECES, PIECES)
def test_common_terms_are_those_of_common_paragraphs(one, other):
    naive = Counter(text for text, _ in one) & Counter(text for text, _ in other)
    assert common_terms(keyed(one), keyed(other)) == 3 * naive.total()


@given(st.lists(SOURCES, min_size=2, max_size=3), PLANS, SEEDS)
def test_overlaps_are_what_two_by_two_comparison_finds(pools, plan, seed):
    rng = Random(seed)
    made = [synthesize(pool, plan, rng, url=str(place)) for place, pool in enumerate(pools)]
    *earlier, last = made
    index = Index()
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


# --- labels


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
    assert kinds_of(Overlap("a", terms, kept, document_terms)) == kinds


@pytest.mark.parametrize(
    ("kept", "gold"),
    [((49, 10), "negative"), ((50, 10), "ignore"), ((50, 95), "positive"), ((), "negative")],
)
def test_gold_follows_the_closest(kept, gold):
    overlaps = [Overlap(str(number), 100, one, 500) for number, one in enumerate(kept)]
    found = label("new", 500, overlaps)
    assert found.gold == gold
    assert found.neutral == (["0"] if kept[:1] == (50,) else [])
    assert list(found.positives) == (["1"] if kept[1:] == (95,) else [])


def test_what_has_too_few_words_is_left_open():
    overlaps = [Overlap("a", 100, 10, 10)]
    assert label("new", 10, overlaps, min_terms=20).gold == "ignore"
    assert label("new", 10, overlaps, min_terms=10).gold == "positive"


# --- a series


POOL = [numbered(seed) for seed in range(12)]


def test_a_longer_series_begins_with_the_shorter_one():
    plan = Plan(own=Range(0, 0.3), edits=Range(0, 0.2))
    short, long = (list(make_series(POOL, Order(count, plan=plan, seed=3))) for count in (5, 9))
    assert [(one.made.html, one.label) for one in short] == [
        (one.made.html, one.label) for one in long[:5]
    ]
    other = list(make_series(POOL, Order(5, plan=plan, seed=4)))
    assert [one.made.text for one in other] != [one.made.text for one in short]


def test_every_source_is_used_before_one_is_used_again():
    series = list(make_series(POOL, Order(8, Range(3, 3))))
    used = [one.url for labelled in series for one in labelled.made.truth.sources]
    assert Counter(used) == {page.url: 2 for page in POOL}


def test_no_document_has_a_source_twice():
    for made, _ in make_series(POOL[:5], Order(30, Range(1, 4))):
        urls = [one.url for one in made.truth.sources]
        assert len(set(urls)) == len(urls)


def test_made_documents_are_labelled_beside_each_other():
    whole = Plan(shares=(1.0,), reorder="nothing")
    first, second = make_series(POOL[:1], Order(2, Range(1, 1), whole))
    assert first.label.positives == {POOL[0].url: ["exact", "near", "contained", "contains"]}
    assert list(second.label.positives) == [POOL[0].url, first.made.url]
    assert [one.url for one in second.made.truth.others] == [first.made.url]
    assert second.made.truth.others[0].of_document == 1.0


def test_labels_agree_with_the_manifest():
    plan = Plan(own=Range(0, 0.4), edits=Range(0, 0.1))
    golds = Counter()
    for made, found in make_series(POOL, Order(40, plan=plan)):
        overlaps = [*made.truth.sources, *made.truth.others]
        again = label(made.url, made.truth.terms, overlaps)
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


def test_too_few_pages_are_told():
    with pytest.raises(DedupError, match="Documents of 3 sources can't be made from 2 pages"):
        make_series(POOL[:2], Order())


def test_made_urls_are_free():
    taken = [replace(page, url=f"https://made.example/{page.url}") for page in POOL]
    (labelled,) = make_series(taken, Order(1))
    assert labelled.made.url == "https://made-2.example/1/1"


# --- pages that are left out


def gathering(**options) -> Gathering:
    return Gathering(**{"min_terms": 20, "hold_out": False, "seed": 0, **options})


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
    assert found.left_out == {SAME_URL: 1, FEW_TERMS: 1, ALIKE: 2}
    assert found.sources == [one, numbered(9)]


def test_every_fifth_page_is_held_out():
    found = gathering(hold_out=True, seed=3)
    pages = [source(f"p{number}q", 30) for number in range(10)]
    assert [found.add(page) for page in pages].count(True) == 8
    assert [page.url for page in found.held_out] == ["p2q", "p7q"]


# --- the manifest


@given(SOURCES, PLANS, SEEDS)
def test_the_manifest_comes_back(sources, plan, seed):
    from dedup_middleware.lab.synthesis.files import truth_of

    order = Order(3, Range(1, len(sources)), plan, seed)
    for made, _ in make_series(sources, order):
        assert truth_of(json.loads(json.dumps(row_of(made.truth)))) == made.truth


def row(**changes) -> str:
    (labelled,) = make_series(POOL, Order(1))
    return json.dumps({**row_of(labelled.made.truth), **changes})


def test_a_manifest_is_read_packed_and_plain_and_from_its_folder(tmp_path):
    lines = "\n".join([row(), "", row(url="https://b.example/")])
    (tmp_path / "plain.jsonl").write_text(lines)
    (tmp_path / "manifest.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    problems: list[str] = []
    plain, packed, folder = (
        read_manifest(path, problems)
        for path in (tmp_path / "plain.jsonl", tmp_path / "manifest.jsonl.gz", tmp_path)
    )
    assert problems == []
    assert plain == packed == folder
    assert [truth.url for truth in plain] == ["https://made.example/1/1", "https://b.example/"]


def test_what_is_wrong_in_a_manifest_is_named_by_line(tmp_path):
    good = json.loads(row())
    wrong = {
        '{"url": "https://cut': "no JSON: ",
        "[]": "not a JSON object",
        "[" * 100_000: "no JSON: ",
        "\udcff": "no JSON: ",
        row(url=7): "'url' must be a string",
        row(terms=-1): "'terms' must be a whole number, not -1",
        row(terms=True): "'terms' must be a whole number, not True",
        row(own=None): "'own' must be an object",
        row(own={"terms": 3}): "'from' must be a string",
        row(sources=[1]): "'sources' must be a list of objects",
        row(others={}): "'others' must be a list",
        row(sources=[{**good["sources"][0], "kept": 10**9}]): "'kept' is 1000000000, more than",
        row(sources=[{**good["sources"][0], "asked": "all"}]): "'asked' must be a share",
        row(sources=[{**good["sources"][0], "asked": 1.5}]): "'asked' must be a share",
        row(sources=[{**good["sources"][0], "paragraphs": ["1"]}]): "'paragraphs' must be whole",
        row(sources=[{**good["sources"][0], "edits": {}}]): "'replaced' must be a whole number",
    }
    path = tmp_path / "manifest.jsonl"
    text = "\n".join([*wrong, row()])
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    problems: list[str] = []
    assert len(read_manifest(path, problems)) == 1
    for number, (problem, said) in enumerate(zip(problems, wrong.values(), strict=True), 1):
        assert problem.startswith(f"{path}:{number}: {said}")
        assert problem.endswith("; line skipped")


def test_a_manifest_that_is_missing_or_torn_is_told(tmp_path):
    problems: list[str] = []
    assert read_manifest(tmp_path / "none.jsonl", problems) == []
    assert read_manifest(tmp_path, problems) == []
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(f"{row()}\n{row()}".encode(), 0)[:-300])
    assert len(read_manifest(torn, problems)) == 1
    assert (
        problems[0]
        == f"{tmp_path / 'none.jsonl'}: can't be read from here on: No such file or directory"
    )
    assert problems[1].startswith(f"{tmp_path / 'manifest.jsonl.gz'}: can't be read")
    assert problems[2].startswith(f"{torn}:2: can't be read from here on: ")


# --- plans


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Plan(shares=(0.0,)), "shares must lie from 0.001 to 1, not 0"),
        (lambda: Plan(shares=(0.5, 1.1)), "shares must lie from 0.001 to 1, not 1.1"),
        (lambda: Plan(shares=()), "shares must name at least one figure"),
        (lambda: Plan(shares=Range(0.5, float("nan"))), "shares must lie"),
        (lambda: Plan(own=Range(0, 1)), "own must lie from 0 to 0.99, not 0-1"),
        (lambda: Plan(edits=Range(0, 2)), "edits must lie from 0 to 1, not 0-2"),
        (lambda: Plan(edit_kinds=("swap",)), "edit kinds must be some of replace, insert, delete"),
        (lambda: Plan(edit_kinds=()), "edit kinds must be"),
        (lambda: Plan(reorder="words"), "reorder must be one of paragraphs, sentences, nothing"),
        (lambda: parse_range("own", "much"), "own must be a figure or a range as 0.2-0.5"),
        (lambda: parse_range("own", "1.2.3"), "own must be a figure or a range"),
        (lambda: parse_range("own", "-1"), "own must be a figure or a range"),
        (lambda: parse_range("own", "0.5-0.2"), "own must go from the smaller to the larger"),
        (lambda: parse_shares("0.1,0.2-0.3"), "shares must be one range, or figures with commas"),
        (lambda: parse_whole("sources", "1.5", 1, 9), "sources must be whole"),
        (lambda: parse_whole("sources", "0", 1, 9), "sources must lie from 1 to 9, not 0"),
    ],
)
def test_what_can_not_be_planned_is_told(make, said):
    with pytest.raises(SettingError, match=re.escape(said)):
        make()


def test_as_many_shares_as_sources():
    with pytest.raises(SettingError, match="shares are 2, but there are 3 sources"):
        synthesize([source(name, 5) for name in "abc"], Plan(shares=(0.5, 0.5)), Random(1))
