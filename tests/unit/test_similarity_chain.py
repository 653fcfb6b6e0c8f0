"""Chains against a simpler way to the same answer."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.similarity.measures import longest_chain

SMALL = st.integers(0, 5)
PAIRS = st.lists(st.tuples(SMALL, SMALL, st.integers(1, 4)), max_size=8)


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
