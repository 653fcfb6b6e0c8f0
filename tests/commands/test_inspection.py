"""The commands that look into what was decided: what they print, and what they say of bad input."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

import pytest
from scrapy.settings import Settings

from dedup_middleware import Deduplicator, Page
from dedup_middleware.commands import _screen as paging
from dedup_middleware.commands._rows import cell
from dedup_middleware.commands._screen import Column, Screen
from dedup_middleware.errors import DedupError, NotAStore
from dedup_middleware.store import Store
from tests.support.texts import article, html

NEWS, SHOP = "20260101T000000-000000", "20260102T000000-000000"
FIRST, NEAR, EXACT = "https://a.example/1", "https://b.example/near", "https://c.example/?x=1"
HOSTILE = "https://a.example/\x1b[2Jcleared\n\u202egnp.exe"
FORMULA = "=HYPERLINK(evil)"
BAD = ("\x1b", "\u202e", "\x07")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A folder with a store of two runs, one after the other."""
    place = tmp_path_factory.mktemp("made")
    store = place / ".scrapy/dedup/news/store"
    text = article(1, 400)
    with Deduplicator(store, run=NEWS, spider="news", map_size=1 << 30) as dedup:
        dedup.process(Page(url=FIRST, html=html(text)))
        near = [*text[:-1], "Somebody has written another end to it since."]
        assert dedup.process(Page(url=NEAR, html=html(near))).kind == "near"
        assert dedup.process(Page(url=EXACT, html=html(text))).kind == "exact"
        assert dedup.process(Page(url=HOSTILE, html=html(text))).kind == "exact"
    with Deduplicator(store, run=SHOP, spider="shop", map_size=1 << 30) as dedup:
        dedup.process(Page(url=FORMULA, html=html(article(9, 400))))
        assert dedup.process(Page(url=FIRST, html=html(text))).kind == "unchanged"
    return place


@pytest.fixture
def place(made, monkeypatch) -> Path:
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def ask(place, capsys):
    """Call a command as `scrapy dedup` does; give what it printed and its exit code."""

    def call(name: str, *args: str | Path) -> tuple[str, str, int]:
        module = import_module(f"dedup_middleware.commands.{name}")
        parser = ArgumentParser(prog=name)
        module.add_arguments(parser)
        options = parser.parse_args([str(one) for one in args])
        options.parser = parser
        code = module.run(options, Settings({"DEDUP_MAP_SIZE": 1 << 30}))
        out, err = capsys.readouterr()
        assert not any(mark in out + err for mark in BAD)
        return out, err, code

    return call


def rows(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


# drops


@pytest.mark.parametrize(
    ("args", "urls"),
    [
        ([], [FIRST]),
        (["--run", NEWS], [NEAR, EXACT, HOSTILE]),
        (["--all-runs"], [NEAR, EXACT, HOSTILE, FIRST]),
        (["--all-runs", "--verdict", "near,unchanged"], [NEAR, FIRST]),
        (["--all-runs", "--action", "pass,tag"], [FIRST, FORMULA]),
        (["--all-runs", "--host", "C.example"], [EXACT]),
        (["--all-runs", "--score", "1-"], [EXACT, HOSTILE, FIRST]),
        (["--all-runs", "--score=-.99"], [NEAR]),
        (["--all-runs", "--since", "1h", "--until", "2199-01-01"], [NEAR, EXACT, HOSTILE, FIRST]),
        (["--all-runs", "--until", "1h"], []),
        (["--all-runs", "--until", "2020-01-01T00:00Z"], []),
        (["--all-runs", "--limit", "2"], [NEAR, EXACT]),
        (["--all-runs", "--reverse", "--limit", "2"], [FIRST, HOSTILE]),
        (["--all-runs", "--sort", "url"], [HOSTILE, FIRST, NEAR, EXACT]),
        (["--all-runs", "--sort", "score", "--limit", "1"], [NEAR]),
        (["--all-runs", "--sort", "host", "--reverse", "--limit", "1"], [EXACT]),
    ],
)
def test_drops_are_chosen_and_sorted(ask, args, urls):
    out, _, code = ask("drops", "--json", *args)
    assert code == 0
    assert [json.loads(line)["url"] for line in out.splitlines()] == urls


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--score", ".9-.1"], "is no range of scores; write it as .7-.8"),
        (["--score", "much"], "is no range of scores"),
        (["--since", "yesterday"], "is no time; write 2h"),
        (["--since", "2026-13-40"], "is no time"),
        (["--since", "99999999w"], "is no time"),
        (["--host", "."], "names no host"),
        (["--verdict", "nearly"], "nearly: name some of unique, exact"),
        (["--action", ","], "nothing: name some of drop, tag, pass"),
        (["--limit", "0"], "is no number"),
        (["--sort", "colour"], "invalid choice"),
    ],
)
def test_options_that_make_no_sense(ask, capsys, args, message):
    with pytest.raises(SystemExit) as ended:
        ask("drops", *args)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_drops_says_that_there_are_more_or_none(ask):
    assert "There are more than 1: raise --limit" in ask("drops", "--all-runs", "--limit", "1")[1]
    out, err, code = ask("drops", "--all-runs", "--host", "nowhere.example")
    assert (out, code) == ("", 0)
    assert "No decision matches in 2 journals" in err


def test_csv_is_safe_in_a_spreadsheet_and_on_a_terminal(ask, place, tmp_path):
    out, _, _ = ask("drops", "--all-runs", "--csv", "-", "--verdict", "unique,exact")
    table = list(csv.DictReader(io.StringIO(out)))
    assert [row["url"] for row in table] == [
        FIRST,
        EXACT,
        r"https://a.example/\x1b[2Jcleared\n\u202egnp.exe",
        f"'{FORMULA}",
    ]
    assert table[1]["score"] == "1.0"
    assert int(table[1]["bytes"]) > 1000
    path = tmp_path / "drops.csv"
    printed, _, _ = ask("drops", "--csv", path, "--all-runs", "--verdict", "unique,exact")
    assert printed == ""
    assert path.read_text() == out


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", " =", "\n@", "＝", "\u00a0="])
def test_no_cell_begins_like_a_formula(start):
    shown = str(cell(f"{start}1+1"))
    assert shown.startswith("'")
    assert shown.isprintable()


def test_csv_and_json_are_two_things(ask, capsys):
    with pytest.raises(SystemExit):
        ask("drops", "--csv", "-", "--json")
    assert "--csv or --json, not both" in capsys.readouterr().err


def test_csv_does_not_overwrite_the_journal(ask, place, tmp_path):
    journal = place / f".scrapy/dedup/news/store/journal/{NEWS}.jsonl"
    before = journal.read_bytes()
    with pytest.raises(DedupError, match="is the journal itself"):
        ask("drops", "--run", NEWS, "--csv", journal)
    with pytest.raises(DedupError, match=r"Can't write .*: No such file or directory"):
        ask("drops", "--csv", tmp_path / "nowhere" / "drops.csv")
    assert journal.read_bytes() == before


# show


def test_show_tells_titles_and_the_first_difference(ask):
    out, err, code = ask("show", "b.example/near")
    assert code == 0
    assert f"As {NEAR}:" in err
    assert "titles     here:  A page\n             there: A page\n" in out
    assert "differs    here:  Somebody has written another end to it since.\n" in out
    assert f"scrapy dedup compare {NEAR} {FIRST}\n" in out
    assert f"scrapy dedup restore {NEAR}\n" in out
    assert "dedup restore" not in ask("show", HOSTILE)[0]  # what is shown is not its name
    told = json.loads(ask("show", NEAR, "--json")[0])
    assert told["titles"] == {"page": "A page", "other": "A page"}
    assert told["difference"]["first"] == "Somebody has written another end to it since."
    out, _, _ = ask("show", EXACT)
    assert "titles     here:  (not kept)\n" in out
    assert "differs    in no sentence\n" in out
    out, _, _ = ask("show", FIRST)
    assert "title      A page\n" in out
    assert "Dropped in favour of it: 3\n" in out


def test_show_goes_on_without_the_store_and_without_forgotten_pages(ask, place, tmp_path):
    for path in place.glob(".scrapy/dedup/news/store/journal/*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    out, err, code = ask("show", NEAR, "--journal", tmp_path / f"{NEWS}.jsonl")
    assert (code, "verdict    near" in out, "titles" in out) == (0, True, False)
    assert err.count("The store is not there, only its journal") == 1
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", place / ".scrapy/dedup/news/store", store], check=True)
    with Store(store, map_size=1 << 30, create=False) as opened, opened.write() as txn:
        txn.withdraw(1)
    out, _, code = ask("show", NEAR, "--store", store)
    assert code == 0
    assert "there: (not kept)" in out
    assert "differs    can't be told: the store has forgotten one of the texts since" in out
    (store / "data.mdb").write_bytes(b"junk" * 5000)
    out, err, code = ask("show", NEAR, "--store", store)
    assert (code, "verdict    near" in out) == (0, True)
    assert "Titles and texts are not shown: " in err


# clusters, stats, runs, store


def test_clusters(ask):
    out, _, code = ask("clusters", "--all-runs")
    assert (code, rows(out)) == (
        0,
        [["3", FIRST, "b.example 1, c.example 1, a.example 1", "exact 2, near 1", NEAR]],
    )
    told = json.loads(ask("clusters", "--all-runs", "--json")[0])
    assert (told["original"], told["copies"], told["verdicts"]) == (
        FIRST,
        3,
        {"exact": 2, "near": 1},
    )
    assert "No page has copies" in ask("clusters", "--all-runs", "--verdict", "unchanged")[1]


def test_stats(ask):
    out, _, code = ask("stats", "--all-runs")
    runs, hosts, stages, verdicts = (rows(part) for part in out.split("\n\n"))
    assert code == 0
    assert [row[:5] for row in runs] == [
        ["run", "spider", "pages", "dropped", "rate"],
        [NEWS, "news", "4", "3", "75.0%"],
        [SHOP, "shop", "2", "1", "50.0%"],
        ["all", "", "6", "4", "66.7%"],
    ]
    assert runs[1][-1] == "exact 2, near 1"
    assert [row[0] for row in hosts] == ["host", "a.example", "b.example", "c.example", "none"]
    assert ["digest", "3", "50%"] in stages
    assert ["unique", "2", "33%"] in verdicts
    told = json.loads(ask("stats", "--run", NEWS, "--json")[0])
    sizes = [json.loads(line) for line in ask("drops", "--run", NEWS, "--json")[0].splitlines()]
    assert told["total"]["bytes_saved"] == sum(one["bytes"] for one in sizes)
    assert told["runs"][0]["hosts"]["b.example"]["dropped"] == {"near": 1}


def test_runs(ask, place):
    out, err, code = ask("runs")
    assert code == 0
    assert [(row[0], row[1], row[4], row[5]) for row in rows(out)[1:]] == [
        (NEWS, "news", "4", "3"),
        (SHOP, "shop", "2", "1"),
    ]
    with Store(place / ".scrapy/dedup/news/store", map_size=1 << 30, spider="idle"):
        told = [json.loads(line) for line in ask("runs", "--json")[0].splitlines()]
    assert [(run["spider"], run["state"]) for run in told] == [
        ("news", "ended"),
        ("shop", "ended"),
        ("idle", "alive"),
    ]
    out, err, _ = ask("runs")
    assert "1 more judged nothing: --all" in err
    assert "idle" in ask("runs", "--all")[0]
    assert "idle" not in out


def test_store_info_and_verify(ask, place, tmp_path):
    out, _, code = ask("store", "info")
    assert code == 0
    assert "Pages        2, 0 of them pending\n" in out
    assert json.loads(ask("store", "info", "--json")[0])["aliases"] == 3
    out, _, code = ask("store", "verify")
    assert (out, code) == ("Whole: .scrapy/dedup/news/store\n", 0)
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", place / ".scrapy/dedup/news/store", store], check=True)
    journal = store / f"journal/{NEWS}.jsonl"
    journal.write_bytes(journal.read_bytes()[:-9])
    told, _, code = ask("store", "verify", "--store", store, "--json")
    assert (code, json.loads(told)["damage"][0]["kind"]) == (1, "journal")
    out, _, code = ask("store", "verify", "--store", store)
    assert code == 1
    assert "Damage: journals lack decisions" in out
    assert f"dedup store verify --mend --store {store}" in out
    out, _, code = ask("store", "verify", "--store", store, "--mend")
    assert code == 0
    assert out.endswith(f"Whole: {store}\n")


def test_a_file_that_is_cut_short_is_told_and_does_not_end_the_command(ask, place, tmp_path):
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", place / ".scrapy/dedup/news/store", store], check=True)
    with (store / "data.mdb").open("r+b") as file:
        file.truncate(5 * 4096)
    with pytest.raises(DedupError, match=r"damaged, or shorter than it was: .* can't be mended"):
        ask("store", "verify", "--store", store)


# bad input


def test_journals_of_several_runs_at_once(ask, place, tmp_path):
    folder = place / ".scrapy/dedup/news/store/journal"
    both = tmp_path / "both.jsonl"
    torn = b'{"v":1,"seq":7,"ur'
    both.write_bytes(b"".join(path.read_bytes() for path in sorted(folder.iterdir())) + torn)
    out, err, _ = ask("stats", "--journal", both, "--json")
    assert [run["run"] for run in json.loads(out)["runs"]] == [NEWS, SHOP]
    assert err == f"{both}:7: torn or not a decision; skipped\n"
    out, err, _ = ask("drops", "--journal", both, "--run", SHOP)
    assert [row[2] for row in rows(out)] == [FIRST]
    first, second = sorted(folder.iterdir())
    gone = tmp_path / "gone.jsonl"
    given = [word for path in (first, gone, second) for word in ("--journal", path)]
    out, err, _ = ask("drops", *given)
    assert len(rows(out)) == 4
    assert err == f"There is no journal {gone}\n"
    with pytest.raises(NotAStore, match="There is no journal"):
        ask("drops", "--journal", gone)


def test_bytes_that_are_no_utf8_are_told_once(ask, tmp_path, place):
    folder = place / ".scrapy/dedup/news/store/journal"
    odd = tmp_path / "odd.jsonl"
    line = b'{"url":"\xff","verdict":"near","action":"drop"}\n'
    odd.write_bytes(line + (folder / f"{NEWS}.jsonl").read_bytes() + line)
    for name in ("drops", "stats", "clusters"):
        out, err, code = ask(name, "--journal", odd)
        assert (code, bool(out)) == (0, True)
        assert err == f"{odd}:1: torn or not a decision; skipped, and 1 more lines\n"


@pytest.mark.parametrize("name", ["drops", "stats", "clusters", "runs", "store"])
def test_where_there_is_no_store(ask, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    what = ["info"] if name == "store" else []
    with pytest.raises(NotAStore, match="There is no store under"):
        ask(name, *what)
    if name == "runs":
        assert ask(name, "--store", tmp_path / "nowhere")[2] == 1
    else:
        with pytest.raises(NotAStore, match=r"There is no (journal|dedup store) in .*nowhere"):
            ask(name, *what, "--store", tmp_path / "nowhere")


# a terminal


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tables_fit_the_terminal_and_hold_no_escapes_of_others(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = _Terminal()
    screen = Screen(terminal)
    screen.title("A title")
    screen.table(
        (Column("host"), Column("pages", right=True)),
        [["\x1b[31mred" + "x" * 100, "1"], ["[bold]no markup[/] :smile:", "1,000"]],
    )
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "\x1b" not in shown
    assert r"\x1b[31mred" in shown
    assert "[bold]no markup[/] :smile:" in shown
    assert max(map(len, shown.splitlines())) <= 70


def test_no_pager_without_a_terminal_or_where_none_is_wanted(monkeypatch):
    monkeypatch.setattr(sys, "stdin", _Terminal())
    for name, value, expected in (
        ("PAGER", "less -R", ["less", "-R"]),
        ("PAGER", "", []),
        ("PAGER", "cat", []),
        ("PAGER", "'unclosed", []),
        ("PAGER", "no-such-pager-anywhere", []),
        ("TERM", "dumb", []),
    ):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("PAGER", "true")
        monkeypatch.setenv(name, value)
        monkeypatch.setattr(paging.shutil, "which", lambda word: word.startswith(("less", "true")))
        assert paging._command() == expected


def on_terminal(place: Path, *args: str, **environment: str) -> tuple[str, int]:
    """Run the real command on a terminal of its own; give what it shows there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    variables = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    for name in ("COLUMNS", "LESS", *(() if "NO_COLOR" in environment else ("NO_COLOR",))):
        variables.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "dedup", *args],
        cwd=place,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=variables,
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline and (piece := os.read(ours, 1 << 16)):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return shown.decode(errors="replace"), process.wait(timeout=30)


def test_on_a_terminal_there_are_colours_and_the_pager_gets_them(made, tmp_path):
    seen = tmp_path / "seen"
    shown, code = on_terminal(made, "drops", "--run", NEWS, PAGER=f"tee {seen}")
    assert code == 0
    assert seen.read_text() in shown.replace("\r\n", "\n")
    assert "\x1b[33mnear" in seen.read_text()
    assert "\x1b[2J" not in shown
    shown, code = on_terminal(made, "drops", "--run", NEWS, "--no-pager", NO_COLOR="1", PAGER="no")
    assert (code, "\x1b" in shown) == (0, False)
    assert "VERDICT" in shown


def test_who_leaves_the_pager_early_has_seen_enough(made, tmp_path):
    line = (made / f".scrapy/dedup/news/store/journal/{NEWS}.jsonl").read_bytes()
    (tmp_path / "long.jsonl").write_bytes(line * 5000 + b"torn")
    shown, code = on_terminal(tmp_path, "drops", "--journal", "long.jsonl", PAGER="head -n 3")
    assert code == 0
    assert "Traceback" not in shown
    assert shown.count("https://") <= 8
