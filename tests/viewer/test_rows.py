"""Decisions as rows, and the rule of thresholds on them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.report.journal import related
from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.decisions import Decision, known_shares
from dedup_middleware.judge.match import coverage, kept_shares, relation
from dedup_middleware.settings import Level, Settings
from dedup_middleware.similarity.comparison import Comparison, Overlap
from dedup_middleware.similarity.loss import Loss, Side
from dedup_middleware.verdict import Kind
from dedup_middleware.viewer.report_page import OTHER_URL, RunThresholds, rows_of
from tests.support.decisions import decision, near
from tests.support.scripts import needs_node, run_script
from tests.support.texts import article, html

shares = st.floats(0, 1)
percents = st.integers(0, 100).map(lambda number: number / 100)
off_bounds = st.integers(0, 99).map(lambda number: (number + 0.5) / 100)
names = st.text(max_size=12)
urls = st.one_of(st.sampled_from(["https://a.example/", "https://b.example/x"]), st.text())
numbers = st.integers(0, 10**9)
entries = st.fixed_dictionaries(
    {"url": urls, "verdict": names, "action": names},
    optional={
        "seq": numbers,
        "run": names,
        "stage": st.one_of(names, st.just("shingles")),
        "time": st.just("2026-11-16T08:30:00.123+00:00"),
        "original": st.one_of(st.none(), urls),
        "closest": urls,
        "reason": st.text(),
        "ms": numbers,
        "bytes": numbers,
        "scores": st.fixed_dictionaries(
            {}, optional={"known": st.tuples(shares, shares), "containment": shares}
        ),
    },
)


OTHERS = ("original", "closest")


def thresholds() -> RunThresholds:
    return RunThresholds(Settings().level)


def url_of(columns: dict[str, list[Any]], value: int | str | None) -> str | None:
    return columns["url"][value] if isinstance(value, int) else value


@given(st.lists(entries, max_size=8))
def test_rows_hold_the_values_of_any_decisions(lines):
    decisions = [found for line in lines if (found := Decision.of(line))]
    packed = json.dumps(rows_of(decisions, thresholds()), allow_nan=False)
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
        shown = next(filter(None, (url_of(columns, columns[key][row]) for key in OTHERS)), None)
        assert shown == (other[:4000] if other else None)
        reason = rows["reasons"][columns["reason"][row]]
        if not other or other.isprintable():
            full = reason.replace(OTHER_URL, other or "")
            assert full[:1000] == one.reason.replace(OTHER_URL, "")[:1000]


def test_an_original_is_named_by_its_row():
    first = decision(url="https://a.example/first")
    copy = near("https://a.example/copy", (0.9, 0.9), reason="See https://a.example/first.")
    lost = near("https://a.example/lost", (0.9, 0.9), original="https://gone.example/")
    rows = rows_of([first, copy, lost], thresholds())
    assert rows["columns"]["original"] == [None, 0, "https://gone.example/"]
    assert rows["reasons"][rows["columns"]["reason"][1]] == f"See {OTHER_URL}."
    assert rows["columns"]["known"] == [None, (0.9, 0.9), (0.9, 0.9)]
    assert rows["columns"]["time"][0] == 1794817800000
    assert rows["thresholds"] == Settings().level._asdict()


def test_shares_of_samples_alone_are_not_compared_with_thresholds():
    scores = {"containment": 0.4, "contained_by": 0.5}
    assert known_shares(decision(stage="shingles", scores=scores)) == (0.4, 0.5)
    assert known_shares(decision(stage="estimate", scores=scores)) is None


@given(st.tuples(off_bounds, off_bounds), off_bounds, st.integers(0, 5), shares, shares, percents)
def test_the_rule_is_that_of_the_judge(lost, words, others, near_, contained, max_loss):
    settings = replace(
        Settings(), near=max(0.3, near_), contained=max(0.3, contained), max_loss=max_loss
    )
    nothing = Side._make(0 for _ in Side._fields)
    lost_words = 100 * words  # all of them new: the journal does not tell these apart
    side = nothing._replace(
        weight=100, words=100, lost_words=lost_words, new=lost_words, others=others
    )
    sides = (side._replace(lost=100 * share) for share in lost)
    comparison = Comparison(Overlap(0, 0, 0), loss=Loss(*sides))
    known = coverage(comparison)
    apart = kept_shares(comparison)[0] - known[0]
    assert related(known, settings.level, apart, words) is relation(comparison, settings)


def test_no_threshold_of_kinds_makes_a_page_near_that_has_grown():
    known, (near_, contained, max_loss) = (0.85, 0.99), Settings().level
    for lower in (0.0, 0.1, 0.3):
        level = Level(near_ - lower, contained - lower, max_loss)
        assert related(known, level) is Kind.CONTAINS
    assert related(known, Level(near_, contained, 0.1)) is Kind.NEAR  # it may lose that much


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
        words = one.lost.words / one.lost.of if one.lost else 1.0
        kind = related(known_shares(one), Settings().level, words=words)
        assert (str(kind) if kind else "unique") == one.verdict


def test_rows_have_what_would_be_lost():
    lost = {"share": 0.01234567, "words": 6, "units": 1, "of": 412, "facts": [["5", "9"]]}
    young = {"share": 0.0, "words": 0, "units": 0, "of": 412, "bound": 0.01}
    found = rows_of(
        [*(near("https://a.example/", (0.9, 0.9), lost=one) for one in (lost, young)), decision()],
        thresholds(),
    )
    assert found["columns"]["lost"] == [(0.0123, 6, 412, 1, 1.0), (0.0, 0, 412, 0, 0.2), None]


@needs_node
def test_the_bound_decides_the_action():
    cases = [
        (("drop", 0.02, 0, 0.05, 0.01), "tag"),
        (("drop", 0.02, 0, 0.05, 0.02), "drop"),
        (("tag", 0.1, 0, 0.05, 0.2), "drop"),
        (("tag", 0.1, 1, 0.05, 0.2), "tag"),  # a fact differs
        (("tag", 0.04, 0, 0.05, 0.2), "tag"),  # something else has kept it
        (("pass", 0.1, 0, 0.05, 0.2), "pass"),
    ]
    found = run_script(
        "rule.js", "given.map((one) => boundedAction(...one))", [case for case, _ in cases]
    )
    assert found == [action for _, action in cases]


@needs_node
def test_the_script_has_the_same_rule():
    chance = random.Random(3)
    edges = [0.0, 0.3, 0.72, 0.8, 0.7199, 0.7201, 0.7999, 0.8001, 1.0]

    def share() -> float:
        return chance.choice(edges) if chance.random() < 0.5 else round(chance.random(), 4)

    cases = [
        ((share(), share()), Level(share(), share(), share() / 4), share() / 4, share())
        for _ in range(20_000)
    ]
    given = [(*known, level._asdict(), *rest) for known, level, *rest in cases]
    found = run_script("rule.js", "given.map((one) => related(...one))", given)
    for case, kind in zip(cases, found, strict=True):
        expected = related(*case)
        assert kind == (None if expected is None else str(expected)), case


def test_doubt_goes_by_the_thresholds_of_the_run():
    strict = {"near": 0.9, "contained": 0.95, "max_loss": 0.01}
    rows = rows_of(
        [
            near("https://a.example/1", (0.91, 0.91), run="strict", thresholds=strict),
            near("https://a.example/2", (0.91, 0.91), run="other"),
            near("https://a.example/3", (0.91, 0.91), run="strict"),
            near("https://a.example/4", (1, 1), verdict="exact", stage="digest", scores={}),
        ],
        thresholds(),
    )
    first, second, third, exact = rows["columns"]["doubt"]
    assert first == third > second > exact == 0
    assert rows["thresholds"] == strict


def test_pages_that_took_the_places_of_others_are_named():
    heir = near("https://a.example/heir", (1, 1), action="pass", supersedes="https://a.example/old")
    rows = rows_of([decision(url="https://a.example/old"), heir], thresholds())
    assert rows["supersedes"] == [(1, "https://a.example/old")]
