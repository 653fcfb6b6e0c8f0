"""The benchmark of sentence tests: areas as counted pair by pair, and the command's output."""

from __future__ import annotations

import json
import random

import pytest

from dedup_middleware import sentence_similarity
from dedup_middleware.similarity import matching
from lab.sentences.__main__ import main
from lab.sentences.scoring import THRESHOLDS, area_under_curve, compare, figures

SAME = ("The tide lifted all boats in the harbour.", "All boats in the harbour the tide lifted.")
OTHER = ("The tide lifted all boats in the harbour.", "Nobody reads a newspaper on trains today.")


def naive_area(values: list[float], labels: list[int]) -> float:
    wins = [
        (values[i] > values[j]) + (values[i] == values[j]) / 2
        for i, one in enumerate(labels)
        for j, other in enumerate(labels)
        if one and not other
    ]
    return sum(wins) / len(wins)


@pytest.mark.parametrize("seed", range(5))
def test_area_is_that_of_all_pairs_counted(seed: int) -> None:
    chance = random.Random(seed)
    labels = [1, 0, *(chance.randrange(2) for _ in range(60))]
    values = [chance.randrange(8) / 7 for _ in labels]  # many ties
    assert area_under_curve(values, labels) == pytest.approx(naive_area(values, labels))


def test_area_with_only_one_label_is_one_half() -> None:
    assert area_under_curve([0.1, 0.9], [1, 1]) == 0.5


def test_figures_at_a_threshold() -> None:
    found = figures([0.9, 0.6, 0.7, 0.1], [1, 1, 0, 0], 0.6)
    assert (found.pairs, found.positives) == (4, 2)
    assert (found.precision, found.recall) == (2 / 3, 1.0)
    assert (found.f1, found.accuracy) == (pytest.approx(0.8), 0.75)


def test_the_default_is_the_public_measure() -> None:
    for pair in (SAME, OTHER):
        assert compare(*pair, matching.SentenceTest()) == sentence_similarity(*pair)


def test_fourgrams_are_equal_or_not() -> None:
    test = matching.SentenceTest("fourgrams")
    assert compare(SAME[0], SAME[0], test) == 1.0
    assert compare(*OTHER, test) == 0.0
    assert compare("", "", test) == 0.0


def test_the_command_goes_through_all_tests(tmp_path, capsys) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"set": "s", "a": SAME[0], "b": SAME[0], "label": 1, "score": 5},
        {"set": "s", "a": OTHER[0], "b": OTHER[1], "label": 0, "score": 0},
        {"set": "s", "a": "x", "b": "y", "label": None, "score": 2},
        {"set": "s", "a": "x", "label": 1},
        {"set": "s", "a": "x", "b": "y", "label": 7},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert main([str(path), "--json"]) == 1
    output = capsys.readouterr()
    results = json.loads(output.out)["results"]
    assert [row["test"] for row in results] == list(matching.TESTS) == list(THRESHOLDS)
    assert all((row["pairs"], row["auc"], row["f1"]) == (2, 1.0, 1.0) for row in results)
    assert output.err.splitlines() == [
        f"{path}:4: 'b' must be a string; line skipped",
        f"{path}:5: 'label' must be 1, 0 or null; line skipped",
    ]
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[1].split()[:5] == ["s", "fuzzy", "2", "1", "1.0000"]


def test_unreadable_files_are_reported_in_one_line(tmp_path, capsys) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path / "none.jsonl"), "--model", str(tmp_path / "no-model")])
    assert "no-model" in capsys.readouterr().err
