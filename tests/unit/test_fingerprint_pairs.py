"""Word pairs: keys that survive rewording."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.read import read
from tests.support.texts import article

KEPT = 32


def sample_of(text: str) -> np.ndarray:
    page = Page(url="https://a.example/", text=text)
    return fingerprint(page, read(page)).pairs


def test_order_does_not_matter():
    assert (
        sample_of("boats rise with tides").tolist() == sample_of("tides rise with boats").tolist()
    )


def test_too_short_for_pairs():
    assert len(sample_of("")) == len(sample_of("alone")) == 0


@given(st.lists(st.sampled_from("abcdefghij"), max_size=80))
def test_a_sample_is_small_sorted_and_distinct(words):
    found = sample_of(" ".join(words)).tolist()
    assert found == sorted(set(found))
    assert len(found) <= KEPT


def test_a_page_with_half_of_its_words_replaced_shares_pairs_and_no_other_does():
    rng = Random(5)
    for seed in range(12):
        words = " ".join(article(seed, 400)).split()
        changed = [f"{word}x" if rng.random() < 0.4 else word for word in words]
        text = sample_of(" ".join(words))
        assert len(np.intersect1d(text, sample_of(" ".join(changed)))) >= 2
        other = sample_of(" ".join(article(seed + 20, 400)))
        assert len(np.intersect1d(text, other)) < 3
