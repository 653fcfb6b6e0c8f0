"""Decisions that are read while crawls make them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.store import open_store
from dedup_middleware.viewer.api import LiveDecisions
from tests.support.decisions import add_decisions


def line_of(run: str, seq: Any, url: str = "https://a.example/", **more: Any) -> bytes:
    entry = {"v": 1, "seq": seq, "time": "2026-11-16T08:30:00+00:00", "run": run, "url": url}
    entry |= {"verdict": "unique", "action": "pass", **more}
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.integers(1, 2**53 - 1))
def test_keys_equal_those_of_the_parsed_line(run, seq):
    line = line_of(run, seq)
    decision = Decision.parse(line)
    assert key_of(line) == (decision.run, decision.sequence) == (run, seq)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"[" * 100_000,
        line_of("r", 0),
        line_of("r", -1),
        line_of("r", True),
        line_of("r", None),
        line_of("r", 10**400),
        line_of("r", 1.5),
        line_of("r", 1)[:-9],
        line_of("r", 1).replace(b'"url"', b'"uri"'),
    ],
)
def test_lines_without_a_decision(line):
    assert key_of(line) is None or Decision.parse(line) is None


class Growing:
    """A store in which a crawl decides."""

    def __init__(self, folder):
        self.place = folder / "store"
        open_store(self.place).close()

    def add(self, **more):
        add_decisions(self.place, json.loads(line_of("r", None, **more)))


@pytest.fixture
def growing(tmp_path):
    return Growing(tmp_path)


def test_what_a_later_line_overrules_is_said_to_those_who_have_it(growing):
    growing.add()
    growing.add()
    live = LiveDecisions(growing.place)
    decisions, last, _, overruled = live.after(0)
    assert ([one.sequence for one in decisions], overruled) == ([1, 2], [])
    growing.add(overrules=2)
    decisions, later, _, overruled = live.after(last)
    assert ([one.sequence for one in decisions], overruled) == ([3], [("r", 2)])
    assert live.after(later) == ([], later, False, [])
    assert [one.sequence for one in live.after(0).decisions] == [1, 3]
    assert live.decision("r", 3).overrules == 2
    for run, sequence in (("r", 4), ("r", 0), ("s", 3)):
        assert live.decision(run, sequence) is None


def test_many_rows_come_in_batches(growing, monkeypatch):
    monkeypatch.setattr("dedup_middleware.viewer.api.MOST_ROWS", 4)
    for _ in range(10):
        growing.add()
    live = LiveDecisions(growing.place)
    last, batches, more = 0, [], True
    while more:
        decisions, last, more, _ = live.after(last)
        batches.append([one.sequence for one in decisions])
    assert batches == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]


def test_a_store_that_is_gone_for_a_while(tmp_path):
    live = LiveDecisions(tmp_path / "store")
    assert live.after(0).decisions == []
    assert live.problems == [f"There is no dedup store in {tmp_path / 'store'}"]
    add_decisions(tmp_path / "store", json.loads(line_of("r", None)))
    assert len(live.after(0).decisions) == 1
    assert live.problems == []


def test_a_store_that_was_replaced(growing):
    growing.add()
    live = LiveDecisions(growing.place)
    assert live.after(1).decisions == []
    assert live.problems == []
    assert live.after(2).decisions == []
    assert live.problems == ["The store was replaced by a new one; reload the page"]
