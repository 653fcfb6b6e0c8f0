"""Sketches: what a sample says of how much two pages share, and how seldom it misleads."""

from __future__ import annotations

import random
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.fingerprint.scheme import (
    MISSED,
    Estimate,
    Sketch,
    estimates,
    least_shared,
)
from dedup_middleware.read import read
from tests.support.texts import article


def sketch_of(text: str) -> Sketch:
    page = Page(url="https://a.example/", text=text)
    return fingerprint(page, read(page)).sketch


def made(limit: int, sample: list[int], pairs: list[int]) -> Sketch:
    within = sorted(one for one in sample if one <= limit)
    numbers = [limit, len(within), len(within) + len(pairs), *within, *sorted(pairs)]
    return Sketch(np.array(numbers, "<u4").tobytes())


numbers = st.lists(st.integers(0, 400) | st.integers(0, 2**32 - 1), max_size=60, unique=True)
sketches = st.builds(made, st.integers(0, 500) | st.integers(0, 2**32 - 1), numbers, numbers)


def estimate(one: Sketch, other: Sketch) -> Estimate:
    limit = min(one.limit, other.limit)
    mine = {value for value in one.sample.tolist() if value <= limit}
    theirs = {value for value in other.sample.tolist() if value <= limit}
    pairs = {*one.pairs.tolist()} & {*other.pairs.tolist()}
    return Estimate(len(mine & theirs), (len(mine), len(theirs)), len(pairs))


@given(sketches, st.lists(sketches, max_size=4))
def test_an_estimate_counts_what_both_samples_cover(page: Sketch, others: list[Sketch]) -> None:
    assert estimates(page, others) == [estimate(page, other) for other in others]


def test_estimates_come_close_on_real_text() -> None:
    whole = article(3, 1500)
    half = whole[: len(whole) // 2]
    (found,) = estimates(sketch_of(" ".join(half)), [sketch_of(" ".join(whole))])
    assert found.containment > 0.95
    assert 0.4 < found.contained_by < 0.6
    assert max(found.sampled) <= 256


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("size", [1, 5, 24, 256])
def test_the_bound_is_that_of_the_binomial_distribution(size: int, share: float) -> None:
    def fewer(count: int) -> float:
        """Return the probability that fewer are shared."""
        return sum(comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(count))

    least = least_shared(size, share)
    assert fewer(least) < MISSED <= fewer(least + 1)


def test_hardly_any_page_with_enough_in_common_is_ruled_out() -> None:
    rng = random.Random(5)
    missed = 0
    for _ in range(2000):
        shared = [rng.getrandbits(30) for _ in range(100)]
        own, others = ([rng.getrandbits(30) for _ in range(100)] for _ in range(2))
        limit = rng.choice([1 << 26, 1 << 28, 1 << 30])
        (found,) = estimates(made(limit, shared + own, []), [made(limit, shared + others, [])])
        missed += not any(found.shared >= least_shared(size, 0.5) for size in found.sampled)
    assert missed <= 10
