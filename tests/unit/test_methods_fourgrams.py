"""Methods that compare sentences: what 4-grams and fuzzy sets share, and 4-grams alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, SettingError
from dedup_middleware.lab.training import train
from dedup_middleware.methods import fourgrams, fuzzy, make_method
from dedup_middleware.similarity import matching
from dedup_middleware.similarity.matching import match
from tests.support.methods import (
    ALIKE_WORDS,
    matched_share,
    naive_shares,
    nonsense,
    of_sentences,
    of_text,
    saved,
    shares,
    words_of,
)

BY_SENTENCES = ("fourgrams", "fuzzy")
SENTENCES = st.lists(st.sampled_from(ALIKE_WORDS), min_size=1, max_size=7).map(" ".join)
# pages that repeat a few sentences, their own and each other's.
SOME_PAGES = st.lists(SENTENCES, min_size=2, max_size=5).flatmap(
    lambda pool: st.lists(
        st.lists(st.sampled_from(pool), min_size=1, max_size=6), min_size=2, max_size=6
    )
)


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_the_document_overlap_of_the_thesis(name):
    """12 common sentences of 32 and of 21."""
    both = nonsense("Both", 12)
    made = make_method(name)
    made.add(of_sentences(*nonsense("Two", 9), *both, name="d2"))
    (found,) = made.candidates(of_sentences(*both, *nonsense("One", 20)))
    assert found == ("d2", 12 / 32, 12 / 21)
    assert [round(share, 2) for share in found[1:]] == [0.38, 0.57]


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_a_sentence_that_repeats_counts_once(name):
    tide, moon, ice = "The tide came in.", "A moon rose over hills.", "Thick ice broke up."
    made = make_method(name)
    made.add(of_text(f"{tide} {tide} {tide} {tide} {ice} {ice}", "old"))
    assert made.candidates(of_text(f"{tide} {tide} {moon}")) == [("old", 2 / 3, 4 / 6)]


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_numbers_count_with_the_option(name):
    old, new = of_text("The ferry left in 1999.", "old"), of_text("The ferry left in 2005.")
    for numbers, found in ((False, 1), (True, 0)):
        made = make_method(name, numbers=numbers)
        made.add(old)
        assert len(made.candidates(new)) == found


@pytest.mark.parametrize(("name", "module"), [("fourgrams", fourgrams), ("fuzzy", fuzzy)])
def test_equal_sentences_are_found_beyond_the_limits_of_work(name, module, monkeypatch):
    monkeypatch.setattr(module, "MOST_HOLDERS", 1)
    monkeypatch.setattr(fuzzy, "MOST_PAIRS", 0)
    made = make_method(name)
    made.add(of_sentences(*nonsense("Tide", 8), name="first"))
    made.add(of_sentences(*nonsense("Tide", 9), name="second"))
    found = shares(made.candidates(of_sentences(*nonsense("Tide", 9))))
    assert found["second"] == (1, 1)
    assert found["first"][1] == 1


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_the_best_documents_are_returned(name):
    made = make_method(name, max_candidates=2)
    sentences = nonsense("Tide", 5)
    for count in (1, 4, 2, 5):
        made.add(of_sentences(*sentences[:count], *nonsense("Moon", 5 - count), name=str(count)))
    assert [match.name for match in made.candidates(of_sentences(*sentences))] == ["5", "4"]


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_a_bad_model_is_named_at_the_start(name, tmp_path):
    bad = tmp_path / "bad.model"
    bad.write_bytes(b"nothing")
    for path, problem in ((bad, "is not a model"), (tmp_path / "none", "Can't read the model")):
        with pytest.raises(SettingError, match=problem):
            Deduplicator(tmp_path / "store", method=name, method_options={"model": str(path)})


def naive_representation(words: tuple[str, ...], counts: Counter[str]) -> list[str]:
    """Return the three rarest 4-grams, the first of equally rare ones first."""
    text = "".join(words)
    places = range(max(1, len(text) - 3))
    by_rarity = sorted(places, key=lambda at: (counts[text[at : at + 4]], at))
    return list(dict.fromkeys(text[at : at + 4] for at in by_rarity))[:3]


@given(SOME_PAGES)
@settings(max_examples=100)
def test_the_frequency_of_4_grams_is_that_of_the_documents_so_far(pages):
    made = make_method("fourgrams")
    *pages, page = pages
    new = of_sentences(*page)
    known: dict[str, list[tuple[str, ...]]] = {}
    for number, one in enumerate(pages):
        document = of_sentences(*one, name=str(number))
        made.add(document)
        known[document.name] = words_of(document)
        counts = Counter(
            text[at : at + 4]
            for sentences in known.values()
            for text in map("".join, sentences)
            for at in range(max(1, len(text) - 3))
        )

        def same(one: tuple[str, ...], other: tuple[str, ...], counts=counts) -> bool:
            return naive_representation(one, counts) == naive_representation(other, counts)

        assert shares(made.candidates(new)) == naive_shares(words_of(new), known, same)


def test_a_representation_changes_with_the_corpus():
    """As long as all 4-grams are equally rare, the first ones represent a sentence."""
    made = make_method("fourgrams")
    creations, claims = "Novel creations.", "Novel claims."
    made.add(of_text(creations, "creations"))
    assert shares(made.candidates(of_text(creations)))["creations"] == (1, 1)
    assert made.candidates(of_text(claims)) == [], "grams that are not known at all are rarer"
    made.add(of_text(claims, "claims"))
    both = of_text(f"{creations} {claims}", "both")
    assert shares(made.candidates(both)) == {"creations": (0.5, 1), "claims": (0.5, 1)}


@given(SOME_PAGES, st.lists(st.lists(SENTENCES, min_size=1, max_size=6), max_size=3))
@settings(max_examples=50)
def test_with_a_model_the_frequency_of_4_grams_is_the_models(tmp_path_factory, pages, corpus):
    *pages, page = pages
    model = train(
        [[text.split() for text in texts] for texts in [*corpus, [" ".join(ALIKE_WORDS)]]]
    )
    path = saved(model, tmp_path_factory)
    made, new = make_method("fourgrams", model=path), of_sentences(*page)
    known = {}
    for number, one in enumerate(pages):
        document = of_sentences(*one, name=str(number))
        made.add(document)
        known[document.name] = document.lettered_sentences
    expected = {}
    for name, sentences in known.items():
        found = match(new.lettered_sentences, sentences, matching.SentenceTest("fourgrams", model))
        if any(partner.place >= 0 for partner in found.first):
            expected[name] = (matched_share(found.first), matched_share(found.second))
    assert shares(made.candidates(new)) == expected
