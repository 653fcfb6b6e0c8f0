"""Methods that look at the text itself: long matches, rarest 4-grams, fuzzy sets of words."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page, SettingError, Verdict
from dedup_middleware.lab.training import Limits, train
from dedup_middleware.methods import Document, Match, fourgrams, fuzzy, make_method
from dedup_middleware.methods import patricia as sistrings
from dedup_middleware.methods.fuzzy import LEAST_SHARED, probes, same_words, share_most
from dedup_middleware.methods.patricia import SiStrings
from dedup_middleware.similarity import matching
from dedup_middleware.similarity.matching import match
from dedup_middleware.similarity.model import Model, save
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")
METHODS = ("patricia", "fourgrams", "fuzzy")
BY_SENTENCES = ("fourgrams", "fuzzy")


def of_text(text: str, name: str = "new") -> Document:
    return Document.of_text(name, text)


def of_sentences(*sentences: str, name: str = "new") -> Document:
    return of_text("\n\n".join(sentences), name)


def shares(found: list[Match]) -> dict[str, tuple[float, float]]:
    return {name: (forward, backward) for name, forward, backward in found}


# Long matches

ROSES = "uma rosa é uma rosa é uma rosa."
VIOLETS = "nunca uma rosa é uma rosa é uma violeta."
# Words of scripts with and without spaces, parts of one another; long ones are cut to be sorted.
PIECES = st.sampled_from(["a", "ab", "aab", "b", "ba", "漢", "字漢", "a漢", "a" * 64, "a" * 130])
PHRASES = st.lists(PIECES, min_size=1, max_size=5).map(" ".join)
TEXTS = st.lists(PHRASES, min_size=1, max_size=3).flatmap(
    lambda phrases: st.lists(st.sampled_from(phrases), min_size=1, max_size=8).map(" ".join)
)


def word_starts(text: str) -> list[int]:
    """List where words start: behind a blank, and at each character of a script without blanks."""
    behind_blank = [before == " " for before in f" {text}"[:-1]]
    return [
        place
        for place, (character, behind) in enumerate(zip(text, behind_blank, strict=True))
        if character != " " and (behind or character in "漢字")
    ]


def common(one: str, other: str) -> int:
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def naive_walk(indexed: str, walked: str, shortest: int) -> int:
    """Walk through a text by the definition, comparing with every SiString of the other."""
    total = at = 0
    starts = word_starts(walked)
    while at < len(walked):
        found = max(common(walked[at:], indexed[start:]) for start in word_starts(indexed))
        if found > shortest:
            total += found
            at += found
        else:
            at = next((start for start in starts if start > at), len(walked))
    return total


def test_the_roses_of_the_paper():
    roses, violets = SiStrings(ROSES), SiStrings(VIOLETS)
    assert len(ROSES) == 31
    assert roses.found(violets) == 26  # "uma rosa é uma rosa é uma "
    assert round(100 * roses.found(violets) / len(ROSES), 1) == 83.9
    patricia = make_method("patricia")
    patricia.add(of_text(VIOLETS, "violets"))
    (found,) = patricia.candidates(of_text(ROSES))
    assert (found.forward, found.backward) == (26 / 31, 26 / 40)
    assert make_method("patricia", shortest=26).candidates(of_text(ROSES)) == []


def test_only_matches_of_more_characters_count():
    """In the paper, of more than 15."""
    for length, found in ((15, 0), (16, 16)):
        match = "abcdefgh ijklmnopqrst"[:length]
        assert SiStrings(f"{match}. x").found(SiStrings(f"y {match}, z")) == found


def test_a_match_that_ends_inside_a_word_is_gone_on_from_there():
    walked = SiStrings("one two three fourteen years of the sea")
    in_parts = SiStrings("one two three four teen years of the sea")
    assert in_parts.found(walked) == len(walked.text)
    otherwise = SiStrings("one two three fourth years of the sea")  # no word begins with "een"
    assert otherwise.found(walked) == len("one two three fourt") + len("years of the sea")


@given(TEXTS, TEXTS, st.integers(0, 20))
@settings(max_examples=200)
def test_the_walk_is_that_of_the_definition(indexed, walked, shortest):
    one, other = SiStrings(indexed, shortest), SiStrings(walked, shortest)
    assert one.starts.tolist() == word_starts(indexed)
    assert one.found(other) == naive_walk(indexed, walked, shortest)
    assert other.found(one) == naive_walk(walked, indexed, shortest)


@given(TEXTS)
def test_sistrings_are_in_the_order_of_their_characters(text):
    suffixes = sorted(text[start:] for start in word_starts(text))
    assert [text[start:] for start in SiStrings(text).order] == suffixes


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS, st.integers(3, 16))
@settings(max_examples=100)
def test_all_documents_with_a_long_match_are_found(known, text, shortest):
    patricia = make_method("patricia", shortest=shortest)
    new = of_text(text)
    expected = {}
    for number, one in enumerate(known):
        document = of_text(one, str(number))
        patricia.add(document)
        forward = naive_walk(document.text, new.text, shortest) / len(new.text)
        backward = naive_walk(new.text, document.text, shortest) / len(document.text)
        if forward or backward:
            expected[document.name] = (forward, backward)
    assert shares(patricia.candidates(new)) == expected


def test_what_many_documents_have_leads_to_the_first_but_counts_for_all():
    hot, rare = "what every page of the site says.", "what two pages say."
    patricia = make_method("patricia", max_postings=2)
    for name in "ab":
        patricia.add(of_text(hot, name))
    patricia.add(of_text(f"{hot} x", "c"))
    patricia.add(of_text(f"{hot} {rare}", "d"))
    found = shares(patricia.candidates(of_text(f"{hot} {rare}")))
    assert found.keys() == {"a", "b", "d"}
    assert found["d"] == (1, 1), "the part that many have is counted, too"


def test_the_documents_that_share_most_of_what_is_rare_are_compared():
    patricia = make_method("patricia", max_candidates=2)
    for name in "abc":
        patricia.add(of_text("What every page of the site says.", name))
    patricia.add(of_text("What every page of the site says, and a long tail besides.", "d"))
    new = of_text("What every page of the site says, and a long tail.")
    assert [match.name for match in patricia.candidates(new)] == ["a", "d"]


@pytest.mark.parametrize(
    "hostile",
    [
        lambda size: ("a" * size, "a" * size),
        lambda size: ("a" * size, f"{'a' * 20} b {'z' * (size // 2)}"),
        lambda size: ("ab " * (size // 3), f"{'ab ' * (size // 3 - 7)}x"),
        lambda size: ("ab ab ab ab ab abx " * (size // 19), "ab " * (size // 3)),
        lambda size: ("漢字" * (size // 2), f"{'字漢' * (size // 4)}x"),
        lambda size: ("The tide came in, and the boats rose. " * (size // 38),) * 2,
    ],
)
def test_the_work_grows_with_the_text_and_no_faster(hostile, monkeypatch):
    compared = 0

    def counted(*args: Any) -> int:
        nonlocal compared
        length = shared(*args)
        compared += length - args[-1]  # less what was known to be common
        return length

    shared = sistrings._common
    monkeypatch.setattr(sistrings, "_common", counted)
    small, large = 3_000, 24_000
    steps: list[int] = []
    for size in (small, large):
        compared = 0
        one, other = map(SiStrings, hostile(size))
        with lines_of(sistrings) as count:
            one.found(other)
            other.found(one)
        steps += count
        assert compared <= 2 * size * math.log2(size)
    assert steps[1] <= 1.5 * (large / small) * steps[0]


@contextmanager
def lines_of(module: Any) -> Iterator[list[int]]:
    """Count the lines of a module that run: steps that no other load on the machine changes."""
    count = [0]

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != module.__file__:
            return None
        count[0] += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "\ud800 \ud800x. " * 30, "♥ ♠ ♣ " * 30, "漢字。" * 2_000, "1 2 3. " * 9],
)
def test_strange_texts_are_known_from_themselves(name, text):
    made = make_method(name, numbers=True) if name in BY_SENTENCES else make_method(name)
    made.add(of_text(text, "old"))
    (found,) = made.candidates(of_text(text))
    assert found.forward == found.backward == 1
    for empty in ("", "\n\n", "."):
        made.add(of_text(empty, "nothing"))
        assert shares(made.candidates(of_text(empty))).keys() <= {"nothing"}
    assert len(made.candidates(of_text(text))) == 1


# Sentences

WORDS = "zaba abaz baza zabab abab bazab zazab".split()  # many 4-grams in common
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
# Pages that repeat a few sentences, their own and each other's.
SOME_PAGES = st.lists(SENTENCES, min_size=2, max_size=5).flatmap(
    lambda pool: st.lists(
        st.lists(st.sampled_from(pool), min_size=1, max_size=6), min_size=2, max_size=6
    )
)


def words_of(document: Document) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in document.lettered_sentences]


def nonsense(name: str, count: int) -> list[str]:
    return [f"{name}{'abcdefghijklmnopqrstuvw'[n]}x {name}y gone." for n in range(count)]


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


def naive_representation(words: tuple[str, ...], counts: Counter[str]) -> list[str]:
    """Give the three rarest 4-grams, the first of equally rare ones first."""
    text = "".join(words)
    places = range(max(1, len(text) - 3))
    by_rarity = sorted(places, key=lambda at: (counts[text[at : at + 4]], at))
    return list(dict.fromkeys(text[at : at + 4] for at in by_rarity))[:3]


@given(SOME_PAGES)
@settings(max_examples=100)
def test_fourgrams_are_rare_in_what_was_added_so_far(pages):
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


def naive_shares(
    mine: list[tuple[str, ...]],
    known: dict[str, list[tuple[str, ...]]],
    same: Callable[[tuple[str, ...], tuple[str, ...]], bool],
) -> dict[str, tuple[float, float]]:
    """Compare each sentence with each, and leave out documents without any in common."""
    found = {}
    for name, theirs in known.items():
        forward = sum(any(same(one, other) for other in theirs) for one in mine)
        backward = sum(any(same(one, other) for one in mine) for other in theirs)
        if forward:
            found[name] = (forward / len(mine), backward / len(theirs))
    return found


def test_a_representation_changes_with_the_corpus():
    """As long as all 4-grams are equally rare, the first ones stand for a sentence."""
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
def test_with_a_model_fourgrams_are_as_rare_as_it_says(tmp_path_factory, pages, corpus):
    *pages, page = pages
    model = train([[text.split() for text in texts] for texts in [*corpus, [" ".join(WORDS)]]])
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
            expected[name] = (found_share(found.first), found_share(found.second))
    assert shares(made.candidates(new)) == expected


def found_share(partners: list[Any]) -> float:
    return sum(partner.place >= 0 for partner in partners) / len(partners)


def saved(model: Model, folders: Any) -> str:
    path: Path = folders.mktemp("model") / "words.model"
    save(model, path)
    return str(path)


# Sentences as fuzzy sets

MANY_WORDS = [f"{word}{letter}" for word in WORDS[:4] for letter in "klm"]
LONG_SENTENCES = st.lists(st.sampled_from(MANY_WORDS), min_size=1, max_size=30).map(tuple)
SIMILAR = st.tuples(LONG_SENTENCES, st.randoms(use_true_random=False), st.integers(0, 6)).map(
    lambda drawn: (drawn[0], edited(*drawn))
)


def edited(words: tuple[str, ...], random: Any, edits: int) -> tuple[str, ...]:
    """Replace, drop and double some words of a sentence."""
    found = list(words)
    for _ in range(edits):
        at = random.randrange(len(found))
        found[at : at + 1] = random.choice([[f"new{at}"], found[at : at + 1] * 2, []])
        found = found or ["nothing"]
    return tuple(found)


def naive_share(one: tuple[str, ...], other: tuple[str, ...], model: Model | None) -> float:
    """Take the mean membership of words in a sentence."""

    def member(word: str) -> float:
        if word in other or not model:
            return float(word in other)
        return 1 - math.prod(1 - model.correlation(word, another) for another in set(other))

    return sum(map(member, one)) / len(one)


def naive_same(one: tuple[str, ...], other: tuple[str, ...], model: Model | None = None) -> bool:
    first, second = naive_share(one, other, model), naive_share(other, one, model)
    return min(first, second) >= 0.825 - 1e-6 and abs(first - second) <= 0.15 + 1e-6


@given(SIMILAR)
@settings(max_examples=300)
def test_sentences_of_mostly_the_same_words_are_the_same(pair):
    one, other = pair
    assert same_words(one, other) is same_words(other, one) is naive_same(one, other)
    assert same_words(one, one)


@given(SIMILAR, st.dictionaries(st.sampled_from(MANY_WORDS), st.integers(0, 9)))
@settings(max_examples=300)
def test_a_sentence_that_shares_so_much_has_one_of_the_rarest_words(pair, counts):
    one, other = pair
    for least in (0.825, LEAST_SHARED):
        chosen = probes(one, lambda word: counts.get(word, 0), least)
        if share_most(one, other, least):
            assert set(chosen) & set(other)
        rarest = sorted(counts.get(word, 0) for word in set(one))[: len(chosen)]
        assert [counts.get(word, 0) for word in chosen] == rarest


@st.composite
def collections_of_pages(draw: Any) -> list[list[tuple[str, ...]]]:
    """Make pages out of a few sentences and edited ones."""
    pool = [one for pair in draw(st.lists(SIMILAR, min_size=2, max_size=6)) for one in pair]
    page = st.lists(st.sampled_from(pool), min_size=1, max_size=6)
    return draw(st.lists(page, min_size=2, max_size=5))


@given(collections_of_pages())
@settings(max_examples=100)
def test_without_a_model_no_pair_of_sentences_is_lost(pages):
    made = make_method("fuzzy")
    *documents, new = (
        of_sentences(*(" ".join(words) for words in page), name=str(number))
        for number, page in enumerate(pages)
    )
    for document in documents:
        made.add(document)
    known = {document.name: words_of(document) for document in documents}
    found = shares(made.candidates(new))
    assert found == naive_shares(words_of(new), known, naive_same)
    for document in documents:
        matched = match(
            new.lettered_sentences, document.lettered_sentences, matching.SentenceTest("thesis")
        )
        expected = found_share(matched.first), found_share(matched.second)
        assert found.get(document.name, (0, 0)) == expected


COUNT_ALL = Limits(least_together=1, lowest=0.0, highest=0.95, copied=2.0)


@given(
    collections_of_pages(),
    st.lists(st.lists(st.sampled_from(MANY_WORDS), min_size=1), min_size=2, max_size=12),
)
@settings(max_examples=60)
def test_with_a_model_pairs_that_share_half_are_compared_by_it(tmp_path_factory, pages, corpus):
    model = train([[one] for one in corpus], limits=COUNT_ALL)
    made = make_method("fuzzy", model=saved(model, tmp_path_factory))
    *documents, new = (
        of_sentences(*(" ".join(words) for words in page), name=str(number))
        for number, page in enumerate(pages)
    )
    for document in documents:
        made.add(document)

    def same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        return one == other or (share_most(one, other, 0.5) and naive_same(one, other, model))

    known = {document.name: words_of(document) for document in documents}
    assert shares(made.candidates(new)) == naive_shares(words_of(new), known, same)


@pytest.fixture
def cars(tmp_path_factory) -> str:
    """Make a model in which a car is a motor, by .75, and a road a street."""
    together = ["car motor", "car motor road street", "car motor road street", "car road street"]
    texts = [f"{text} {word}" for text, word in zip(together, "abcd", strict=True)]
    return saved(train([[text.split()] for text in texts], limits=COUNT_ALL), tmp_path_factory)


def test_a_model_tells_which_other_words_mean_the_same(cars):
    old, new = "Red car hit old wall.", "Red motor hit old wall."
    for model, expected in (("", []), (cars, [("old", 1, 1)])):
        made = make_method("fuzzy", model=model)
        made.add(of_text(old, "old"))
        assert made.candidates(of_text(new)) == expected


def test_what_a_model_finds_in_other_words_alone_is_lost(cars):
    """Only a sentence that shares half of the words is compared by the model."""
    old, new = of_text("Car street.", "old"), of_text("Motor road.")
    made = make_method("fuzzy", model=cars)
    made.add(old)
    assert made.candidates(new) == []


@pytest.mark.parametrize(
    ("common", "sizes", "odds"), [(9, (10, 10), 4.26), (2, (20, 2), 0.11), (3, (4, 4), 1.286)]
)
def test_odds_decide_without_direction(common, sizes, odds):
    both = nonsense("Both", common)
    one = of_sentences(*both, *nonsense("One", sizes[0] - common), name="one")
    two = of_sentences(*both, *nonsense("Two", sizes[1] - common))
    made = make_method("fuzzy", by="odds", odds=odds - 0.01)
    made.add(one)
    (found,) = made.candidates(two)
    assert made.kind(found) == "near"
    assert made.matches(two) == [found]
    stricter = make_method("fuzzy", by="odds", odds=odds + 0.01)
    assert stricter.kind(found) is None
    by_share = make_method("fuzzy", threshold=0.95)
    assert by_share.kind(found) == ("contained" if found.forward == 1 else None)


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_numbers_count_if_they_are_to(name):
    old, new = of_text("The ferry left in 1999.", "old"), of_text("The ferry left in 2005.")
    for numbers, found in ((False, 1), (True, 0)):
        made = make_method(name, numbers=numbers)
        made.add(old)
        assert len(made.candidates(new)) == found


@pytest.mark.parametrize(("name", "module"), [("fourgrams", fourgrams), ("fuzzy", fuzzy)])
def test_equal_sentences_are_found_however_much_there_is_to_look_at(name, module, monkeypatch):
    monkeypatch.setattr(module, "MOST_HOLDERS", 1)
    monkeypatch.setattr(fuzzy, "MOST_PAIRS", 0)
    made = make_method(name)
    made.add(of_sentences(*nonsense("Tide", 8), name="first"))
    made.add(of_sentences(*nonsense("Tide", 9), name="second"))
    found = shares(made.candidates(of_sentences(*nonsense("Tide", 9))))
    assert found["second"] == (1, 1)
    assert found["first"][1] == 1


@pytest.mark.parametrize("name", BY_SENTENCES)
def test_the_best_documents_are_given(name):
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


# In the place of the cascade


def see(dedup: Deduplicator, url: str, parts: list[str], site: str = "plain") -> Verdict:
    return dedup.process(Page(url=url, html=html(parts, site=site)))


def reworded(parts: list[str]) -> list[str]:
    """Edit a page: a sentence more at its beginning, two words changed in its middle."""
    first, *rest = parts
    middle = len(rest) // 2
    words = rest[middle].split()
    words[3], words[-2] = "otherwise", "elsewhere"
    return [f"{first} It was edited.", *rest[:middle], " ".join(words), *rest[middle + 1 :]]


@pytest.mark.parametrize("name", METHODS)
def test_copies_and_excerpts_are_found_and_known_when_the_store_is_opened_again(name, tmp_path):
    whole = article(1, 1200)
    with Deduplicator(tmp_path / "store", method=name) as dedup:
        assert see(dedup, A, whole).kind == "unique"
        for seed in (40, 41, 42):
            assert see(dedup, f"{D}{seed}", article(seed, 600)).kind == "unique"
        copy = see(dedup, B, reworded(whole), site="news")
        assert (copy.kind, copy.original) == ("near", A)
        assert 0.6 < copy.score < 1
        assert name in copy.reason
    with Deduplicator(tmp_path / "store", method=name) as dedup:
        excerpt = see(dedup, C, whole[2 : len(whole) // 2], site="news")
        assert (excerpt.kind, excerpt.original) == ("contained", A)
        other = see(dedup, f"{D}other", article(60, 600))
        assert other.kind == "unique"
        larger = see(dedup, f"{D}larger", [*article(60, 600), *article(80, 900)])
        assert (larger.kind, larger.original) == ("contains", f"{D}other")
