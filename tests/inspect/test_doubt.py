"""Doubt: which decisions need a second look."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.inspect.decisions import doubt
from dedup_middleware.settings import STRICTNESS
from tests.support.decisions import decision, near

shares = st.tuples(st.floats(0, 1), st.floats(0, 1))
AGREE = {name: [0.9, 0.9] for name in ("covered", "aligned", "sentence_share", "tree", "common")}


def near_with(**scores: Any) -> float:
    return doubt(near("https://a.example/", (0.9, 0.9), scores={"known": [0.9, 0.9], **scores}))


@pytest.mark.parametrize("verdict", ["exact", "unchanged"])
def test_equal_texts_leave_no_doubt(verdict: str):
    assert doubt(decision(verdict=verdict, action="drop", original="https://a.example/b")) == 0


def test_a_page_that_is_like_no_other_leaves_no_doubt():
    assert doubt(decision(stage="estimate", scores={"containment": 0.1})) == 0


def test_a_copy_is_the_more_doubtful_the_closer_it_is_to_a_threshold():
    by_share = [doubt(near("https://a.example/", (one, one))) for one in (1, 0.9, 0.8, 0.72)]
    assert by_share == sorted(by_share)
    assert by_share[0] == 0
    assert by_share[-1] == pytest.approx(0.8)


def test_what_is_inside_another_page_needs_only_its_own_share():
    contained = {"verdict": "contained", "stage": "sentences", "original": "https://a.example/b"}
    assert doubt(decision(**contained, scores={"known": [1.0, 0.1]})) == 0
    assert doubt(decision(**contained, scores={"known": [0.81, 0.1]})) > 0.7


def test_thresholds_of_the_run_count():
    close = near("https://a.example/", (0.86, 0.86))
    assert doubt(close, STRICTNESS["strict"]) > doubt(close)


def losing(share: float, **entry: Any) -> float:
    lost = {"share": share, "words": 9, "units": 1, "of": 900}
    return doubt(near("https://a.example/", (1, 1), lost=lost, **entry))


def test_a_copy_is_the_more_doubtful_the_closer_what_is_lost_is_to_the_bound():
    by_share = [losing(share) for share in (0, 0.01, 0.03, 0.05)]
    assert by_share == sorted(by_share)
    assert by_share[0] == 0
    assert by_share[-1] == pytest.approx(0.8)
    assert losing(0.4, action="tag") < losing(0.06, action="tag") < 0.8
    young = {"share": 0.01, "words": 9, "units": 1, "of": 900, "bound": 0.01}
    assert doubt(near("https://a.example/", (1, 1), lost=young)) == pytest.approx(0.8)
    passed = {"verdict": "contains", "action": "pass"}
    assert losing(0.03, **passed) == losing(0, **passed)


def test_measures_that_disagree_make_doubt():
    assert near_with(**AGREE) == near_with()
    assert near_with(**{**AGREE, "tree": [0.5, 0.9]}) > near_with() + 0.1


def test_numbers_and_names_that_differ_make_doubt_and_more_so_on_a_short_page():
    long, short = (near_with(swapped=2, words=[count, count]) for count in (1000, 50))
    assert near_with() < long < short


def test_a_page_that_passes_although_its_text_is_known_is_doubtful():
    suspect = {"stage": "sentences", "closest": "https://a.example/b", "scores": {"known": [1, 1]}}
    assert doubt(decision(**suspect)) >= 0.8


def test_a_copy_in_other_words_is_doubtful():
    assert doubt(near("https://a.example/", (0.5, 0.5), action="tag")) >= 0.8


def test_of_a_published_method_only_its_score_is_known():
    found = near("https://a.example/", (0.9, 0.9), stage="method")
    assert doubt(found) == pytest.approx(0.1)


@given(
    st.sampled_from(["unique", "near", "contained", "contains", "updated", "other"]),
    st.sampled_from(["sentences", "shingles", "method", "lookup"]),
    shares,
    st.one_of(
        st.dictionaries(
            st.sampled_from([*AGREE, "known"]), st.lists(st.floats(0, 1), min_size=2, max_size=2)
        ),
        st.dictionaries(st.sampled_from(["swapped", "numbers", "negated"]), st.integers(0, 10**9)),
    ),
)
def test_doubt_is_a_share_whatever_was_measured(
    verdict: str, stage: str, known: tuple[float, float], scores: dict[str, Any]
):
    entry = {"verdict": verdict, "stage": stage, "original": "https://a.example/b"}
    assert 0 <= doubt(decision(**entry, scores={"known": list(known), **scores})) <= 1
