"""Shingles of words and characters, full fingerprints and DSC, against naive definitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.fingerprint.hashing import shingle_hashes, word_hashes
from dedup_middleware.methods import Document, Match
from dedup_middleware.methods.shingles import character_shingles
from tests.support.methods import CORPUS, WORDS, candidates, documents, indexed, of_words
from tests.support.texts import article

ALL = {"max_postings": 1000, "max_candidates": 1000}
U64 = st.integers(0, 2**64 - 1)
TEXTS = st.lists(st.text("abA .\u00e9", max_size=20), max_size=6)


def resemblance(one: set, other: set) -> tuple[float, float]:
    return (len(one & other) / len(one | other),) * 2


def containments(one: set, other: set) -> tuple[float, float]:
    return len(one & other) / len(one), len(one & other) / len(other)


def runs(things: list[str] | str, width: int) -> set:
    width = min(width, len(things))
    return {tuple(things[at : at + width]) for at in range(len(things) - width + 1)} - {()}


def expected(
    sets: list[set], mine: set, measure: Callable[[set, set], tuple[float, float]]
) -> list[Match]:
    return [Match(str(n), *measure(mine, one)) for n, one in enumerate(sets) if one & mine]


@given(CORPUS, WORDS, st.integers(1, 5), st.booleans())
def test_shingles_and_fingerprints_are_sets_of_runs_of_words(
    corpus: list[list[str]], query: list[str], width: int, containment: bool
) -> None:
    sets = [runs(words, width) for words in corpus]
    wanted = expected(sets, runs(query, width), containments if containment else resemblance)
    for name in ("shingles", "fingerprints"):
        made = indexed(name, width=width, containment=containment, **ALL)
        assert candidates(made, of_words(corpus), of_words([query])[0]) == wanted


@given(TEXTS, st.text("abA .\u00e9", max_size=20), st.integers(1, 5), st.booleans())
def test_characters_are_sets_of_runs_of_characters(
    texts: list[str], query: str, width: int, containment: bool
) -> None:
    def shingles(document: Document) -> set:
        return runs(" ".join(document.text.casefold().split()), width)

    known, (new,) = documents(texts), documents([query])
    wanted = expected(
        [shingles(document) for document in known],
        shingles(new),
        containments if containment else resemblance,
    )
    made = indexed("characters", width=width, containment=containment, **ALL)
    assert candidates(made, known, new) == wanted


@given(CORPUS, WORDS, st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_dsc_compares_the_shingles_divisible_by_the_modulus(
    corpus: list[list[str]], query: list[str], width: int, modulus: int, containment: bool
) -> None:
    def sample(words: list[str]) -> set:
        return {
            run
            for run in runs(words, width)
            if int(shingle_hashes(word_hashes(run), len(run))[0]) % modulus == 0
        }

    made = indexed("dsc", width=width, modulus=modulus, containment=containment, **ALL)
    wanted = expected(
        [sample(words) for words in corpus],
        sample(query),
        containments if containment else resemblance,
    )
    assert candidates(made, of_words(corpus), of_words([query])[0]) == wanted


@given(CORPUS, WORDS, st.integers(1, 3), st.integers(1, 4))
def test_dsc_can_compare_the_first_shingles_only(
    corpus: list[list[str]], query: list[str], width: int, first: int
) -> None:
    def beginning(words: list[str]) -> set:
        return runs(words[: width + first - 1], width)

    made = indexed("dsc", width=width, first=first, containment=True, **ALL)
    wanted = expected([beginning(words) for words in corpus], beginning(query), containments)
    assert candidates(made, of_words(corpus), of_words([query])[0]) == wanted


def test_worked_examples_of_shingles() -> None:
    assert character_shingles("acdacef", 2).tolist() == sorted(
        int(character_shingles(pair, 2)[0]) for pair in ("ac", "cd", "da", "ce", "ef")
    )
    assert (character_shingles("in \t\n  out", 3) == character_shingles("in out", 3)).all()
    sentence = Document.of_text("a", "I did my work today")
    assert sentence.shingles(3).tolist() == sorted(
        int(Document.of_text("b", part).shingles(3)[0])
        for part in ("I did my", "did my work", "my work today")
    )
    numbers = candidates(
        indexed("shingles", width=1), documents(["3 4 5 6"]), Document.of_text("b", "5 6 7 8")
    )
    assert numbers == [Match("0", 2 / 6, 2 / 6)]  # the paper prints 2/4
    rose = Document.of_text("a", "uma rosa é uma rosa é uma rosa")
    assert len(rose.shingles(4)) == 3
    red = documents(["uma rosa é uma rosa vermelha ou branca."])
    (match,) = candidates(indexed("shingles", containment=True), red, rose)
    assert match.forward == pytest.approx(2 / 3)


def test_longer_shingles_make_documents_less_alike() -> None:
    parts = article(1)
    edited = [text.replace(" the ", " that ") for text in parts]
    known, query = documents([" ".join(parts)]), Document.of_text("b", " ".join(edited))
    shares = [candidates(indexed("characters", width=q), known, query)[0][1] for q in (3, 4, 5, 9)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] > 0.5


@given(CORPUS, WORDS, st.integers(1, 3))
def test_a_shingle_leads_to_the_first_documents_and_shares_stay_exact(
    corpus: list[list[str]], query: list[str], most: int
) -> None:
    made = indexed("shingles", width=2, max_postings=most)
    found = candidates(made, of_words(corpus), of_words([query])[0])
    sets, mine = [runs(words, 2) for words in corpus], runs(query, 2)
    assert set(found) <= set(expected(sets, mine, resemblance))
    for shingle in mine:
        first = [str(number) for number, one in enumerate(sets) if shingle in one][:most]
        assert {match.name for match in found} >= set(first)
    if mine:
        keys = of_words([query])[0].shingles(2)
        assert np.unique(made.tables.postings(keys).keys, return_counts=True)[1].max(initial=0) <= (
            most
        )


def test_shares_are_exact_if_only_some_shingles_are_looked_up() -> None:
    long, short = " ".join(article(1, 400)), " ".join(article(1, 60))
    other = " ".join(article(1, 200) + article(40, 200))
    known = documents([long, short, other])
    for text in (long, short, other):
        query = Document.of_text("q", text)
        exact = candidates(indexed("characters", rate=1, **ALL), known, query)
        assert candidates(indexed("characters", rate=8), known, query) == exact
        assert len(exact) == 3


def test_the_closest_documents_are_scored_and_rare_shingles_count_more() -> None:
    common = "the boats were lifted by the tide"  # six shingles
    known = documents([common + " a", common + " b", "moonlit nights at sea"])
    query = Document.of_text("q", f"{common} on moonlit nights at")  # two more shingles
    made = indexed("shingles", width=2, max_candidates=1)
    assert [match.name for match in candidates(made, known, query)] == ["0"]
    for word in "defg":
        made.add(Document.of_text(word, f"{common} {word}"))
    assert [match.name for match in made.candidates(query)] == ["2"]
    made.max_candidates = 2
    assert [match.name for match in made.candidates(query)] == ["0", "2"]


def test_full_fingerprints_contain_a_document_from_three_in_five_on() -> None:
    words = [f"w{number}" for number in range(13)]  # ten shingles
    whole = Document.of_text("whole", " ".join(words))
    for kept, kind in ((6, "contained"), (5, None)):
        strange = [f"x{number}" for number in range(10 - kept)]
        part = Document.of_text("part", " ".join(words[: kept + 3] + strange))
        made = indexed("fingerprints")
        made.add(Document.of_text("whole", " ".join(words + [f"y{n}" for n in range(40)])))
        (match,) = made.candidates(part)
        assert (match.forward, made.kind(match)) == (kept / 10, kind)
    made = indexed("fingerprints")
    made.add(Document.of_text("part", " ".join(words[:7])))
    assert [made.kind(match) for match in made.matches(whole)] == ["contains"]
