"""The parts of a comparison, each against a simpler way to the same answer."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read.words import words
from dedup_middleware.similarity import alignment
from dedup_middleware.similarity.alignment import (
    ANCHOR_WORDS,
    Alignment,
    Gap,
    Run,
    align,
    aligned_words,
    gaps,
    longest_chain,
    marks,
)
from dedup_middleware.similarity.facts import Facts, facts_of, swapped_facts, swapped_subject
from dedup_middleware.similarity.fuzzy import order
from dedup_middleware.similarity.languages import STOP_WORDS
from dedup_middleware.similarity.overlap import (
    covered,
    numbered,
    overlap,
    shingle_numbers,
    word_numbers,
)
from tests.support.texts import article

SMALL = st.integers(0, 5)
PAIRS = st.lists(st.tuples(SMALL, SMALL, st.integers(1, 4)), max_size=8)
FEW_WORDS = st.lists(st.integers(0, 4), max_size=ANCHOR_WORDS - 1)
MANY_WORDS = st.lists(st.integers(0, 9), max_size=60)
TEXTS = st.lists(st.sampled_from("sea tide moon boat ice".split()), max_size=25)


def ascends(one: tuple[int, int], other: tuple[int, int], *, strictly: bool) -> bool:
    if strictly:
        return one[0] < other[0] and one[1] < other[1]
    return one[0] <= other[0] and one[1] <= other[1]


@given(PAIRS, st.booleans())
def test_a_chain_weighs_as_much_as_the_best_of_all_subsets(found, strictly):
    pairs = sorted({(x, y) for x, y, _ in found}) if not strictly else [(x, y) for x, y, _ in found]
    weights = [weight for _, _, weight in found][: len(pairs)]

    def is_chain(chosen) -> bool:
        return all(ascends(pairs[i], pairs[j], strictly=strictly) for i, j in pairwise(chosen))

    ranked = sorted(range(len(pairs)), key=pairs.__getitem__)
    best = max(
        sum(weights[i] for i in chosen)
        for size in range(len(pairs) + 1)
        for chosen in combinations(ranked, size)
        if is_chain(chosen)
    )
    chain = longest_chain(pairs, weights, strictly=strictly)
    assert is_chain(chain)
    assert len(set(chain)) == len(chain)
    assert sum(weights[i] for i in chain) == best


def test_a_chain_of_nothing():
    assert longest_chain([], []) == []
    assert longest_chain([(3, 3)], [1], strictly=False) == [0]


def common_subsequence(first, second) -> int:
    """Count the words of the longest common subsequence, by the table of the textbook."""
    row = [0] * (len(second) + 1)
    for one in first:
        above, row = row, [0]
        for place, other in enumerate(second):
            row.append(above[place] + 1 if one == other else max(row[-1], above[place + 1]))
    return row[-1]


def laid(first, second) -> Alignment:
    return align(first, second, shingle_numbers(first, second, ANCHOR_WORDS))


def aligned(first, second) -> list[Run]:
    runs = laid(np.array(first, np.int64), np.array(second, np.int64)).runs
    assert_sound(runs, first, second)
    return runs


def assert_sound(runs: list[Run], first, second) -> None:
    for run in runs:
        assert run.length > 0
        mine = list(first[run.first : run.first + run.length])
        assert mine == list(second[run.second : run.second + run.length])
    for one, other in pairwise(runs):
        ends = one.first + one.length, one.second + one.length
        assert ends[0] <= other.first
        assert ends[1] <= other.second
        assert ends != (other.first, other.second), "runs that touch are one"
    mine, theirs = list(range(len(first))), list(range(len(second)))
    for run in reversed(runs):
        del mine[run.first : run.first + run.length]
        del theirs[run.second : run.second + run.length]
    between = list(gaps(runs, len(first), len(second)))
    assert [place for gap in between for place in range(*gap.first)] == mine
    assert [place for gap in between for place in range(*gap.second)] == theirs
    assert all(gap.first[0] < gap.first[1] or gap.second[0] < gap.second[1] for gap in between)


@given(FEW_WORDS, MANY_WORDS)
def test_short_texts_are_aligned_as_well_as_can_be(first, second):
    for one, other in ((first, second), (second, first)):
        runs = aligned(one, other)
        assert sum(run.length for run in runs) == common_subsequence(one, other)


@given(MANY_WORDS, MANY_WORDS, st.lists(st.integers(10, 99), min_size=10, max_size=30, unique=True))
def test_anchors_find_no_more_than_there_is(first, second, shared):
    """A run of words that stand nowhere else holds the texts together."""
    one, other = [*first, *shared, *second], [*second[:20], *shared, *first[:20]]
    total = sum(run.length for run in aligned(one, other))
    assert len(shared) <= total <= common_subsequence(one, other)


@given(st.lists(st.integers(0, 1), max_size=60), st.lists(st.integers(0, 1), max_size=60))
def test_texts_that_repeat_themselves_are_aligned_soundly(first, second):
    total = sum(run.length for run in aligned(first, second))
    assert total <= common_subsequence(first, second)


@given(MANY_WORDS, st.integers(0, 60), st.integers(0, 60))
def test_moved_and_repeated_passages_are_aligned_soundly(text, start, end):
    passage = text[min(start, end) : max(start, end)]
    for other in (text, [*text, *passage], [*passage, *text], text[start:] + text[:start]):
        total = sum(run.length for run in aligned(text, other))
        assert total <= common_subsequence(text, other)
    assert sum(run.length for run in aligned(text, text)) == len(text)


def test_a_stretch_that_is_too_long_stays_apart(monkeypatch):
    rng = np.random.default_rng(3)
    held = list(range(100, 120))
    first, second = ([*rng.integers(0, 9, 40).tolist(), *held, 50, 51, 52] for _ in "ab")
    whole = aligned(first, second)
    monkeypatch.setattr(alignment, "MOST_CELLS", 100)
    runs = aligned(first, second)
    assert runs == [Run(40, 40, 23)]
    assert sum(run.length for run in whole) > 23


def test_only_runs_of_three_words_count():
    assert aligned_words(Alignment([Run(0, 0, 2), Run(4, 4, 1)], []), 9, 9) == (0, 0)
    runs = [Run(0, 0, 3), Run(4, 4, 2), Run(6, 6, 3)]
    assert aligned_words(Alignment(runs, [Run(7, 0, 19)]), 30, 30) == (6, 6)
    assert aligned_words(Alignment(runs, [Run(7, 2, 20)]), 30, 30) == (24, 22)


@given(MANY_WORDS, st.integers(0, 60))
def test_long_blocks_that_moved_are_still_there(text, start):
    text = [*range(100, 160), *text]
    other = text[start:] + text[:start]
    numbers = word_numbers(numbered(text), numbered(other))
    alignment = laid(*numbers)
    mine, theirs = aligned_words(alignment, len(text), len(text))
    in_order = sum(run.length for run in alignment.runs if run.length >= 3)
    assert in_order <= min(mine, theirs)
    assert max(mine, theirs) <= len(text)
    if start in range(20, 41):  # both parts are long enough, and stand nowhere else
        assert min(mine, theirs) >= 60


def test_gaps_of_texts_without_anything_in_common():
    assert list(gaps([], 0, 0)) == []
    assert list(gaps([], 2, 0)) == [Gap((0, 2), (0, 0))]
    assert list(gaps([Run(1, 0, 2)], 3, 2)) == [Gap((0, 1), (0, 0))]


def shingles(text, width: int) -> list[tuple]:
    return [tuple(text[at : at + width]) for at in range(len(text) - width + 1)]


@given(TEXTS, TEXTS, st.integers(1, 6))
def test_overlap_is_that_of_sets_of_tuples(first, second, width):
    found = overlap(first, second, width)
    if not first or not second:
        assert found == (0, 0, 0)
        return
    width = min(width, len(first), len(second))
    mine, theirs = set(shingles(first, width)), set(shingles(second, width))
    shared = len(mine & theirs)
    assert found == (shared / len(mine | theirs), shared / len(mine), shared / len(theirs))


@given(TEXTS, TEXTS, st.integers(1, 6))
def test_covered_words_are_those_that_a_shared_shingle_marks(first, second, width):
    if len(first) < width or len(second) < width:
        return
    pair = shingle_numbers(*word_numbers(numbered(first), numbered(second)), width)
    for one, other, numbers in ((first, second, pair), (second, first, pair[::-1])):
        there = set(shingles(other, width))
        marked: set[int] = set()
        for at, shingle in enumerate(shingles(one, width)):
            if shingle in there:
                marked.update(range(at, at + width))
        assert np.flatnonzero(covered(*numbers, width)).tolist() == sorted(marked)


@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(0, 7), st.integers(0, 7))
def test_order_is_the_longest_ascending_row(first, second, some, others):
    one, other = list(map(str, first[:some])), list(map(str, second[:others]))
    common = [word for word in one if word in other]
    longest = next(
        size
        for size in range(len(common), -1, -1)
        for chosen in combinations(common, size)
        if [other.index(word) for word in chosen] == sorted(other.index(word) for word in chosen)
    )
    assert order(one, other) == (longest / len(common) if common else 1)


def test_order_of_words_that_repeat():
    assert order("a b a".split(), "a b a".split()) == 1
    assert order("a a b".split(), "b a a".split()) == pytest.approx(2 / 3)
    assert order([], ["a"]) == order(["a"], ["b"]) == 1


def facts(text: str) -> Facts:
    found = words(text)
    return facts_of(found, numbered(found), text)


@pytest.mark.parametrize(
    ("text", "numbers", "names"),
    [
        (
            "On Monday the ferry to Oslo left at 9 with 40 cars; the pilot, Ada Berg, was well.",
            {"9", "40"},
            {"on", "monday", "oslo", "ada", "berg"},
        ),
        ("you may pay 1,299.50 for the XR200 or the mk4", {"xr200", "mk4"}, {"xr200"}),
        # German nouns begin with capitals: no names can be told
        (
            "Der Hafen von Emden war im Januar zugefroren, und die Fähre blieb 14 Tage am Kai.",
            {"14"},
            set(),
        ),
        ("ALL OF THIS IS SHOUTED AT ADA IN OSLO, 3 TIMES", {"3"}, set()),
        ("", set(), set()),
        ("… — !", set(), set()),
        ("nothing here is a name", set(), set()),
        ("In the town they say that Иван and Éva are in the town of all towns.", set(), {"иван"}),
    ],
)
def test_numbers_and_names(text, numbers, names):
    found = facts(text)
    assert numbers <= found.numbers <= found.marked
    assert names <= found.marked
    if not names:
        assert found.marked == found.numbers
    assert {word for word in found.marked - found.numbers if word in names} == names - found.numbers


def test_a_word_that_also_stands_small_is_no_name():
    found = facts("Terns fly far to the south, and no other terns than the terns of Riga do that.")
    assert found.marked == {"riga"}


def swaps(first: str, second: str) -> int:
    one, other = facts(first), facts(second)
    numbers = word_numbers(numbered(one.words), numbered(other.words))
    alignment = laid(*numbers)
    moved = marks(alignment.passages, len(one.words), len(other.words))
    return swapped_facts(alignment.runs, one, other, STOP_WORDS["en"], moved)


SHOP = (
    "You are looking at the kettle from Bergen, which costs 40 crowns and was put on this page in "
    "the spring of 2019. The lid is sold apart for 12 crowns, and it has a knob made of wood."
)


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({}, 0),
        ({"2019": "2024"}, 1),
        ({"spring of 2019": "autumn of 2024"}, 1),
        ({"spring of 2019": "month 5, day 4, of 2024"}, 1),
        ({"40 crowns": "45 crowns", "12 crowns": "13 crowns"}, 2),
        ({"40": "45", "12": "13", "Bergen": "Oslo"}, 3),
        ({"Bergen": "Oslo or Riga"}, 1),
        ({" from Bergen": ""}, 0),
        ({"costs 40": "costs many"}, 0),
        ({"wood": "bone"}, 0),
        ({"Bergen": "home"}, 0),
    ],
)
def test_swapped_facts_are_counted_by_place(changes, places):
    other = SHOP
    for old, new in changes.items():
        assert old in other
        other = other.replace(old, new)
    assert swaps(SHOP, other) == swaps(other, SHOP) == places


def test_names_that_the_other_text_writes_small_are_no_facts():
    one = "In the evening we sat in the garden and Spring came up to us with a jug of cold milk."
    other = one.replace("Spring", "Riga").replace("cold", "spring")
    assert swaps(one, other) == 0
    assert swaps(one, one.replace("Spring", "Riga")) == 1


def test_facts_that_moved_are_no_other_facts():
    fruits = "Apple Pear Plum Cherry Quince Medlar Orange Lemon".split()
    lines = [
        f"In the {fruit} year {1900 + n} the town of {fruit} built {n + 3} bridges over a river."
        for n, fruit in enumerate(fruits)
    ]
    assert swaps(" ".join(lines), " ".join(reversed(lines))) == 0
    changed = [line.replace("Plum", "Grape").replace("1902", "1802") for line in lines]
    assert swaps(" ".join(lines), " ".join(changed)) == 3


def test_names_in_code_are_facts():
    text = (
        "call open_socket with a name, then readAll of it, and look at the table at the end of it"
    )
    assert facts(text).marked == {"open_socket", "readall"}
    assert swaps(text, text.replace("open_socket", "parse_table").replace("readAll", "skip")) == 1


def test_swapped_facts_of_nothing():
    assert swaps("", "") == swaps("", SHOP) == 0


def test_swapped_facts_in_long_text():
    text = " ".join(article(3, 400))
    assert swaps(text, text) == 0
    assert swaps(text, f"{text} Read 17 times.") == 0
    assert swaps(f"{text} Read 16 times.", f"{text} Read 17 times.") == 1


def test_swapped_subject():
    one, other = facts("the tern dives and the tern eats"), facts("the gull dives and a gull eats")
    common = STOP_WORDS["en"]
    assert swapped_subject(one, other, common) == 2
    assert swapped_subject(one, one, common) == 0
    more = facts("the tern dives, and the tern eats what the gull has")
    assert swapped_subject(one, more, common) == 0, "one page only says more"
    assert swapped_subject(facts("it costs 4 4 4"), facts("it costs 5 5 5"), common) == 0
    assert swapped_subject(facts(""), one, common) == 0
