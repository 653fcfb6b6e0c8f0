from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.sites.rules import MOST_REFUTED, SCOPES, Evidence, Vote, wilson
from dedup_middleware.sites.shelf import hash_of

votes = st.lists(
    st.builds(
        Vote,
        st.just("parameter"),
        st.just("sid"),
        st.sampled_from("abcdefghijkl"),
        st.booleans(),
        st.integers(0, 9).map(bool),
        st.integers(0, 4),
        st.integers(0, 11),
        st.just(("https://a.example/1", "https://a.example/2")),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
    ),
    max_size=60,
)


def vote(page: int, *, value: str = "", same: bool = True, kind="parameter", scope=0):
    value = value or str(page)
    return Vote(kind, "sid", value, False, same, page, scope, ("a", "b"), (hash_of(value),))


def test_four_votes_on_two_pages_over_three_values():
    evidence = Evidence("parameter", "sid")
    states = [evidence.count(vote(page % 2, value=str(page))) for page in range(4)]
    assert states == [None, None, None, "learned"]


def test_one_page_or_two_values_are_not_enough():
    one_page, two_values = Evidence("parameter", "sid"), Evidence("parameter", "sid")
    for n in range(40):
        one_page.count(vote(1, value=str(n)))
        two_values.count(vote(n, value=str(n % 2)))
    assert not one_page.holds
    assert not two_values.holds


def test_a_toggle_takes_two_votes_and_more_after_one_against():
    evidence = Evidence("slash", "")
    votes = [vote(n, value="x", kind="slash") for n in range(20)]
    assert [evidence.count(one) for one in votes[:2]] == [None, "learned"]
    assert evidence.count(votes[0]._replace(is_same=False)) == "refuted"
    assert [evidence.count(one) for one in votes].index("learned") == 10


def test_a_value_takes_two_votes_and_none_against():
    evidence = Evidence("value", "ref", "home")
    assert evidence.count(vote(1)) is None
    assert evidence.count(vote(2)) == "learned"
    assert evidence.count(vote(3, same=False)) == "refuted"
    assert not any(evidence.count(vote(n)) for n in range(40))


def test_one_vote_against_ends_a_rule_until_eleven_more_speak_for_it():
    evidence = Evidence("parameter", "sid")
    for page in range(9):
        evidence.count(vote(page))
    assert evidence.holds
    assert evidence.count(vote(9, same=False)) == "refuted"
    states = [evidence.count(vote(page)) for page in range(20)]
    assert states.index("learned") == 10


def test_a_rule_that_is_refuted_again_and_again_is_not_learned_any_more():
    evidence = Evidence("parameter", "sid")
    for _ in range(MOST_REFUTED):
        while not evidence.holds:
            for page in range(9):
                evidence.count(vote(page))
        evidence.count(vote(1, same=False))
    for page in range(500):
        evidence.count(vote(page))
    assert not evidence.holds


def test_what_people_decide_stays():
    pinned = Evidence("parameter", "sid", state="pinned")
    pinned.count(vote(1, same=False))
    assert pinned.state == "pinned"
    withdrawn = Evidence("parameter", "sid", state="withdrawn")
    for page in range(40):
        withdrawn.count(vote(page))
    assert withdrawn.state == "withdrawn"


def test_a_rule_is_trusted_where_it_was_verified():
    evidence = Evidence("parameter", "sid")
    for page in range(9):
        evidence.count(vote(page))
    assert evidence.trusts(0)
    assert not evidence.trusts(99)
    for n in range(SCOPES):
        evidence.count(vote(n, scope=n))
    assert evidence.trusts(99)


def test_a_parameter_that_has_to_be_there():
    evidence = Evidence("parameter", "sid")
    for page in range(9):
        evidence.count(vote(page))
        evidence.count(vote(page, same=False)._replace(is_absent=True))
    assert evidence.holds
    assert not evidence.has_absent


@given(votes)
def test_any_votes(some):
    evidence = Evidence("parameter", "sid")
    for one in some:
        before = evidence.state
        state = evidence.count(one)
        assert (state is not None) == (evidence.state != before)
        if one.is_same:
            assert evidence.state != "refuted" or before == "refuted"
        else:
            assert not evidence.holds or (one.is_absent and not evidence.has_absent)
        assert max(map(len, (evidence.values, evidence.scopes))) <= 8
    assert Evidence.of_json(evidence.as_json()) == evidence


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_is_below_the_share_and_rises_with_evidence(successes, failures):
    trials = successes + failures
    bound = wilson(successes, trials)
    assert -1e-9 <= bound <= (successes / trials if trials else 0) + 1e-9
    assert wilson(2 * successes, 2 * trials) >= bound - 1e-9
    assert wilson(successes + 1, trials + 1) >= bound - 1e-9
