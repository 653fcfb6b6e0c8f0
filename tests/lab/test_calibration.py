"""The strictness that fits the answers of people."""

from __future__ import annotations

import pytest

from dedup_middleware.errors import DedupError
from dedup_middleware.settings import STRICTNESS
from lab.judge.__main__ import _calibration_lines
from lab.judge.calibration import (
    FEWEST,
    Answered,
    answered_pairs,
    calibrate,
    missing_answers,
)
from tests.support.labelling import answer


def pairs(alike: list[float], different: list[float]) -> list[Answered]:
    return [Answered((share, share), True) for share in alike] + [
        Answered((share, share), False) for share in different
    ]


@pytest.mark.parametrize(
    ("different", "strictness"), [(0.61, "eager"), (0.7, "balanced"), (0.755, "strict")]
)
def test_the_loosest_strictness_that_drops_nothing_of_its_own(different, strictness):
    found = calibrate(pairs([0.86, 0.9, 0.95] * 10, [0.3, 0.6, different] * 10))
    assert found.strictness == strictness
    assert (found.found, found.alike, found.dropped, found.different) == (30, 30, 0, 30)
    assert found.is_safe
    assert 0.1 < found.most_dropped < 0.15


def test_where_nothing_is_safe_the_strictest_is_named():
    found = calibrate(pairs([0.9] * 20, [1.0] * 20))
    assert (found.strictness, found.dropped, found.is_safe) == ("strict", 20, False)


def test_a_page_inside_another_counts_by_its_own_share():
    assert Answered((0.85, 0.2), True).is_found(STRICTNESS["balanced"])
    assert not Answered((0.78, 0.2), True).is_found(STRICTNESS["balanced"])


def test_too_few_answers():
    assert missing_answers(pairs([0.9] * 25, [0.1] * 3)) == (0, FEWEST - 3)


def test_answers_of_a_folder(folder):
    answer(folder, "ann", "s2d")
    first, second, third = answered_pairs(folder)
    assert (first.alike, second.alike, third.alike) == (True, True, False)
    assert first.known[1] > 0.9
    with pytest.raises(DedupError, match="18 alike and 19 different more are needed"):
        _calibration_lines(folder)
