"""OS-CDS: against the examples of the paper and a naive oracle."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.methods import Document, Match, make_method
from dedup_middleware.methods.base import MOST_WORDS
from dedup_middleware.methods.oscds import OSCDS, Lists, clauses, words_needed
from dedup_middleware.store.tables import Tables
from dedup_middleware.verdict import Kind
from tests.support.methods import shares

WORDS = "kol mip zub dorn flim grak vunt pelk".split()  # no stop words, and stems already
SHARES = (0.3, 0.5, 0.55, 0.7, 0.8, 0.9, 1.0)

Sentences = list[list[str]]


def text(*sentences: str | list[str]) -> str:
    return " ".join(
        f"{one if isinstance(one, str) else ' '.join(one)}." for one in sentences if one
    )


def document(name: str, *sentences: str | list[str]) -> Document:
    return Document.of_text(name, text(*sentences) or ".")


def oracle(
    known: list[Sentences], query: Sentences, share: float, *, accumulate: bool = True
) -> dict[str, object]:
    """Score each sentence of the query against every sentence of every document."""

    def refined(sentences: Sentences) -> set[tuple[str, ...]]:
        distinct = {tuple(dict.fromkeys(sentence)) for sentence in sentences}
        return {sentence for sentence in distinct if len(sentence) > 1}

    def counted(sentence: tuple[str, ...], others: set[tuple[str, ...]]) -> float:
        shared = [
            1.0 if other == sentence else len({*sentence} & {*other}) / len(sentence)
            for other in others
        ]
        same = [1.0] * (sentence in others)
        found = [one for one in shared if one >= share] or same
        return sum(found) if accumulate else max(same + found, default=0.0)

    mine = refined(query)
    found = {}
    for number, sentences in enumerate(known):
        registered = refined(sentences)
        total = sum(counted(sentence, registered) for sentence in mine)
        if total:
            both = min(1, total / len(mine)), min(1, total / len(registered))
            found[str(number)] = pytest.approx(both)
    return found


documents = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), max_size=5),
    min_size=2,
    max_size=8,
)


# The paper.


@pytest.mark.parametrize(
    ("said", "refined"),
    [
        ("The Shi'ite clerics of al-Sistani met.", [("shiit", "cleric", "alsistani", "met")]),
        ("Co-operation in 1999, e-mail and data4all", [("email", "dataal")]),
        ("Die in Rome.", [("die", "rome")]),  # two stop words of German by chance
        ("Der Hund und die Katze", [("hund", "katz")]),  # three
    ],
)
def test_chunks_are_made_of_letters_in_a_language_that_is_shown(said, refined):
    assert clauses(Document.of_text("a", said)) == refined


def test_a_sentence_overlaps_another_by_the_words_it_shares():
    oscds = OSCDS(sentence_threshold=0.75)
    oscds.add(document("acd", "kol zub dorn"))
    assert shares(oscds.candidates(document("abcd", "kol mip zub dorn"))) == {"acd": (0.75, 0.75)}
    other_way = OSCDS(sentence_threshold=0.75)
    other_way.add(document("abcd", "kol mip zub dorn"))
    assert shares(other_way.candidates(document("acd", "kol zub dorn"))) == {"abcd": (1.0, 1.0)}


def test_a_registered_sentence_remembers_what_overlaps_it():
    """Whichever of the two was registered first: 75 % one way, .75 * 4 / 3 = 100 % the other."""
    long, short = "kol mip zub dorn", "kol zub dorn"
    for first, second in ((long, short), (short, long)):
        oscds = OSCDS(sentence_threshold=0.75)
        oscds.add(document("first", first))
        oscds.add(document("second", second))
        both = {"first": first, "second": second}
        assert shares(oscds.candidates(document("d", long))) == {
            name: (1.0, 1.0) if said == long else (0.75, 0.75) for name, said in both.items()
        }
        assert shares(oscds.candidates(document("d", short))) == {
            "first": (1.0, 1.0),
            "second": (1.0, 1.0),
        }


def test_overlaps_add_up_unless_only_the_best_is_wanted():
    """A sentence that three of a document overlap counts three times, in the relevance array."""
    known = document(
        "r", "kol mip zub dorn flim", "kol mip zub dorn grak", "kol mip zub dorn", "x y"
    )
    query = document("d", "kol mip zub dorn vunt", "pelk vunt")
    for accumulate, total in ((True, 3 * 0.8), (False, 0.8)):
        oscds = OSCDS(accumulate=accumulate)
        oscds.add(known)
        (found,) = oscds.candidates(query)
        assert found == ("r", pytest.approx(min(1, total / 2)), pytest.approx(min(1, total / 4)))


def test_only_sufficient_overlaps_count():
    """A sentence of which 60 % are known adds nothing at 65 %; one of which 90 % are adds .9."""
    ten = [f"{word}{sign}" for word in WORDS[:5] for sign in "ab"]
    other = [f"{word}{sign}" for word in WORDS[:5] for sign in "cd"]
    oscds = OSCDS(sentence_threshold=0.65)
    oscds.add(document("r", [*ten[:6], "x", "y"], [*other[:9], "z"]))
    assert shares(oscds.candidates(document("d", ten, other))) == {"r": (0.45, 0.45)}


def test_common_sentences_are_counted_for_each_document():
    sentences = [f"{one} {other}" for one, other in product(WORDS[:4], WORDS[4:])]
    oscds = OSCDS(overlaps=False)
    oscds.add(document("r1", *sentences[:5]))
    oscds.add(document("r2", *sentences[3:10]))
    query = document("q", *sentences[:10])
    assert shares(oscds.candidates(query)) == {"r1": (0.5, 1.0), "r2": (0.7, 1.0)}


def test_the_shorter_document_decides():
    """Sum by the smaller number of sentences: subsets and supersets are found alike."""
    oscds = OSCDS(threshold=1.0)
    oscds.add(document("r", "kol mip", "zub dorn", "flim grak"))
    part = oscds.matches(document("part", "zub dorn"))
    whole = oscds.matches(document("whole", "kol mip", "zub dorn", "flim grak", "vunt pelk"))
    assert part == [Match("r", 1.0, pytest.approx(1 / 3))]
    assert whole == [Match("r", 0.75, 1.0)]
    assert [oscds.kind(*part), oscds.kind(*whole)] == [Kind.CONTAINED, Kind.CONTAINS]
    assert oscds.kind(*oscds.matches(document("same", "zub dorn", "kol mip", "flim grak"))) == (
        Kind.NEAR
    )


@pytest.mark.parametrize(
    ("threshold", "found"), [(1.0, [3]), (0.9, [3]), (0.5, [2, 3]), (0.05, [1, 2, 3])]
)
def test_levels(threshold: float, found: list[int]):
    pairs = [f"{one} {other}" for one, other in product(WORDS[:4], WORDS[4:])]
    oscds = make_method("oscds", threshold=threshold)
    for number, shared in enumerate((0, 1, 2, 4)):
        own = [f"{WORDS[number]}x{at} {WORDS[number]}y{at}" for at in "bdgk"[shared:]]
        oscds.add(document(str(number), *pairs[:shared], *own))
    matches = oscds.matches(document("d", *pairs[:4]))
    assert sorted(int(match.name) for match in matches) == found
    classes = {1: "some", 2: "high", 3: "exact"}
    assert all(match.level == classes[int(match.name)] for match in matches)


def test_refinement():
    """As 5.2.1 of the paper: marks, letters, stop words, stems, repetitions, single words."""
    made = Document.of_text(
        "a",
        "Prices: it is said, were rising; RISING prices! 20 prices, of the rising of prices? Copy",
    )
    assert clauses(made) == [("rise", "price")]
    made = Document.of_text("a", "Some prices of 20 and prices of 30 were rising. All were, too.")
    assert clauses(made) == [("price", "rise")]
    assert clauses(made, numbers=True) == [("price", "20", "30", "rise")]


# The oracle.


@given(documents, st.sampled_from(SHARES), st.booleans())
def test_scores_are_those_of_the_definition(made: list[Sentences], share: float, accumulate: bool):
    oscds = OSCDS(sentence_threshold=share, accumulate=accumulate)

    def expected(known: list[Sentences], query: Sentences) -> dict[str, object]:
        return oracle(known, query, share, accumulate=accumulate)

    for number, sentences in enumerate(made):
        one = document(str(number), *sentences)
        assert shares(oscds.candidates(one)) == expected(made[:number], sentences)
        oscds.add(one)
    for sentences in made:  # now that all are registered
        assert shares(oscds.candidates(document("d", *sentences))) == expected(made, sentences)


@given(documents)
def test_without_overlaps_only_equal_sentences_count(made: list[Sentences]):
    oscds = OSCDS(overlaps=False)
    for number, sentences in enumerate(made):
        one = document(str(number), *sentences)
        assert shares(oscds.candidates(one)) == oracle(made[:number], sentences, 1.1)
        oscds.add(one)


@given(documents, st.sampled_from(SHARES), st.integers(1, 3))
def test_full_lists_only_lose_matches(made: list[Sentences], share: float, most: int):
    oscds = OSCDS(sentence_threshold=share, most_documents=most, most_sentences=most)
    whole = OSCDS(sentence_threshold=share)
    for number, sentences in enumerate(made):
        one = document(str(number), *sentences)
        found, all_ = shares(oscds.candidates(one)), shares(whole.candidates(one))
        assert found.keys() <= all_.keys()
        for name, both in found.items():
            assert all(some <= more + 1e-9 for some, more in zip(both, all_[name], strict=True))
        oscds.add(one)
        whole.add(one)


@given(documents, st.sampled_from(SHARES), st.floats(0, 1))
def test_a_copy_is_what_overlaps_enough(made: list[Sentences], share: float, threshold: float):
    oscds = OSCDS(threshold=threshold, sentence_threshold=share)
    for number, sentences in enumerate(made[1:]):
        oscds.add(document(str(number), *sentences))
    for match in oscds.candidates(document("d", *made[0])):
        assert (oscds.kind(match) is not None) == (max(match[1:]) >= threshold)


@given(st.integers(1, 60), st.floats(0.05, 1))
def test_words_needed(words: int, share: float):
    needed = words_needed(words, share)
    assert needed / words >= share
    assert needed == 1 or (needed - 1) / words < share


@given(
    st.dictionaries(st.integers(1, 50), st.sets(st.integers(0, 2**56 - 2), max_size=6)),
    st.integers(1, 4),
    st.integers(0, 8),
)
def test_lists_are_bounded(entries: dict[int, set[int]], most: int, rows: int):
    tables = Tables()
    Lists(tables, 1, most=most, rows=rows).extend(entries)
    Lists(tables, 2, most=most, rows=rows).extend({99: [*range(9), 2**56 - 1]})
    expected = {
        key: [number for number, keys in entries.items() if key in keys][:most]
        for key in set().union(*entries.values())
    }
    lists, keys = Lists(tables, 1, most=most, rows=rows), [*expected, 2**56 - 1]
    assert {key: lists.length(key) for key in expected} == {
        key: len(numbers) for key, numbers in expected.items()
    }
    which, numbers = lists.read(keys)
    assert len(which) <= rows
    read = {keys[at] for at in which.tolist()}
    got = {
        key: [n for at, n in zip(which, numbers, strict=True) if keys[at] == key] for key in read
    }
    assert got == {key: expected[key] for key in read}
    skipped = [len(expected[key]) for key in expected if key not in read]
    assert not skipped or not read or min(skipped) >= max(len(expected[key]) for key in read)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "!?.",
        " ".join(f"word{number}" for number in range(40_000)),
        ". ".join(f"word{number}" for number in range(40_000)),
        ". ".join(f"{one} {other}" for one, other in product(WORDS, WORDS)) * 300,
        " ".join(f"{WORDS[at % 8]}{at % 300} {WORDS[at % 7]}{at % 301}." for at in range(20_000)),
        "天" * 40_000,
        "\ud800 \x00 \u202e. a\x1b[31m b",
    ],
    ids=["empty", "marks", "one sentence", "one word", "repeats", "pairs", "spaceless", "odd"],
)
def test_hostile_text(said: str):
    oscds, made = OSCDS(), Document.of_text("a", said)
    sentences = clauses(made)
    assert sum(map(len, sentences)) <= MOST_WORDS
    for name in ("a", "b"):
        oscds.add(made.named(name))
    assert {match.name for match in oscds.matches(made)} == ({"a", "b"} if sentences else set())
