"""Labels that follow from answers, agreement of judges, precision of methods."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.judge import Answer, Answers, Pair, agreement
from lab.judge.evaluation import (
    Sampled,
    compare_judges,
    measure_methods,
    precision,
    wilson,
)
from lab.judge.status import status_json
from lab.labels import PairLabel, combine, in_conflict, label_pair, unresolved
from tests.support.labelling import answer

ANSWERS = st.sampled_from(list(Answer))


@pytest.mark.parametrize(
    ("answers", "gold"),
    [
        ("", PairLabel("ignore")),
        ("open", PairLabel("ignore")),
        ("same", PairLabel("positive", ("exact", "near"))),
        ("same same", PairLabel("positive", ("exact", "near"))),
        ("first-in-second", PairLabel("positive", ("contains",))),
        ("second-in-first", PairLabel("positive", ("contained",))),
        ("second-in-first same", PairLabel("positive", ("exact", "near", "contained"))),
        ("first-in-second second-in-first", PairLabel("positive", ("contains", "contained"))),
        ("different", PairLabel("negative")),
        ("different open", PairLabel("negative")),
        ("different same", PairLabel("ignore")),
        ("different second-in-first same", PairLabel("ignore")),
    ],
)
def test_what_answers_add_up_to(answers, gold):
    assert combine([Answer(answer) for answer in answers.split()]) == gold


def test_a_resolution_overrules_the_judges(tmp_path):
    answers, pair = Answers(tmp_path / "answers.jsonl"), Pair("a", "b")
    answers.record(pair, "ann", Answer.SAME)
    assert not in_conflict(pair, answers)
    answers.record(pair, "ben", Answer.OPEN)
    assert not in_conflict(pair, answers)
    answers.record(pair, "ben", Answer.DIFFERENT)
    assert in_conflict(pair, answers)
    assert label_pair(pair, answers) == PairLabel("ignore")
    answers.record(pair.swapped, "cat", Answer.FIRST_IN_SECOND, resolves=True)
    assert label_pair(pair, answers) == PairLabel("positive", ("contained",))
    answers.record(pair, "dan", Answer.OPEN, resolves=True)
    assert label_pair(pair, answers) == PairLabel("ignore")


def table(both: int, only_first: int, only_second: int, neither: int) -> list[tuple[bool, bool]]:
    cells = {
        (True, True): both,
        (True, False): only_first,
        (False, True): only_second,
        (False, False): neither,
    }
    return [answers for answers, count in cells.items() for _ in range(count)]


def test_kappa_of_the_worked_example():
    found = agreement(table(40, 20, 10, 30))
    assert found == (100, 0.7, 0.5, 0.4)
    assert found.reading == "fair"
    assert agreement(table(40, 10, 20, 30)) == found


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1))
def test_kappa_is_what_its_definition_says(answers):
    found = agreement(answers)
    total = len(answers)
    observed = Fraction(sum(one is other for one, other in answers), total)
    chance = sum(
        Fraction(sum(one is answer for one, _ in answers), total)
        * Fraction(sum(other is answer for _, other in answers), total)
        for answer in Answer
    )
    assert found.observed == pytest.approx(float(observed))
    assert found.chance == pytest.approx(float(chance))
    if chance == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(float((observed - chance) / (1 - chance)))
        assert found.kappa <= 1
    assert found.reading


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1))
def test_kappa_is_symmetric(answers):
    assert agreement(answers) == agreement([(other, one) for one, other in answers])


@given(st.lists(ANSWERS, min_size=1))
def test_kappa_of_equal_answers_is_one_or_undefined(answers):
    found = agreement([(answer, answer) for answer in answers])
    assert found.observed == 1
    assert found.kappa == (1 if len(set(answers)) > 1 else None)


def test_kappa_at_its_limits():
    assert agreement([]) is None
    assert agreement(table(0, 5, 0, 0)).kappa == 0
    assert agreement(table(0, 5, 5, 0)).kappa == -1
    assert agreement(table(0, 5, 5, 0)).reading == "less than by chance"
    assert agreement(table(9, 0, 0, 0)).reading.startswith("undefined")
    assert agreement(table(9, 0, 0, 9)).reading == "almost perfect"


def test_wilson_of_known_figures():
    assert wilson(0.9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(1, 20) == pytest.approx((0.8389, 1), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)


@given(st.integers(1, 500), st.data())
def test_precision_of_one_sample_is_its_share(judged, data):
    right = data.draw(st.integers(0, judged))
    found = precision([Sampled(judged * 3, judged, judged, right), Sampled(0, 0, 0, 0)])
    assert found.share == pytest.approx(right / judged)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found[1:] == pytest.approx(wilson(right / judged, judged))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_precision_is_exact_when_all_is_judged(strata):
    """Each stratum with its right, wrong and open pairs."""
    right, wrong, _ = (sum(column) for column in zip((0, 0, 0), *strata, strict=True))
    sampled = [
        Sampled(good + bad + left, good + bad + left, good + bad, good)
        for good, bad, left in strata
    ]
    found = precision(sampled)
    if right + wrong:
        assert found.share == pytest.approx(right / (right + wrong))
    else:
        assert found is None


def test_precision_counts_strata_by_their_size():
    found = precision([Sampled(900, 10, 10, 10), Sampled(100, 50, 50, 0)])
    assert found.share == pytest.approx(0.9)
    even = precision([Sampled(1000, 60, 60, 54)])
    assert found.high - found.low > even.high - even.low
    open_ones = precision([Sampled(100, 10, 10, 10), Sampled(100, 50, 5, 0)])
    assert open_ones.share == pytest.approx(100 / 110)
    neighbours = [Sampled(30, 0, 0, 0), Sampled(70, 7, 7, 7), Sampled(100, 5, 5, 0)]
    assert precision(neighbours).share == pytest.approx(0.5)
    assert precision([*neighbours, Sampled(100, 0, 0, 0)]).share == pytest.approx(1 / 3)
    assert precision([Sampled(9, 0, 0, 0)]) is None
    assert precision([]) is None


def test_two_judges_and_one_who_resolves(folder):
    answer(folder, "ann", "ssdd1?")
    answer(folder, "ben", "sdds2s")
    (two,) = compare_judges(folder.pool, folder.answers)
    assert two.judges == ("ann", "ben")
    assert two.table == (2, 1, 1, 1)
    assert two.sides.pairs == 5
    assert two.sides.observed == pytest.approx(0.6)
    assert two.answers.pairs == 6
    assert two.answers.observed == pytest.approx(2 / 6)
    assert unresolved(folder.pool, folder.answers) == [1, 3, 4]
    assert folder.export()["ignore"] == 2  # kinds of likeness are no reason to leave a pair out
    folder.answers.record(folder.pool.pairs[1].pair, "cat", Answer.SAME, resolves=True)
    folder.answers.record(folder.pool.pairs[3].pair, "cat", Answer.DIFFERENT, resolves=True)
    assert unresolved(folder.pool, folder.answers) == [4]
    told = status_json(folder.pool, folder.answers)
    assert (told["conflicts"], told["unresolved"]) == (3, 1)
    assert told["gold"] == {"positive": 4, "negative": 2, "ignore": 0}
    assert told["answered"] == {"ann": 6, "ben": 6}
    assert compare_judges(folder.pool, folder.answers) == [two]
    json.dumps(told)


def test_methods_are_measured_on_what_is_settled(folder):
    answer(folder, "ann", "ss?dsd")
    found = measure_methods(folder.pool, folder.answers)
    cascade, shingles = found["cascade"], found["shingles"]
    assert cascade[:5] == (4, 3, 2, 2, 3)
    assert shingles[:5] == (5, 4, 2, 2, 3)
    # one vote: the first pair alone; two votes: three pairs, one right, one wrong, one left open
    assert cascade.precision.share == pytest.approx((1 * 1 + 2 * 1 / 2) / 3)
    pairs = (*folder.pool.pairs[:5], replace(folder.pool.pairs[5], drawn=False))
    found = measure_methods(replace(folder.pool, pairs=pairs), folder.answers)
    assert found["shingles"][:3] == (5, 3, 2)
