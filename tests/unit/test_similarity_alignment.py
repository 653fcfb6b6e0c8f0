"""Alignment and overlap of two texts, each against a simpler way to the same answer."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from dedup_middleware.similarity.alignment import (
    ANCHOR_WORDS,
    Alignment,
    Gap,
    Run,
    align,
    aligned_words,
    gaps,
    longest_chain,
)
from dedup_middleware.similarity.overlap import (
    covered,
    numbered,
    of_counts,
    shared_shingles,
    shingle_numbers,
    word_numbers,
)
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.similarity import alignment

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
    """Count the words of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(second) + 1)
    for one in first:
        above, row = row, [0]
        for place, other in enumerate(second):
            row.append(above[place] + 1 if one == other else max(row[-1], above[place + 1]))
    return row[-1]


def align_words(first, second) -> Alignment:
    return align(first, second, shingle_numbers(first, second, ANCHOR_WORDS))


def aligned(first, second) -> list[Run]:
    runs = align_words(np.array(first, np.int64), np.array(second, np.int64)).runs
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
        assert ends != (other.first, other.second), "adjacent runs are joined"
    mine, theirs = list(range(len(first))), list(range(len(second)))
    for run in reversed(runs):
        del mine[run.first : run.first + run.length]
        del theirs[run.second : run.second + run.length]
    between = list(gaps(runs, len(first), len(second)))
    assert [place for gap in between for place in range(*gap.first)] == mine
    assert [place for gap in between for place in range(*gap.second)] == theirs
    assert all(gap.first[0] < gap.first[1] or gap.second[0] < gap.second[1] for gap in between)


@given(FEW_WORDS, MANY_WORDS)
def test_short_texts_are_aligned_optimally(first, second):
    for one, other in ((first, second), (second, first)):
        runs = aligned(one, other)
        assert sum(run.length for run in runs) == common_subsequence(one, other)


@given(MANY_WORDS, MANY_WORDS, st.lists(st.integers(10, 99), min_size=10, max_size=30, unique=True))
def test_anchors_find_no_more_than_there_is(first, second, shared):
    """A run of words that occur nowhere else is an anchor."""
    one, other = [*first, *shared, *second], [*second[:20], *shared, *first[:20]]
    total = sum(run.length for run in aligned(one, other))
    assert total <= common_subsequence(one, other)
    if max(len(first), len(second)) < ANCHOR_WORDS:  # longer ones may be anchors instead
        assert len(shared) <= total


@given(st.lists(st.integers(0, 1), max_size=60), st.lists(st.integers(0, 1), max_size=60))
def test_repetitive_texts_are_aligned_soundly(first, second):
    total = sum(run.length for run in aligned(first, second))
    assert total <= common_subsequence(first, second)


@given(MANY_WORDS, st.integers(0, 60), st.integers(0, 60))
def test_moved_and_repeated_passages_are_aligned_soundly(text, start, end):
    passage = text[min(start, end) : max(start, end)]
    for other in (text, [*text, *passage], [*passage, *text], text[start:] + text[:start]):
        total = sum(run.length for run in aligned(text, other))
        assert total <= common_subsequence(text, other)
    assert sum(run.length for run in aligned(text, text)) == len(text)


def test_a_gap_that_is_too_long_is_not_aligned(monkeypatch):
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
def test_long_blocks_that_moved_are_counted(text, start):
    text = [*range(100, 160), *text]
    other = text[start:] + text[:start]
    numbers = word_numbers(numbered(text), numbered(other))
    alignment = align_words(*numbers)
    mine, theirs = aligned_words(alignment, len(text), len(text))
    in_order = sum(run.length for run in alignment.runs if run.length >= 3)
    assert in_order <= min(mine, theirs)
    assert max(mine, theirs) <= len(text)
    if start in range(20, 41):  # both parts are long enough and occur nowhere else
        assert min(mine, theirs) >= 60


def test_gaps_of_texts_without_anything_in_common():
    assert list(gaps([], 0, 0)) == []
    assert list(gaps([], 2, 0)) == [Gap((0, 2), (0, 0))]
    assert list(gaps([Run(1, 0, 2)], 3, 2)) == [Gap((0, 1), (0, 0))]


def shingles(text, width: int) -> list[tuple]:
    return [tuple(text[at : at + width]) for at in range(len(text) - width + 1)]


@given(TEXTS, TEXTS, st.integers(1, 6))
def test_overlap_is_that_of_sets_of_tuples(first, second, width):
    width = min(width, len(first), len(second)) or 1
    numbers = word_numbers(numbered(first), numbered(second))
    found = of_counts(*shared_shingles(*shingle_numbers(*numbers, width)))
    mine, theirs = set(shingles(first, width)), set(shingles(second, width))
    if not mine or not theirs:
        assert found == (0, 0, 0)
        return
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
        assert covered(*numbers, width) == len(marked)
