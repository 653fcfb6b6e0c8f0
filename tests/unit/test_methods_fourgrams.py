"""Methods that compare sentences: what 4-grams and fuzzy sets share, and 4-grams alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, SettingError
from dedup_middleware.methods import fourgrams, fuzzy, make_method
from dedup_middleware.similarity import matching
from dedup_middleware.similarity.matching import match
from lab.training import train
from tests.support.methods import (
    ALIKE_WORDS,
    matched_share,
    nonsense,
    of_sentences,
    of_text,
    saved,
    shares,
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
