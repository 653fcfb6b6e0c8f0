"""Decisions as rows, the rule of thresholds on them, and their ranking."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.doubt import Thresholds, known_shares
from dedup_middleware.judge.relation import relation
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.comparison import Comparison
from dedup_middleware.similarity.overlap import Overlap
from dedup_middleware.viewer.rows import (
    OTHER_URL,
    margin,
    other_page,
    ranked,
    related,
    rows_of,
)
from tests.support.decisions import decision, near
from tests.support.scripts import needs_node, run_script
from tests.support.texts import article, html

THRESHOLDS = Thresholds(0.72, 0.8)
shares = st.floats(0, 1)
names = st.text(max_size=12)
urls = st.one_of(st.sampled_from(["https://a.example/", "https://b.example/x"]), st.text())
numbers = st.one_of(st.none(), st.floats(allow_nan=True), st.integers(), st.text(max_size=3))
entries = st.fixed_dictionaries(
    {"url": urls, "verdict": names, "action": names},
    optional={
        "seq": numbers,
        "run": names,
        "stage": st.one_of(names, st.just("shingles")),
        "time": st.one_of(names, st.just("2026-11-16T08:30:00.123+00:00")),
        "original": st.one_of(st.none(), urls),
        "closest": urls,
        "reason": st.text(),
        "ms": numbers,
        "bytes": numbers,
        "scores": st.dictionaries(
            st.sampled_from(["known", "containment", "contained_by"]),
            st.one_of(numbers, st.lists(numbers, max_size=3)),
        ),
    },
)


@given(st.lists(entries, max_size=8))
def test_rows_hold_the_values_of_any_decisions(lines):
    decisions = [found for line in lines if (found := Decision.of(line))]
    packed = json.dumps(rows_of(decisions, THRESHOLDS), allow_nan=False)
    rows = json.loads(packed)
    columns = rows["columns"]
    assert {len(column) for column in columns.values()} <= {len(decisions)}
    for row, one in enumerate(decisions):
        values = {
            name: rows[names_][columns[name][row]]
            for names_, name in (("runs", "run"), ("hosts", "host"), ("kinds", "kind"))
        }
        assert values == {"run": one.run, "host": one.host, "kind": one.verdict}
        assert columns["url"][row] == one.url[:4000]
        other = one.original or one.closest
        assert (other_page(rows, row) or None) == (other[:4000] if other else None)
        reason = rows["reasons"][columns["reason"][row]]
        if not other or other.isprintable():
            full = reason.replace(OTHER_URL, other or "")
            assert full[:1000] == one.reason.replace(OTHER_URL, "")[:1000]


def test_an_original_is_named_by_its_row():
    first = decision(url="https://a.example/first")
    copy = near("https://a.example/copy", (0.9, 0.9), reason="See https://a.example/first.")
    lost = near("https://a.example/lost", (0.9, 0.9), original="https://gone.example/")
    rows = rows_of([first, copy, lost], THRESHOLDS)
    assert rows["columns"]["original"] == [None, 0, "https://gone.example/"]
    assert rows["reasons"][rows["columns"]["reason"][1]] == f"See {OTHER_URL}."
    assert rows["columns"]["known"] == [None, (0.9, 0.9), (0.9, 0.9)]
    assert rows["columns"]["time"][0] == 1794817800000
    assert rows["last"] == {"r": 1}
    assert rows["thresholds"] == {"near": 0.72, "contained": 0.8}


def test_shares_of_samples_alone_are_not_compared_with_thresholds():
    scores = {"containment": 0.4, "contained_by": 0.5}
    assert known_shares(decision(stage="shingles", scores=scores)) == (0.4, 0.5)
    assert known_shares(decision(stage="estimate", scores=scores)) is None
    assert known_shares(decision(scores={"known": [0.4, True]})) is None
    assert known_shares(decision(scores={"known": [float("inf"), 1]})) is None


def test_infinite_numbers_are_left_out():
    huge = 10**400
    one = near("https://a.example/", (huge, 1), seq=huge, ms=huge, bytes=huge)
    columns = rows_of([one], THRESHOLDS)["columns"]
    assert [columns[name][0] for name in ("seq", "ms", "bytes", "known")] == [0, 0, None, None]


@given(shares, shares, shares, shares)
def test_the_rule_is_that_of_the_judge(forward, backward, near_, contained):
    settings = Settings.of(near=max(0.3, near_), contained=max(0.3, contained))
    comparison = Comparison(Overlap(0.5, forward, backward))
    found = related((forward, backward), Thresholds.of(settings))
    assert found is relation(comparison, settings)


@given(shares, shares, shares)
def test_thresholds_within_the_margin_change_nothing(forward, backward, part):
    known = forward, backward
    room = margin(known, THRESHOLDS) * part * 0.999
    for near_ in (-room, room):
        for contained in (-room, room):
            moved = Thresholds(THRESHOLDS.near + near_, THRESHOLDS.contained + contained)
            assert related(known, moved) is related(known, THRESHOLDS)


def test_verdicts_follow_from_the_shares_in_the_journal(tmp_path):
    entries: list[dict[str, Any]] = []
    with Deduplicator(tmp_path / "store", on_decision=entries.append) as dedup:
        for seed in range(6):
            text = article(seed, 400)
            for number, parts in enumerate(
                (text, text[:-1], text[:2], text[2:] + article(50 + seed))
            ):
                page = html(parts, f"Page {seed}")
                dedup.process(Page(url=f"https://a.example/{seed}/{number}", html=page))
    decisions = [found for entry in entries if (found := Decision.of(entry))]
    with_shares = [one for one in decisions if known_shares(one)]
    assert {one.verdict for one in with_shares} >= {"near", "contained", "contains"}
    for one in with_shares:
        kind = related(known_shares(one), Thresholds.of(Settings()))
        assert (str(kind) if kind else "unique") == one.verdict


@needs_node
def test_the_script_has_the_same_rule():
    chance = random.Random(3)
    edges = [0.0, 0.3, 0.72, 0.8, 0.7199, 0.7201, 0.7999, 0.8001, 1.0]

    def share() -> float:
        return chance.choice(edges) if chance.random() < 0.5 else round(chance.random(), 4)

    cases = [(share(), share(), share(), share()) for _ in range(20_000)]
    found = run_script("rule.js", "given.map((one) => [related(...one), margin(...one)])", cases)
    for case, (kind, distance) in zip(cases, found, strict=True):
        known, thresholds = case[:2], Thresholds(*case[2:])
        expected = related(known, thresholds)
        assert kind == (None if expected is None else str(expected)), case
        assert distance == margin(known, thresholds), case


def test_closest_calls_come_first_with_drops_and_others_alternating():
    host = "https://a.example"
    rows = rows_of(
        [
            near(f"{host}/clear", (0.99, 0.99)),
            near(f"{host}/close", (0.73, 0.9)),
            decision(
                url=f"{host}/miss",
                closest=f"{host}/clear",
                stage="shingles",
                scores={"known": [0.7, 0.71]},
            ),
            decision(
                url=f"{host}/far",
                closest=f"{host}/clear",
                stage="shingles",
                scores={"known": [0.1, 0.2]},
            ),
            decision(url=f"{host}/alone"),
        ],
        THRESHOLDS,
    )
    assert ranked(rows) == [1, 2, 0, 3]


def test_each_verdict_and_host_comes_once_before_any_comes_twice():
    many = [near(f"https://big.example/{n}", (0.73, 0.73)) for n in range(50)]
    exact = [
        near(f"https://big.example/e{n}", (1, 1), verdict="exact", stage="digest", scores={})
        for n in range(50)
    ]
    small = near("https://small.example/", (0.95, 0.95))
    first = ranked(rows_of([*many, *exact, small], THRESHOLDS))[:3]
    assert set(first) == {0, 50, 100}


def test_equal_pages_come_rarely():
    many = [near(f"https://a.example/{n}", (0.73, 0.73)) for n in range(50)]
    exact = [
        near(f"https://a.example/e{n}", (1, 1), verdict="exact", stage="digest", scores={})
        for n in range(50)
    ]
    chosen = ranked(rows_of([*exact, *many], THRESHOLDS))[:29]
    assert sum(row < 50 for row in chosen) == 4
    assert sum(row >= 50 for row in chosen) == 25


def test_a_pair_comes_once():
    same = [near("https://a.example/", (0.8, 0.8), seq=n) for n in range(3)]
    assert ranked(rows_of(same, THRESHOLDS)) == [0]


def test_published_methods_have_no_margin():
    close = near("https://a.example/d", (0.72, 0.72), stage="method")
    real = near("https://a.example/c", (0.9, 0.9))
    assert ranked(rows_of([close, real], THRESHOLDS)) == [1, 0]
