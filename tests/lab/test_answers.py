"""Answers of people, in their file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware.errors import DedupError
from lab.judge import Answer, Answers, Pair

ANSWERS = st.sampled_from(list(Answer))
NAMES = st.sampled_from("abc")


@settings(max_examples=30)  # each answer waits for the disk
@given(
    said=st.lists(
        st.tuples(NAMES, NAMES, st.sampled_from(["ann", "ben"]), ANSWERS, st.booleans()),
        max_size=12,
    )
)
def test_the_last_answer_of_a_judge_counts_in_either_order(tmp_path_factory, said):
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    answers = Answers(path)
    by_judge: dict[tuple[str, str, str], Answer] = {}
    resolved: dict[tuple[str, str], Answer] = {}
    for first, second, judge, answer, resolves in said:
        answers.record(Pair(first, second), judge, answer, resolves=resolves)
        for one, other, swapped in ((first, second, False), (second, first, True)):
            seen = answer.swapped if swapped and first != second else answer
            if resolves:
                resolved[one, other] = seen
            else:
                by_judge[one, other, judge] = seen
    for kept in (answers, Answers(path)):
        assert kept.damaged == []
        for first in "abc":
            for second in "abc":
                expected = {
                    judge: by_judge[first, second, judge]
                    for judge in ("ann", "ben")
                    if (first, second, judge) in by_judge
                }
                assert kept.of(Pair(first, second)) == expected
                assert kept.resolution(Pair(first, second)) == resolved.get((first, second))


def test_answers_survive_torn_and_strange_lines(tmp_path):
    path = tmp_path / "answers.jsonl"
    answers = Answers(path)
    strange = Pair("https://a.example/\x1b[2J\n\ud800", "ü")
    answers.record(strange, "ann", Answer.SAME)
    whole = path.read_bytes()
    assert whole.count(b"\n") == 1
    assert whole.isascii()
    answer = {"judge": "x", "first": "a", "second": "b", "answer": "same"}
    bad = [b"[1]", b"3", b'{"judge":', json.dumps({**answer, "answer": "maybe"}).encode()]
    bad += [json.dumps({**answer, "first": 3}).encode(), b"\xff", b"[" * 10_000]
    path.write_bytes(whole + b"\n".join(bad) + b"\n" + whole[:-20])
    again = Answers(path)
    assert again.damaged == [2, 3, 4, 5, 6, 7, 8, 9]
    assert again.of(strange) == {"ann": Answer.SAME}
    again.record(Pair("c", "d"), "ben", Answer.OPEN)  # behind the torn line, not in it
    assert Answers(path).of(Pair("c", "d")) == {"ben": Answer.OPEN}
    assert Answers(path).judges == {"ann": 1, "ben": 1}


def test_answers_that_cannot_be_saved(tmp_path):
    answers = Answers(tmp_path / "absent" / "answers.jsonl")
    with pytest.raises(DedupError, match=r"Can't save the answer in .*: No such file"):
        answers.record(Pair("a", "b"), "ann", Answer.SAME)
    assert answers.of(Pair("a", "b")) == {}
    with pytest.raises(DedupError, match="Can't read"):
        Answers(tmp_path)
