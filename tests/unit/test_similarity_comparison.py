"""Measures of two pages as wholes: the examples of the thesis."""

from __future__ import annotations

import pytest

from dedup_middleware import Page, compare
from dedup_middleware.similarity import odds_ratio


def nonsense(name: str, count: int) -> list[str]:
    return [f"{name}{n}a {name}{n}b {name}{n}c." for n in range(count)]


def test_the_document_overlap_of_the_thesis():
    """12 common sentences of 32 and of 21."""
    both = nonsense("Both", 12)
    one = Page(url="a", text="\n\n".join([*both, *nonsense("One", 20)]))
    other = Page(url="b", text="\n\n".join([*nonsense("Two", 9), *both]))
    found = compare(one, other)
    assert [round(share, 2) for share in found.overlap] == [0.38, 0.57]
    assert found.rs == found.overlap == (12 / 32, 12 / 21)
    assert found.odds_ratio == pytest.approx(12 * 12 / (32 * 21 - 12 * 12))
    assert found.in_order == (1, 1)
    first, second = found.deep.matching.first, found.deep.matching.second
    assert [place for place, one in enumerate(first) if one.place < 0] == [*range(12, 32)]
    assert [place for place, one in enumerate(second) if one.place < 0] == [*range(9)]


@pytest.mark.parametrize(
    ("one", "other", "odds"),
    [
        (0.9, 0.9, 4.26),
        (0.1, 0.9, 0.099),
        (0.91, 0.98, 8.24),
        (0.93, 0.97, 9.21),
        (1, 1, 100),
        (0.999, 1, 100),
        (0, 1, 0),
    ],
)
def test_the_odds_of_the_thesis(one, other, odds):
    assert odds_ratio(one, other) == odds_ratio(other, one) == pytest.approx(odds, abs=0.005)


def test_a_sentence_that_repeats_counts_once():
    tide, moon, ice = "The tide came in.", "A moon rose over hills.", "Thick ice broke up."
    found = compare(
        Page(url="a", text=f"{tide} {tide} {moon}"),
        Page(url="b", text=f"{tide} {tide} {tide} {tide} {ice} {ice}"),
    )
    assert found.rs == (2 / 3, 4 / 6)
    assert found.odds_ratio == pytest.approx((4 / 9) / (5 / 9))
    assert all(share <= 1 for share in (*found.tree, *found.deep.sentence_share, *found.known))
