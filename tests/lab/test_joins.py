"""Joined sentence pairs: which are taken, and that each pair of pages can be judged."""

from __future__ import annotations

import gzip
import json

import pytest

from lab.accuracy.sets import batches_of, find_sets, labels_of
from lab.joins import SENTENCES, main


def pairs(family: str, count: int, **values) -> list[dict]:
    return [
        {
            "id": f"{family}-{number}-{values}",
            "set": f"{family}-dev",
            "a": f"{family} {number} {values} said one",
            "b": f"{family} {number} {values} said another",
            **values,
        }
        for number in range(count)
    ]


@pytest.fixture
def path(tmp_path):
    found = [
        *pairs("paws", 3 * SENTENCES + 5, label=1, score=None),
        *pairs("paws", SENTENCES, label=0, score=None),
        *pairs("sts", SENTENCES, label=1, score=4.5),
        *pairs("sts", SENTENCES, label=None, score=3.0),
        *pairs("sts", SENTENCES, label=0, score=1.0),
    ]
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, found)).encode()))
    return path


def test_each_family_is_a_set_of_pairs(path, tmp_path, capsys):
    assert main([str(path), "--output", str(tmp_path / "sets"), "--count", "2"]) == 0
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "2 same, 1 different",
        "1 same, 1 different",
    ]
    problems: list[str] = []
    found = find_sets([tmp_path / "sets"], problems)
    assert [(one.name, one.mode, one.size) for one in found] == [
        ("joins-paws", "pairs", 6),
        ("joins-sts", "pairs", 4),
    ]
    for one in found:
        labels = {label.url: label for label in labels_of(one, problems)}
        for first, second in batches_of(one, problems):
            assert labels[first["url"]].gold == "skip"
            label = labels[second["url"]]
            same = label.gold == "positive"
            assert list(label.positives) == ([first["url"]] if same else [])
            assert first["html"].count("said one.") == SENTENCES
            assert second["html"].count("said another.") == SENTENCES
            assert "3.0" not in first["html"]
    assert problems == []


def test_the_same_seed_joins_the_same(path, tmp_path):
    for name, seed in (("one", "1"), ("same", "1"), ("other", "2")):
        main([str(path), "--output", str(tmp_path / name), "--seed", seed])
    one, same, other = (
        (tmp_path / name / "joins-paws" / "pages.jsonl.gz").read_bytes()
        for name in ("one", "same", "other")
    )
    assert one == same != other


def test_what_is_wrong_is_reported(tmp_path, capsys):
    path = tmp_path / "pairs.jsonl"
    wrong = [{"set": "x", "a": "b"}, {"set": "x", "a": "b", "b": "c", "label": 5}]
    path.write_text("\n".join(map(json.dumps, wrong)))
    assert main([str(path), "--output", str(tmp_path / "sets")]) == 1
    assert "'b' must be a string" in capsys.readouterr().err
    path.write_text(json.dumps(pairs("paws", 1, label=1, score=None)[0]))
    (tmp_path / "sets" / "joins-paws").mkdir(parents=True)
    (tmp_path / "sets" / "joins-paws" / "notes.txt").write_text("precious")
    with pytest.raises(SystemExit):
        main([str(path), "--output", str(tmp_path / "sets")])
    assert "is not empty" in capsys.readouterr().err
