"""Decisions that are read while crawls make them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.store import open_store
from dedup_middleware.viewer.live_decisions import (
    FileLog,
    LiveDecisions,
    StoreLog,
)
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
def test_lines_without_a_decision(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line + b"\n" + line_of("r", 3))
    live = LiveDecisions(FileLog([path]))
    assert [one.sequence for one in live.after(0).decisions] == [3]


def test_decisions_out_of_order_or_twice(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b"".join(line_of("r", seq) for seq in (1, 4, 2)) + line_of("s", 2))
    two.write_bytes(line_of("r", 2))
    live = LiveDecisions(FileLog([one, two]))
    new = live.after(0)
    assert [(one.run, one.sequence) for one in new.decisions] == [
        *(("r", 1), ("r", 4), ("r", 2), ("s", 2))
    ]
    with two.open("ab") as file:
        file.write(b"".join(line_of("r", seq) for seq in (1, 3, 4, 3)))
    new = live.after(new.last)
    assert [(one.run, one.sequence) for one in new.decisions] == [("r", 3)]
    assert live.decision("s", 2).run == "s"
    assert live.decision("s", 3) is None
    assert list(live.runs) == ["r", "s"]


class Journal:
    """A journal file that grows."""

    def __init__(self, folder):
        self._path = folder / "a.jsonl"
        self._path.touch()
        self._count = 0
        self.log = FileLog([self._path])

    def add(self, **more):
        self._count += 1
        with self._path.open("ab") as file:
            file.write(line_of("r", self._count, **more))


class Store:
    """A store in which a crawl decides."""

    def __init__(self, folder):
        self._place = folder / "store"
        self.log = StoreLog(self._place)
        open_store(self._place).close()

    def add(self, **more):
        add_decisions(self._place, json.loads(line_of("r", None, **more)))


@pytest.fixture(params=[Journal, Store])
def growing(request, tmp_path):
    return request.param(tmp_path)


def test_what_a_later_line_overrules_is_said_to_those_who_have_it(growing):
    growing.add()
    growing.add()
    live = LiveDecisions(growing.log)
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
    monkeypatch.setattr("dedup_middleware.viewer.live_decisions.MOST_ROWS", 4)
    for _ in range(10):
        growing.add()
    live = LiveDecisions(growing.log)
    last, batches, more = 0, [], True
    while more:
        decisions, last, more, _ = live.after(last)
        batches.append([one.sequence for one in decisions])
    assert batches == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]


def test_a_store_that_is_gone_for_a_while(tmp_path):
    live = LiveDecisions(StoreLog(tmp_path / "store"))
    assert live.after(0).decisions == []
    assert live.problems == [f"There is no dedup store in {tmp_path / 'store'}"]
    add_decisions(tmp_path / "store", json.loads(line_of("r", None)))
    assert len(live.after(0).decisions) == 1
    assert live.problems == []


def test_a_journal_that_was_cut(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(line_of("r", 1) + line_of("r", 2))
    live = LiveDecisions(FileLog([path]))
    assert len(live.after(0).decisions) == 2
    path.write_bytes(line_of("q", 9))
    assert live.after(2).decisions == []
    assert live.problems == ["A journal was cut or replaced; reload the page"]
    assert live.decision("r", 1) is None
    assert [one.run for one in live.after(0).decisions] == ["q"]
    path.unlink()
    assert live.after(0).decisions == []
    assert live.problems == [f"{path}: can't be read: No such file or directory"]
