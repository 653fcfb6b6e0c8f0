"""What a run saved and found: figures, plain words, and what is kept of them."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.sites import Notice, Rule, SiteTally
from dedup_middleware.sites.tally import interval

COUNTS = st.integers(0, 10_000)


def told(tally: SiteTally) -> dict[str, tuple[str, str]]:
    return {line.name: (line.figure, line.text) for line in tally.lines()}


def test_nothing_is_said_where_nothing_was_found():
    assert told(SiteTally()) == {}
    assert told(SiteTally(new=300)) == {}
    assert SiteTally(new=300).as_json() == {}


def test_a_crawl_that_skips_says_what_it_saved_and_may_have_missed():
    tally = SiteTally(
        skipped=Counter(parameter=188, slash=12), size=3 << 20, checked=20, wrong=1, new=400
    )
    assert told(tally) == {
        "not sent": (
            "200",
            "requests that bring nothing new, about 3.0 MiB: parameter 188, slash 12",
        ),
        "checked": (
            "20",
            "sent to see if their rules hold: 1 new page, 5.0% (95 %: 0.9% to 23.6%)",
        ),
        "missed": ("2.4%", "of all new pages, as estimated (95 %: 0.4% to 10.6%)"),
    }


def test_a_crawl_that_only_suggests_says_what_it_could_save():
    tally = SiteTally(suggested=Counter(slash=1), checked=1, new=9)
    assert told(tally) == {
        "could skip": ("1", 'request that brings nothing new (DEDUP_SKIP = "on")'),
        "checked": (
            "1",
            "sent to see if their rules hold: no new page, 0.0% (95 %: 0.0% to 79.3%)",
        ),
    }


def test_what_was_found_is_counted_with_an_example():
    tally = SiteTally()
    traps = [Rule("a.example", "trap", pattern) for pattern in ("/a", "/b", "/c")]
    for what, reason, rule in (
        ("trap", "one trap", traps[0]),
        ("trap", "one trap is left", traps[0]),
        ("trap", "another", traps[1]),
        ("trap", "a third", traps[2]),
        ("back", "it was none", traps[2]),
        ("wall", "a wall", None),
        ("rule", "a rule", Rule("a.example", "slash")),
    ):
        tally.note(Notice(what, "a.example", reason, rule))
    assert told(tally) == {"traps": ("2", "another"), "walls": ("1", "a wall")}


def test_a_trap_that_was_none_is_not_told():
    tally = SiteTally()
    for what in ("trap", "back"):
        tally.note(Notice(what, "a.example", "why", Rule("a.example", "trap", "/a")))
    assert told(tally) == {}
    assert tally.as_json() == {}


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share(counts):
    part, count = counts
    low, high = interval(part, count)
    assert 0 <= low <= part / count <= high <= 1
    opposite = interval(count - part, count)
    assert (1 - opposite[1], 1 - opposite[0]) == pytest.approx((low, high), abs=1e-9)


@given(COUNTS, COUNTS, COUNTS)
def test_more_that_was_looked_at_makes_the_estimate_narrower(skipped, new, checked):
    some, more = (
        SiteTally(skipped=Counter(value=skipped), new=new, checked=number).missed
        for number in (checked, checked + 100)
    )
    assert some.share == more.share == 0
    assert more.high <= some.high <= 1


def test_runs_add_up_as_their_records_do():
    one, other = (
        SiteTally(
            skipped=Counter(slash=2 * factor, www=1),
            suggested=Counter(www=factor),
            released=1,
            size=10 * factor,
            checked=3 * factor,
            wrong=factor,
            new=7 * factor,
            found=Counter(trap=factor),
            examples={"trap": f"the {factor}."},
        )
        for factor in (1, 2)
    )
    total = SiteTally()
    for tally in (one, other):
        total += SiteTally.of_json(json.loads(json.dumps(tally.as_json())))
    assert total == SiteTally(
        skipped=Counter(slash=6, www=2),
        suggested=Counter(www=3),
        released=2,
        size=30,
        checked=9,
        wrong=3,
        new=21,
        found=Counter(trap=3),
        examples={"trap": "the 2."},
    )


def test_what_was_sent_later_and_what_is_beyond_a_budget_are_not_missed():
    skipped = Counter(value=30, budget=500)
    tally = SiteTally(skipped=skipped, released=30, checked=10, wrong=5, new=20)
    assert tally.missed == (0, 0, 0)
    assert told(tally)["released"][0] == "30"
    skipped["trap"] = 20
    assert tally.missed.share == 1 / 3
