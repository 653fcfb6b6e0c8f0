"""Long matches of SiStrings: the examples of the paper, a naive walk, and bounded work."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware.methods import make_method
from dedup_middleware.methods import patricia as patricia_module
from dedup_middleware.methods.patricia import SiStrings
from tests.support.methods import of_text, shares

ROSES = "uma rosa é uma rosa é uma rosa."
VIOLETS = "nunca uma rosa é uma rosa é uma violeta."
# words of scripts with and without spaces, parts of one another; long ones are sorted in pieces
PIECES = st.sampled_from(["a", "ab", "aab", "b", "ba", "漢", "字漢", "a漢", "a" * 64, "a" * 130])
PHRASES = st.lists(PIECES, min_size=1, max_size=5).map(" ".join)
TEXTS = st.lists(PHRASES, min_size=1, max_size=3).flatmap(
    lambda phrases: st.lists(st.sampled_from(phrases), min_size=1, max_size=8).map(" ".join)
)


def word_starts(text: str) -> list[int]:
    """List where words start: after a blank, and at each character of a script without blanks."""
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


def test_the_walk_continues_where_a_match_ends_inside_a_word():
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


def test_a_common_window_leads_to_the_first_documents_but_counts_for_all():
    hot, rare = "what every page of the site says.", "what two pages say."
    patricia = make_method("patricia", max_postings=2)
    for name in "ab":
        patricia.add(of_text(hot, name))
    patricia.add(of_text(f"{hot} x", "c"))
    patricia.add(of_text(f"{hot} {rare}", "d"))
    found = shares(patricia.candidates(of_text(f"{hot} {rare}")))
    assert found.keys() == {"a", "b", "d"}
    assert found["d"] == (1, 1), "the part that many have counts, too"


def test_the_documents_that_share_most_rare_windows_are_compared():
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

    shared = patricia_module._common
    monkeypatch.setattr(patricia_module, "_common", counted)
    small, large = 3_000, 24_000
    steps: list[int] = []
    for size in (small, large):
        compared = 0
        one, other = map(SiStrings, hostile(size))
        with lines_of(patricia_module) as count:
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
