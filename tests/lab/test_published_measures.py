"""The measures of published tables, worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.methods import Document, make_method
from dedup_middleware.similarity.model import save
from lab.accuracy.scoring import Label
from lab.published import kakar, oscds, pereira
from lab.published.counts import Counts, Scored, ScoredPair, harmonic, score
from lab.published.material import Labelled, Pair, document_of_lines, pairs_of
from lab.published.yerra import PUBLISHED_GROUPS
from lab.published.yerra_pages import Comparer
from lab.published.yerra_sentences import (
    MeasuredPair,
    Placed,
    errors,
    groups_of,
    same_pairs,
)
from lab.synthesis import HeldOut, source_of
from lab.training import train
from tests.support.texts import article, html

words = st.sampled_from("a b c d e f g h".split())


# Measures


def test_three_measures_from_the_counts_of_the_thesis() -> None:
    (first, in_print), (second, _) = PUBLISHED_GROUPS
    assert [round(value, 2) for value in (first.printed, first.published, first.f1)] == [
        0.98,
        0.92,
        0.81,
    ]
    assert round(harmonic(1 - first.false_positives, 1 - first.false_negatives), 2) == in_print[2]
    both = Counts(*(sum(pair) for pair in zip(*map(_fields, (first, second)), strict=True)))
    assert (both.found + both.missed, both.alarms + both.passed) == (201, 1880)
    assert (round(both.false_positives, 3), round(both.false_negatives, 2)) == (0.035, 0.11)
    assert [round(value, 2) for value in (both.printed, both.published, both.f1)] == [
        0.98,
        0.93,
        0.80,
    ]


def _fields(counts: Counts) -> tuple[int, ...]:
    return counts.found, counts.alarms, counts.missed, counts.passed


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_counts_of_pairs(pairs: list[tuple[bool, bool]]) -> None:
    counts = Counts.of(pairs)
    assert counts.total == len(pairs)
    assert counts.found == pairs.count((True, True))
    assert counts.alarms == pairs.count((True, False))
    assert counts.missed == pairs.count((False, True))
    assert 0 <= counts.f1 <= counts.printed <= 1


def test_only_the_printed_formulas_reward_always_saying_different() -> None:
    lazy = Counts(found=0, alarms=0, missed=201, passed=1880)
    assert (round(lazy.printed, 2), lazy.published, lazy.f1) == (0.95, 0.0, 0.0)


def test_the_strictest_of_the_best_thresholds() -> None:
    pairs = ScoredPair(0.9, True), ScoredPair(0.6, True), ScoredPair(0.4, False)
    scored = Scored(pairs, alike=2, documents=3)
    assert scored.best([0.3, 0.5, 0.6, 0.7]) == 0.6
    assert (scored + scored).at(0.3) == Counts(found=4, alarms=2, missed=0)


# Material


def stream(*documents: Document, labels: dict[str, Label]) -> Labelled:
    every = {document.name: Label(document.name, "negative", {}) for document in documents}
    return Labelled("stream", "stream", [documents], every | labels)


TIDE = "the tide came in at noon and all the boats of the harbour rose with it once more"
FROST = "a late frost in may killed nearly every blossom in the valley behind the old mill"
ONE, OTHER = Document.of_text("one", TIDE), Document.of_text("other", FROST)
COPY = Document.of_text("copy", f"{TIDE} said the keeper of the light")
CLOSE = Document.of_text("close", f"{FROST[:40]} but the tide came in at noon as it does each day")


def test_a_stream_is_scored_pair_by_pair_without_what_is_left_open() -> None:
    labels = {
        "copy": Label("copy", "positive", {"one": ["contains"], "gone": ["near"]}),
        "close": Label("close", "negative", {}, ["other"]),
    }
    found = score(stream(ONE, OTHER, COPY, CLOSE, labels=labels), "fingerprints", {})
    assert (found.documents, found.alike) == (4, 1)  # "gone" is not in the stream
    assert [pair.alike for pair in found.pairs] == [True, False, False]
    assert found.pairs[0].value == 1.0
    assert found.at(0.6) == Counts(found=1, alarms=0, missed=0)
    assert score(stream(ONE, COPY, labels=labels), "fingerprints", {}, limit=1).alike == 0


def test_pairs_are_those_named_and_the_closest_that_differs() -> None:
    labels = {"copy": Label("copy", "positive", {"one": ["contains"]})}
    pairs = pairs_of(stream(ONE, OTHER, COPY, CLOSE, labels=labels))
    found = [(pair.new.name, pair.earlier.name, pair.kinds) for pair in pairs]
    assert found == [("copy", "one", ("contains",)), ("close", "other", ())]


# Pereira & Ziviani


@given(st.lists(words, max_size=30), st.lists(words, max_size=30), st.integers(2, 5))
def test_shingles_are_those_of_the_method(one: list[str], other: list[str], width: int) -> None:
    document, source = (
        Document.of_text(name, " ".join(found)) for name, found in (("d", one), ("s", other))
    )
    by_method = make_method("shingles", width=width, containment=True)
    by_method.add(source)
    shares = [match.backward for match in by_method.candidates(document)]
    texts = pereira._Text(document), [pereira._Text(source)]
    assert pereira.by_shingles(width, *texts) == (shares or [0.0])


def test_a_source_that_was_taken_whole_is_found_whole() -> None:
    source = document_of_lines("s", f"{TIDE}\n{FROST}")
    made = pereira._Text(document_of_lines("m", f"{TIDE}\n{FROST}\nAnd more"))
    for name, method in pereira._methods([]).items():
        assert method(made, [pereira._Text(source)]) == [1.0], name


# Kakar


@given(st.text("ab ", max_size=20), st.text("ab ", max_size=20), st.integers(1, 4))
def test_jaccard_of_characters(one: str, other: str, width: int) -> None:
    sets = []
    for text in (one, other):
        clean = " ".join(text.split())
        sets.append({clean[at : at + width] for at in range(len(clean) - width + 1)})
    here, there = sets
    # a text that is shorter than a shingle is one shingle
    if here and there:
        assert kakar.jaccard(one, other, width) == len(here & there) / len(here | there)


def test_degrees() -> None:
    kinds = [(), ("exact", "near"), ("near", "contains"), ("contained",), ("random",)]
    found = [kakar.degree(Pair(ONE, OTHER, one)) for one in kinds]
    assert found == ["closest", "equal", "near", "inside", "random"]


# Yerra


def test_fuzzy_sets_by_both_thresholds() -> None:
    def same(one_way: float, other_way: float) -> bool:
        return MeasuredPair("", True, False, one_way, other_way).fuzzy()

    assert same(0.973, 0.966)  # Table 3.3
    assert not same(0.35, 0.67)  # Table 3.4
    assert same(0.825, 0.975)
    assert not same(0.825, 0.98)  # too far apart
    assert not same(0.82, 0.9)


@given(st.lists(st.lists(words, min_size=1, max_size=7).map(tuple), unique=True, max_size=12))
def test_pairs_with_most_words_in_common(sentences: list[tuple[str, ...]]) -> None:
    naive = {
        (i, j)
        for j, other in enumerate(sentences)
        for i, one in enumerate(sentences[:j])
        if len(set(one) & set(other)) >= 0.8 * len(set(one) | set(other))
    }
    assert same_pairs(sentences) == naive


def placed(text: str, document: int) -> Placed:
    return Placed(tuple(text.split()), document)


def test_reworded_sentences_have_other_rare_4_grams() -> None:
    harbour = "xylo zebra quartz boats harbour tide noon keeper light"
    found = errors(
        [
            placed(harbour, 1),
            placed(harbour, 2),
            placed(harbour.replace("light", "lamp"), 3),  # erla, rlam, lamp; not erli, rlig, ligh
            placed("frost blossom valley mill orchard", 4),
            placed("frost blossom valley mill orchard", 4),  # of one document
        ]
    )
    assert found == {
        "false_positives": 0.0,
        "false_negatives": 2 / 3,
        "reworded_false_positives": 0.0,
        "reworded_false_negatives": 1.0,
    }


def test_different_sentences_with_the_same_rare_4_grams_are_false_positives() -> None:
    boats, frost = "omega boats", "omega frost mill valley deer"
    usual = [placed(text, number) for number in range(9) for text in (boats, frost)]
    # alph, lpha, phaz stand for both: all that they do not share is frequent
    rare = [placed(f"alpha zqxjvk {boats}", 20), placed(f"alpha zqxjvk {frost}", 21)]
    found = errors([*usual, *rare])
    assert found["reworded_false_positives"] == 1.0
    assert found["false_positives"] == 1 / (1 + 36 + 36)
    assert found["false_negatives"] == 0.0


def test_groups_have_the_sizes_of_the_thesis() -> None:
    pairs = [MeasuredPair("", number < 300, False, 0.0, 0.0) for number in range(3000)]
    first, second = groups_of(pairs)
    assert [sum(one.alike for one in group) for group in (first, second)] == [101, 100]
    assert [len(first), len(second)] == [1041, 1040]
    assert not {id(one) for one in first} & {id(one) for one in second}


def test_pages_are_compared_as_the_methods_do(tmp_path: Path) -> None:
    texts = [article(seed, 200) for seed in range(6)]
    texts.append([*texts[0][:2], *texts[1][:2]])
    documents = [document_of_lines(str(at), "\n".join(text)) for at, text in enumerate(texts)]
    model = train([sentence.words for sentence in one.lettered_sentences] for one in documents)
    save(model, tmp_path / "words.model")
    comparer = Comparer(model)
    for method, name in (("4-grams", "fourgrams"), ("fuzzy set", "fuzzy")):
        known = make_method(name, model=str(tmp_path / "words.model"))
        known.add(documents[0])
        (match,) = known.candidates(documents[-1])
        sides = documents[-1].lettered_sentences, documents[0].lettered_sentences
        ours = comparer.compare(*sides)[method]
        assert (ours.first, ours.second) == pytest.approx((match.forward, match.backward))


# OS-CDS


def copy(name: str, original: str, kind: str) -> oscds.Copy:
    return oscds.Copy(Document.of_text(name, name), original, kind)


def test_errors_by_class_as_the_paper_counts_them() -> None:
    copies = [copy(f"e{n}", "a", "exact") for n in range(10)]
    copies += [copy("h", "a", "high"), copy("s", "b", "some"), copy("x", "b", "")]
    scores = [
        # eight of ten are found; one is put lower, one is missed; a high one is put higher
        {**{f"e{n}": 1.0 for n in range(8)}, "e8": 0.9, "h": 1.0},
        {"s": 0.2, "x": 0.05},
    ]
    found = oscds.errors(["a", "b"], copies, scores, oscds.LEVELS)
    assert found["exact"] == (0.2, pytest.approx(1 / 13 / 2))
    assert found["high"] == (0.0, pytest.approx(1 / 13 / 2))
    assert found["some"] == (0.0, pytest.approx(1 / 13 / 2))
    stricter = oscds.errors(["a", "b"], copies, scores, {**oscds.LEVELS, "some": 0.33})
    assert stricter["some"] == (1.0, 0.0)


def test_copies_hold_what_their_class_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oscds, "COPIES", 12)
    originals = [source_of(_page(seed, 300)) for seed in range(3)]
    own = HeldOut([source_of(_page(seed, 400)) for seed in range(10, 14)])
    made = oscds.copies_of(originals, own, 0.0)
    documents = [document_of_lines(one.url, one.text) for one in originals]
    found = oscds.overlaps(documents, made, {})
    places = {one.url: at for at, one in enumerate(originals)}
    for one in made:
        overlap = found[places[one.original]].get(one.document.name, 0.0)
        assert (one.kind == "exact") == (overlap >= 0.999)
        assert overlap >= {"exact": 0.99, "high": 0.3, "some": 0.02}[one.kind]
    assert {one.kind for one in made} == set(oscds.CLASSES)


def _page(seed: int, size: int) -> Page:
    return Page(url=f"https://a.example/{seed}", html=html(article(seed, size)))
