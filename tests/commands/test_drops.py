"""`scrapy dedup drops`: filters, order, CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.support.commands import HOSTILE, table_rows
from tests.support.two_runs import EXACT, FIRST, FORMULA, NEAR, NEWS


@pytest.mark.parametrize(
    ("args", "urls"),
    [
        ([], [FIRST]),
        (["--run", NEWS], [NEAR, EXACT, HOSTILE]),
        (["--all-runs"], [NEAR, EXACT, HOSTILE, FIRST]),
        (["--all-runs", "--verdict", "near,unchanged"], [NEAR, FIRST]),
        (["--all-runs", "--verdict", "unique"], []),
        (["--all-runs", "--host", "C.example"], [EXACT]),
        (["--all-runs", "--limit", "2"], [NEAR, EXACT]),
        (["--all-runs", "--reverse", "--limit", "2"], [FIRST, HOSTILE]),
        (["--all-runs", "--sort", "url"], [HOSTILE, FIRST, NEAR, EXACT]),
        (["--all-runs", "--sort", "score", "--limit", "1"], [NEAR]),
        (["--all-runs", "--sort", "doubt"], [NEAR, EXACT, HOSTILE, FIRST]),
        (["--all-runs", "--sort", "url", "--reverse", "--limit", "1"], [EXACT]),
    ],
)
def test_drops_are_filtered_and_sorted(run, args, urls):
    out, _, code = run("drops", "--json", *args)
    assert code == 0
    assert [json.loads(line)["url"] for line in out.splitlines()] == urls


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--host", "."], "names no host"),
        (["--verdict", "nearly"], "nearly: name some of unique, exact"),
        (["--limit", "0"], "is not a positive number"),
        (["--sort", "colour"], "invalid choice"),
    ],
)
def test_bad_options(run, capsys, args, message):
    with pytest.raises(SystemExit) as ended:
        run("drops", *args)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_all_that_was_judged(run):
    out, _, _ = run("drops", "--action", "all", "--all-runs", "--json")
    assert len(out.splitlines()) == 6
    out, _, _ = run("drops", "--all-runs", "--action", "pass,tag", "--json")
    assert [json.loads(line)["url"] for line in out.splitlines()] == [FIRST, FORMULA]
    out, _, _ = run("drops", "--action", "all", "--all-runs", "--host", "a.example")
    assert [row[:3] for row in table_rows(out)] == [
        ["verdict", "action", "score"],
        ["unique", "pass", ""],
        ["exact", "drop", "1.00"],
        ["unchanged", "drop", "1.00"],
    ]


def test_messages_if_there_are_more_or_none(run):
    assert (
        "There are more rows than 1: raise --limit" in run("drops", "--all-runs", "--limit", "1")[1]
    )
    out, err, code = run("drops", "--all-runs", "--host", "nowhere.example")
    assert (out, code) == ("", 0)
    assert "No decision matches in .scrapy/dedup/news/store" in err
    assert "; in all there are drop 4, pass 2 (--action all)" in err


def test_csv_is_safe_in_a_spreadsheet_and_on_a_terminal(run):
    every = ("--action", "all", "--all-runs", "--verdict", "unique,exact")
    out, _, _ = run("drops", *every, "--csv")
    table = list(csv.DictReader(io.StringIO(out)))
    assert [row["url"] for row in table] == [
        FIRST,
        EXACT,
        r"https://a.example/\x1b[2Jcleared\n\u202egnp.exe",
        f"'{FORMULA}",
    ]
    assert (table[1]["score"], table[1]["doubt"]) == ("1.0", "0.0")
    assert int(table[1]["bytes"]) > 1000


def test_csv_and_json_exclude_each_other(run, capsys):
    with pytest.raises(SystemExit):
        run("drops", "--csv", "--json")
    assert "--json: not allowed with argument --csv" in capsys.readouterr().err


def test_a_part_of_an_originals_url_is_enough(run):
    out, _, _ = run("drops", "--all-runs", "--original", "example/1", "--json")
    assert [json.loads(line)["url"] for line in out.splitlines()] == [NEAR, EXACT, HOSTILE, FIRST]
    assert run("drops", "--all-runs", "--original", "example/2")[0] == ""


def test_originals_by_their_copies(run, capsys):
    out, _, code = run("drops", "--by", "original", "--all-runs")
    assert code == 0
    header, row = table_rows(out)
    assert header == ["copies", "size", "original", "copy", "verdicts", "hosts"]
    hosts = "b.example 1, c.example 1, a.example 1"
    assert (row[0], row[2:]) == ("3", [FIRST, NEAR, "exact 2, near 1", hosts])
    shown = json.loads(run("drops", "--by", "original", "--all-runs", "--json")[0])
    assert (shown["original"], shown["copies"], shown["verdicts"]) == (
        FIRST,
        3,
        {"exact": 2, "near": 1},
    )
    (row,) = csv.DictReader(io.StringIO(run("drops", "--by", "original", "--all-runs", "--csv")[0]))
    assert (row["copies"], row["verdicts"], row["example"]) == ("3", "exact 2, near 1", NEAR)
    nothing = run("drops", "--by", "original", "--all-runs", "--verdict", "unchanged")
    assert "No page has copies" in nothing[1]
    with pytest.raises(SystemExit):
        run("drops", "--by", "original", "--sort", "url")
    assert "don't go with --by" in capsys.readouterr().err
