"""Output on a terminal: widths, colours, escapes, pager."""

from __future__ import annotations

import json
import re
import sys

import pytest

from dedup_middleware.commands import _screen
from dedup_middleware.commands._rows import Table
from dedup_middleware.commands._screen import Column, Screen
from dedup_middleware.inspect.decisions import Decision
from tests.support.commands import FakeTerminal, on_terminal
from tests.support.two_runs import JOURNALS, NEWS


def _decision(**changes) -> Decision:
    entry = {
        "url": "https://a.example/" + "x" * 200,
        "verdict": "near",
        "action": "drop",
        "original": "https://a.example/" + "y" * 200,
        "scores": {"containment": 0.5},
        "reason": "All of it stands in https://a.example/" + "y" * 200 + ". " + "And more. " * 50,
        **changes,
    }
    return Decision.parse(json.dumps(entry).encode())


@pytest.mark.parametrize("plain", [True, False])
def test_a_table_keeps_to_the_width_of_the_terminal(monkeypatch, plain):
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    terminal = FakeTerminal()
    table = Table(Screen(terminal))
    for _ in range(2):
        table.add(_decision())
    shown = terminal.getvalue()
    assert ("\x1b" in shown) is not plain
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert lines[0].split() == ["VERDICT", "SCORE", "URL", "ORIGINAL"]
    assert len(lines) == 1 + 2 * 3
    assert max(map(len, lines)) <= 72
    assert "the original" in lines[2]


def test_tables_fit_the_terminal_and_hold_no_escapes_of_others(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = FakeTerminal()
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
    monkeypatch.setattr(sys, "stdin", FakeTerminal())
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
        monkeypatch.setattr(_screen.shutil, "which", lambda word: word.startswith(("less", "true")))
        assert _screen._pager_command() == expected


def test_on_a_terminal_there_are_colours_and_the_pager_gets_them(two_runs, tmp_path):
    seen = tmp_path / "seen"
    shown, code = on_terminal(two_runs, "drops", "--run", NEWS, PAGER=f"tee {seen}")
    assert code == 0
    assert seen.read_text() in shown.replace("\r\n", "\n")
    assert "\x1b[33mnear" in seen.read_text()
    assert "\x1b[2J" not in shown
    shown, code = on_terminal(
        two_runs, "drops", "--run", NEWS, "--no-pager", NO_COLOR="1", PAGER="no"
    )
    assert (code, "\x1b" in shown) == (0, False)
    assert "VERDICT" in shown


def test_who_leaves_the_pager_early_has_seen_enough(two_runs, tmp_path):
    line = (two_runs / JOURNALS / f"{NEWS}.jsonl").read_bytes()
    (tmp_path / "long.jsonl").write_bytes(line * 5000 + b"torn")
    shown, code = on_terminal(tmp_path, "drops", "--journal", "long.jsonl", PAGER="head -n 3")
    assert code == 0
    assert "Traceback" not in shown
    assert shown.count("https://") <= 8
