"""CoDet's rivals as Varol's thesis has them: preparation, idf of a reference collection, bits."""

from __future__ import annotations

import pytest

from dedup_middleware.methods import Document, make_method
from dedup_middleware.methods.codet import shortened
from lab.accuracy.scoring import Label
from lab.published.codet import METHODS, PUBLISHED_METHODS, scored
from lab.published.codet_material import STEM, STOP_WORDS, collection_of, frequent_words, prepared
from lab.published.material import Labelled
from tests.support.texts import article

SHARED = "The harbour master counted ninety seven fishing boats before breakfast yesterday."


def labelled(count: int) -> Labelled:
    documents = [Document.of_text(str(n), " ".join(article(n))) for n in range(count)]
    labels = {one.name: Label(one.name, "negative", {}) for one in documents}
    return Labelled("stream", "stream", [documents], labels)


def test_the_parameters_are_those_in_print():
    assert STOP_WORDS == 180
    assert STEM == 5
    assert set(METHODS) == set(PUBLISHED_METHODS)
    assert METHODS["DSC"][1]["containment"] is METHODS["FFP"][1]["containment"] is True
    assert METHODS["DSC"][2] == METHODS["FFP"][2] == 0.6
    codet = METHODS["CoDet"][1]
    assert (codet["plus_one"], codet["repeats"]) == (False, True)
    assert METHODS["I-Match"][1] == {"skip": 2, "words": 10}


@pytest.mark.parametrize(("bits", "apart", "alike"), [("160", 2, True), ("160", 3, False)])
def test_fewer_than_three_bits_of_160_may_differ(bits, apart, alike):
    name, options, threshold = METHODS["SimHash"]
    made = make_method(name, **options)
    assert options["bits"] == bits
    assert made.threshold == threshold == 1 - 2 / 160
    assert (1 - apart / int(bits) >= made.threshold) is alike
    assert make_method("simhash").threshold == 1 - 2 / 64
    assert make_method("simhash", threshold=0.9, distance=4).threshold == 0.9


def test_stop_words_are_the_most_frequent_of_the_collection():
    documents = labelled(8).documents
    found = frequent_words(documents)
    assert len(found) <= STOP_WORDS
    counts = [sum(one.words.count(word) for one in documents) for word in found]
    assert counts == sorted(counts, reverse=True)


def test_rivals_see_five_characters_without_stop_words():
    found = collection_of(labelled(12))
    words = [word for one in found.shortened.pages.documents for word in one.words]
    assert max(map(len, words)) == STEM
    whole = [word for one in found.stopped.pages.documents for word in one.words]
    assert max(map(len, whole)) > STEM
    assert not {*whole} & {*found.stop_words}
    assert len(found.plain.pages.documents) == 9, "the last quarter gives idf only"
    assert len(found.plain.reference) == 3
    sentences = prepared(Document.of_text("a", f"{SHARED} {SHARED[:-1]} again."), frozenset())
    assert len(sentences.sentences) == 2


@pytest.mark.parametrize("name", ["codet", "imatch", "simhash"])
def test_idf_of_a_reference_collection_does_not_change(name):
    reference = labelled(6).documents
    known, new = Document.of_text("known", SHARED * 3), Document.of_text("new", SHARED * 3)
    made = make_method(name)
    made.refer_to(reference)
    made.add(known)
    first = made.candidates(new)
    assert [match[1:] for match in first] == [(1.0, 1.0)]
    for one in labelled(20).documents:
        made.add(one.named(f"more {one.name}"))
    assert [match for match in made.candidates(new) if match.name == "known"] == first


def test_repeated_words_of_a_sentence_stay_if_wanted():
    document = Document.of_text("a", "No boat, no tide, no boat sank.")
    assert shortened(document, "none", stop_words=False) == [("no", "boat", "tide", "sank")]
    kept = shortened(document, "none", stop_words=False, repeats=True)
    assert kept == [("no", "boat", "no", "tide", "no", "boat", "sank")]


@pytest.mark.parametrize("name", METHODS)
def test_a_copy_is_found_as_published(name):
    pages = labelled(12)
    copy = pages.documents[2].named("copy")
    batch = [*pages.documents[:6], copy, *pages.documents[6:]]
    label = Label("copy", "positive", {"2": ["near"]})
    method, options, threshold = METHODS[name]
    collection = collection_of(Labelled("s", "stream", [batch], {**pages.labels, "copy": label}))
    counts = scored(collection, method, options).at(threshold)
    assert (counts.found, counts.missed) == (1, 0)
