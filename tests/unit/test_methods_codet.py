"""CoDet: against the examples of the thesis and a naive oracle."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.fingerprint.hashing import word_hash, word_hashes
from dedup_middleware.methods import Document
from dedup_middleware.methods._index import WordCounts
from dedup_middleware.methods.base import MOST_WORDS
from dedup_middleware.methods.codet import CoDet, Steps, shortened, steps
from dedup_middleware.store.tables import Tables
from dedup_middleware.verdict import Kind
from tests.support.methods import shares

WORDS = "kol mip zub dorn flim grak vunt pelk".split()  # no stop words
A = "NASDAQ starts day with an increase. Shares gain 2%."
B = "NASDAQ starts the day with a decrease. Shares lose 2%."
C = "Shares lose 2%."
NEW = 1 + math.log10(2)  # idf of a word that the one known document lacks

Sentence = tuple[str, ...]


def document(name: str, sentences: Iterable[Iterable[str]]) -> Document:
    return Document.of_text(name, " ".join(f"{' '.join(one).title()}." for one in sentences))


def in_order(sentence: str, *, depth: int = 60, suffixes: int = 1) -> Steps:
    """Take the steps of one sentence, words as they stand."""
    found = sentence.split()
    places = [found.index(word) for word in found]
    none = np.zeros((1, len(found)), np.int64)
    return steps([places], word_hashes(found), none, depth=depth, suffixes=suffixes)


# The thesis.


def test_the_example_of_the_thesis():
    """Figure 3.1: what the three documents share, without stop words, words as they stand."""
    codet = CoDet(sorting=False, stemming="none")
    codet.add(Document.of_text("a", A))
    # nasdaq, starts, day and shares, by their depths; each document scores 10 + 6 with itself
    assert shares(codet.candidates(Document.of_text("b", B))) == {"a": (7 / 16, 7 / 16)}
    codet.add(Document.of_text("b", B))
    # when b was added, "decrease" and "lose" were new
    alone = (1 + 2 + 3 + 4 * NEW) + (1 + 2 * NEW + 3)
    assert shares(codet.candidates(Document.of_text("c", C))) == {
        "a": (1 / 6, 1 / 16),
        "b": pytest.approx((1.0, (1 + 2 * NEW + 3) / alone)),
    }
    assert codet.matches(Document.of_text("c", C))[0].name == "b"
    assert codet.kind(codet.matches(Document.of_text("c", C))[0]) is Kind.CONTAINED


def test_a_step_is_worth_its_depth_by_its_idf():
    """The node "starts" of Figure 3.1: depth 2, in 2 of 3 documents, 1 added to idf."""
    counts = WordCounts(Tables())
    for text in (B, C):
        counts.count(Document.of_text("", text).hashes)
    found = in_order("nasdaq starts day with an increase")
    words = word_hashes("nasdaq starts day with an increase".split())
    idf = counts.idf_by_stage(words, plus_one=True, included=True)[-1]  # with A, the third
    values = found.depths * idf[found.words]
    assert values[found.words == 1] == pytest.approx(2 * (math.log10(3 / 2) + 1))


def test_sentences_score_by_what_begins_alike():
    """John is happy, John is sad: two words in common."""
    happy, sad = in_order("john is happy"), in_order("john is sad")
    common = np.isin(happy.keys, sad.keys)
    at = [happy.places.tolist().index(place) for place in np.flatnonzero(common)]
    assert sorted(happy.depths[at].tolist()) == [1, 2]


def test_depth_threshold_and_suffixes():
    sentence = "nasdaq starts day with an increase"
    assert sorted(in_order(sentence, depth=3).words.tolist()) == [0, 1, 2]
    three = in_order(sentence, suffixes=3)
    for suffix in (sentence, "starts day with an increase", "day with an increase"):
        assert set(in_order(suffix).keys.tolist()) <= set(three.keys.tolist())
    assert len(three.keys) == 6 + 5 + 4


def test_a_container_can_score_more_than_enough():
    """Its other sentences may begin like the contained ones, too; the share stays 1."""
    codet = CoDet(sorting=False)
    codet.add(Document.of_text("c", "Kol mip zub. Kol mip dorn. Kol mip flim."))
    # 6 + 3 + 3 by 6 + 3, and by three times 6 and six times 3
    assert shares(codet.candidates(Document.of_text("a", "Kol mip zub. Grak vunt."))) == {
        "c": (1.0, 12 / 36)
    }


# The oracle.


@dataclass(frozen=True)
class Oracle:
    """Every sentence against every other, with what the earlier of two documents knew of idf."""

    depth: int = 5
    suffixes: int = 1
    power: float = 1.0
    sorting: bool = True
    plus_one: bool = True
    most: int = 1_000
    window: int = 0

    def scores(self, known: list[list[Sentence]], query: list[Sentence]) -> dict[str, object]:
        found = {}
        oldest = len(known) - self.window if self.window else 0
        for number, other in enumerate(known):
            if number < oldest:
                continue
            idf = self.idf(known, number)
            mine, theirs = self.paths(query, idf), self.paths(other, idf)
            full = self.full(known)
            score = sum(self.cs(a, b, idf, full) for a in mine for b in theirs)
            if score > 0:
                own, alone = (
                    sum(self.cs(a, b, idf) for a in some for b in some) for some in (mine, theirs)
                )
                found[str(number)] = pytest.approx((min(1, score / own), min(1, score / alone)))
        return found

    def idf(self, known: list[list[Sentence]], number: int) -> dict[str, float]:
        """Weigh words by the documents of the last power of two before one was added."""
        counted = known[: 2 ** (number.bit_length() - 1)] if number else []
        return {
            word: self.plus_one
            + math.log10(
                (len(counted) + 1) / (sum(any(word in one for one in some) for some in counted) + 1)
            )
            for word in WORDS
        }

    def paths(self, sentences: list[Sentence], idf: dict[str, float]) -> list[Sentence]:
        distinct = dict.fromkeys(tuple(dict.fromkeys(one)) for one in sentences)
        ordered = [
            sorted(one, key=lambda word: (-idf[word], word_hash(word.encode())))
            if self.sorting
            else one
            for one in distinct
        ]
        return [
            tuple(one[start:][: self.depth])
            for one in ordered
            for start in range(min(self.suffixes, len(one)))
        ]

    def full(self, known: list[list[Sentence]]) -> set[Sentence]:
        """List the beginnings that too many documents have."""
        visited: dict[Sentence, set[int]] = {}
        for number, sentences in enumerate(known):
            for path in self.paths(sentences, self.idf(known, number)):
                for size in range(1, len(path) + 1):
                    visited.setdefault(path[:size], set()).add(number)
        return {start for start, numbers in visited.items() if len(numbers) >= self.most}

    def cs(
        self,
        one: Sentence,
        other: Sentence,
        idf: dict[str, float],
        full: Iterable[Sentence] = frozenset(),
    ) -> float:
        score = 0.0
        for k in range(1, min(len(one), len(other)) + 1):
            if one[:k] != other[:k]:
                break
            if one[:k] not in full:
                score += k**self.power * idf[one[k - 1]]
        return score


corpora = st.lists(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(tuple), min_size=1, max_size=4
    ),
    min_size=2,
    max_size=9,
)
oracles = st.builds(
    Oracle,
    depth=st.integers(1, 7),
    suffixes=st.integers(1, 4),
    power=st.sampled_from([0.0, 1.0, 1.5, 3.0]),
    sorting=st.booleans(),
    plus_one=st.booleans(),
)


def check(oracle: Oracle, corpus: list[list[Sentence]]) -> None:
    codet = CoDet(
        depth=oracle.depth,
        suffixes=oracle.suffixes,
        power=oracle.power,
        sorting=oracle.sorting,
        plus_one=oracle.plus_one,
        most_visitors=oracle.most,
        window=oracle.window,
        stemming="none",
    )
    for number, sentences in enumerate(corpus):
        made = document(str(number), sentences)
        assert shares(codet.candidates(made)) == oracle.scores(corpus[:number], sentences)
        codet.add(made)


@given(corpora, oracles)
def test_scores_are_those_of_the_definition(corpus: list[list[Sentence]], oracle: Oracle):
    check(oracle, corpus)


@given(corpora, st.integers(1, 4))
def test_nodes_with_many_visitors_are_deactivated(corpus: list[list[Sentence]], most: int):
    check(Oracle(most=most), corpus)


@given(corpora, st.integers(1, 4))
def test_old_documents_leave(corpus: list[list[Sentence]], window: int):
    check(Oracle(window=window), corpus)


def test_a_node_stays_deactivated_when_its_visitors_have_left():
    codet = CoDet(most_visitors=2, window=2, stemming="none")
    same, other = ([("kol", "mip")], [("zub", "dorn")])
    for number, said in enumerate([same, same, same, other, other]):
        codet.add(document(str(number), said))
    assert shares(codet.candidates(document("d", same))) == {}
    assert shares(codet.candidates(document("d", other))) == {}
    codet = CoDet(most_visitors=2, window=2, stemming="none")
    for number, said in enumerate([same, same, other, same]):
        codet.add(document(str(number), said))
    assert list(shares(codet.candidates(document("d", same)))) == ["3"]


def test_lists_of_visitors_do_not_grow_beyond_the_window():
    tables = Tables()
    codet = CoDet(window=3, tables=tables)
    for number in range(40):
        codet.add(document(str(number), [("kol", "mip", "zub")]))
    nodes = [value for key, value in tables._values.items() if key.startswith(b"node:")]
    assert max(map(len, nodes)) <= 4 * 8
    assert list(shares(codet.candidates(document("d", [("kol", "mip", "zub")])))) == [
        "37",
        "38",
        "39",
    ]


def test_words_are_shortened_by_the_option():
    made = Document.of_text("a", "The international markets of 1999 and their marketing. The, of.")
    assert shortened(made, "first5") == [("inter", "marke", "1999"), ("the", "of")]
    assert shortened(made, "stems") == [("intern", "market", "1999"), ("the", "of")]
    assert shortened(made, "none") == [
        ("international", "markets", "1999", "marketing"),
        ("the", "of"),
    ]
    other = Document.of_text("b", "International marketing at markets of 1999")
    for stemming, share in (("first5", 1.0), ("stems", 1.0), ("none", 1.0)):
        codet = CoDet(stemming=stemming)
        codet.add(made)
        assert codet.candidates(other)[0].forward == share


@pytest.mark.parametrize(
    "said",
    [
        "",
        "!?.",
        " ".join(f"word{number}" for number in range(40_000)),
        ". ".join(f"Word{number}" for number in range(40_000)),
        "Kol mip. Zub dorn. " * 20_000,
        "天" * 40_000,
        "\ud800 \x00 \u202e. A\x1b[31m b",
    ],
    ids=["empty", "marks", "one sentence", "one word", "repeats", "spaceless", "odd"],
)
def test_hostile_text(said: str):
    codet, made = CoDet(), Document.of_text("a", said)
    sentences = shortened(made, "first5")
    assert sum(map(len, sentences)) <= MOST_WORDS
    for name in ("a", "b"):
        codet.add(made.named(name))
    found = {match.name: match[1:] for match in codet.matches(made)}
    assert found == {name: (1.0, 1.0) for name in ("a", "b") if sentences}
