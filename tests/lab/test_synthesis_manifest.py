"""Manifests that are read back, and plans that are refused."""

from __future__ import annotations

import gzip
import json
import re
from random import Random

import pytest
from hypothesis import given

from dedup_middleware import SettingError
from lab.synthesis import (
    Plan,
    Range,
    SeriesPlan,
    make_series,
    read_manifest,
    synthesize,
)
from lab.synthesis.plan import parse_range, parse_shares, parse_whole
from lab.synthesis.set_folder import row_of, truth_of
from tests.support.synthesis import (
    PLANS,
    POOL,
    SEEDS,
    SOURCES,
    source,
)


@given(SOURCES, PLANS, SEEDS)
def test_the_manifest_comes_back(sources, plan, seed):
    series = SeriesPlan(3, Range(1, len(sources)), plan, seed)
    for made, _ in make_series(sources, series):
        assert truth_of(json.loads(json.dumps(row_of(made.truth)))) == made.truth


def row(**changes) -> str:
    (labelled,) = make_series(POOL, SeriesPlan(1))
    return json.dumps({**row_of(labelled.made.truth), **changes})


def test_a_manifest_is_read_packed_and_plain_and_from_its_folder(tmp_path):
    lines = "\n".join([row(), "", row(url="https://b.example/")])
    (tmp_path / "plain.jsonl").write_text(lines)
    (tmp_path / "manifest.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    problems: list[str] = []
    plain, packed, folder = (
        read_manifest(path, problems)
        for path in (tmp_path / "plain.jsonl", tmp_path / "manifest.jsonl.gz", tmp_path)
    )
    assert problems == []
    assert plain == packed == folder
    assert [truth.url for truth in plain] == ["https://made.example/1/1", "https://b.example/"]


def test_what_is_wrong_in_a_manifest_is_named_by_line(tmp_path):
    good = json.loads(row())
    wrong = {
        '{"url": "https://cut': "no JSON: ",
        "[]": "not a JSON object",
        "[" * 100_000: "no JSON: ",
        "\udcff": "no JSON: ",
        row(url=7): "'url' must be a string",
        row(terms=-1): "'terms' must be a whole number, not -1",
        row(terms=True): "'terms' must be a whole number, not True",
        row(own=None): "'own' must be an object",
        row(own={"terms": 3}): "'from' must be a string",
        row(sources=[1]): "'sources' must be a list of objects",
        row(others={}): "'others' must be a list",
        row(sources=[{**good["sources"][0], "kept": 10**9}]): "'kept' is 1000000000, more than",
        row(sources=[{**good["sources"][0], "asked": "all"}]): "'asked' must be a share",
        row(sources=[{**good["sources"][0], "asked": 1.5}]): "'asked' must be a share",
        row(sources=[{**good["sources"][0], "paragraphs": ["1"]}]): "'paragraphs' must be whole",
        row(sources=[{**good["sources"][0], "edits": {}}]): "'replaced' must be a whole number",
    }
    path = tmp_path / "manifest.jsonl"
    text = "\n".join([*wrong, row()])
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    problems: list[str] = []
    assert len(read_manifest(path, problems)) == 1
    for number, (problem, said) in enumerate(zip(problems, wrong.values(), strict=True), 1):
        assert problem.startswith(f"{path}:{number}: {said}")
        assert problem.endswith("; line skipped")


def test_a_manifest_that_is_missing_or_torn_is_reported(tmp_path):
    problems: list[str] = []
    assert read_manifest(tmp_path / "none.jsonl", problems) == []
    assert read_manifest(tmp_path, problems) == []
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(f"{row()}\n{row()}".encode(), 0)[:-300])
    assert len(read_manifest(torn, problems)) == 1
    assert (
        problems[0]
        == f"{tmp_path / 'none.jsonl'}: can't be read from here on: No such file or directory"
    )
    assert problems[1].startswith(f"{tmp_path / 'manifest.jsonl.gz'}: can't be read")
    assert problems[2].startswith(f"{torn}:2: can't be read from here on: ")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Plan(shares=(0.0,)), "shares must lie from 0.001 to 1, not 0"),
        (lambda: Plan(shares=(0.5, 1.1)), "shares must lie from 0.001 to 1, not 1.1"),
        (lambda: Plan(shares=()), "shares must name at least one figure"),
        (lambda: Plan(shares=Range(0.5, float("nan"))), "shares must lie"),
        (lambda: Plan(own=Range(0, 1)), "own must lie from 0 to 0.99, not 0-1"),
        (lambda: Plan(edits=Range(0, 2)), "edits must lie from 0 to 1, not 0-2"),
        (lambda: Plan(edit_kinds=("swap",)), "edit kinds must be some of replace, insert, delete"),
        (lambda: Plan(edit_kinds=()), "edit kinds must be"),
        (lambda: Plan(reorder="words"), "reorder must be one of paragraphs, sentences, nothing"),
        (lambda: parse_range("own", "much"), "own must be a figure or a range as 0.2-0.5"),
        (lambda: parse_range("own", "1.2.3"), "own must be a figure or a range"),
        (lambda: parse_range("own", "-1"), "own must be a figure or a range"),
        (lambda: parse_range("own", "0.5-0.2"), "own must go from the smaller to the larger"),
        (lambda: parse_shares("0.1,0.2-0.3"), "shares must be one range, or figures with commas"),
        (lambda: parse_whole("sources", "1.5", 1, 9), "sources must be whole"),
        (lambda: parse_whole("sources", "0", 1, 9), "sources must lie from 1 to 9, not 0"),
    ],
)
def test_impossible_plans_are_reported(make, said):
    with pytest.raises(SettingError, match=re.escape(said)):
        make()


def test_as_many_shares_as_sources():
    with pytest.raises(SettingError, match="shares are 2, but there are 3 sources"):
        synthesize([source(name, 5) for name in "abc"], Plan(shares=(0.5, 0.5)), Random(1))
