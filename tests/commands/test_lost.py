"""What would be lost, as commands show it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from dedup_middleware import Lost
from tests.support.commands import BAD, call
from tests.support.decisions import add_decisions, decision, near

SOME = Lost(
    0.02, 6, 1, 412, ("It is 5 miles long.",), (("5 mg a day", "9 mg a day"),), ("Terms",), 0.05
)
MUCH = Lost(0.2, 80, 9, 400)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    decisions = [
        near("https://a.example/none", (0.9, 0.9), lost=Lost(of=300).as_json()),
        near("https://a.example/some", (0.9, 0.9), lost=SOME.as_json(), seq=2),
        near("https://a.example/unknown", (0.9, 0.9), seq=3),
        near("https://a.example/much", (0.9, 0.9), lost=MUCH.as_json(), seq=4),
        decision(url="https://a.example/first", seq=5),
    ]
    add_decisions(tmp_path / "store", *(one.entry for one in decisions))
    monkeypatch.chdir(tmp_path)

    def run(name: str, *args: str) -> str:
        assert call(name, *args, "--store", "store") == 0
        out, err = capsys.readouterr()
        assert not any(mark in out + err for mark in BAD)
        return out

    return run


def test_drops_are_sorted_by_what_they_lose(run):
    lines = run("drops", "--sort", "lost", "--json").splitlines()
    names = [json.loads(line)["url"].rpartition("/")[2] for line in lines]
    assert names == ["much", "some", "none", "unknown"]
    lines = run("drops", "--sort", "lost", "--reverse", "--limit", "1", "--json").splitlines()
    assert "unknown" in lines[0]


def test_csv_has_columns_of_it(run):
    table = list(csv.DictReader(io.StringIO(run("drops", "--sort", "lost", "--csv"))))
    found = [[row[f"lost_{name}"] for name in ("share", "words", "units", "of")] for row in table]
    assert found == [
        ["0.2", "80", "9", "400"],
        ["0.02", "6", "1", "412"],
        ["0.0", "0", "0", "300"],
        [""] * 4,
    ]


def test_show_lists_sentences_facts_and_what_moved(run):
    lines = [line.strip() for line in run("show", "https://a.example/some").splitlines()]
    start = lines.index("lost       6 of 412 words; by weight 2.0%, at most 5.0% may be")
    assert lines[start : start + 5] == [
        "lost       6 of 412 words; by weight 2.0%, at most 5.0% may be",
        "only here: It is 5 miles long.",
        "facts      here:  5 mg a day",
        "there: 9 mg a day",
        "moved      Terms",
    ]
    assert "only here" not in run("show", "https://a.example/none")
    assert "lost" not in run("show", "https://a.example/unknown")
    (told,) = json.loads(run("show", "https://a.example/some", "--json"))["decisions"]
    assert told["lost"] == SOME.as_json()


@pytest.mark.parametrize(
    ("reason", "original", "said"),
    [
        (
            "It is all there. It is a small part of that page, so it is kept; nothing is lost.",
            "https://a.example/",
            "tag",
        ),
        (
            "5 of 7 sentences. A fact differs, so it is kept; and more.",
            "https://a.example/",
            "tag",
        ),
        (
            "All of it.",
            "https://b.example/",
            "tag: the original is on another site (DEDUP_CROSS_HOST)",
        ),
    ],
)
def test_show_says_why_a_page_was_only_tagged(
    tmp_path, monkeypatch, capsys, reason, original, said
):
    monkeypatch.chdir(tmp_path)
    one = decision(
        url="https://a.example/1",
        verdict="contained",
        action="tag",
        original=original,
        reason=reason,
    )
    add_decisions(tmp_path / "store", one.entry)
    assert call("show", "example/1", "--store", "store") == 0
    assert f"  action     {said}\n" in capsys.readouterr().out


def test_stats_sum_it_up(run):
    total = json.loads(run("stats", "--json"))
    assert (total["words_dropped"], total["words_lost"]) == (1112, 86)
    assert "86" in run("stats")
