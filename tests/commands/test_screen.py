"""Output on a terminal: widths, colours, escapes."""

from __future__ import annotations

import json
import re

import pytest

from dedup_middleware.commands._listing import MOST_ROWS, Column, Listing
from dedup_middleware.commands._screen import Screen
from dedup_middleware.commands.drops import decision_columns
from dedup_middleware.inspect.decisions import Decision, doubt
from dedup_middleware.text import width
from tests.support.commands import HOSTILE, FakeTerminal, on_terminal
from tests.support.two_runs import NEWS


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
    Listing(decision_columns(doubt), [_decision()] * 2).write(Screen(terminal))
    shown = terminal.getvalue()
    assert ("\x1b" in shown) is not plain
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, lines)) <= 72
    header, *rows = lines[: len(lines) // 2 + 1]
    assert header.split() == ["VERDICT", "SCORE", "PAGE,", "=", "ORIGINAL"]
    assert rows[0].startswith("near")
    text = " ".join(row[len("near     0.50  ") :].strip() for row in rows)
    page, rest = text.split(" = ", 1)
    assert page.replace(" ", "") == "https://a.example/" + "x" * 200
    assert rest.replace(" ", "").startswith("https://a.example/" + "y" * 200 + "Allofit")
    assert rest.endswith("All of it stands there. " + "And more. " * 49 + "And more."), "whole"


def test_tables_fit_the_terminal_and_hold_no_escapes_of_others(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = FakeTerminal()
    screen = Screen(terminal)
    screen.title("A title")
    Listing(
        (Column("host", lambda row: row[0], is_long=True), Column("pages", lambda row: row[1])),
        [["\x1b[31mred" + "x" * 100, 1], ["[bold]no markup[/] :smile:", 1000]],
    ).write(screen)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "\x1b" not in shown
    assert r"\x1b[31mred" in shown
    assert "[bold]no markup[/] :smile:" in shown
    title, header, *rows = (line for line in shown.splitlines() if line)
    assert (title, header.split()) == ("A title", ["HOST", "PAGES"])
    assert (rows[0].split()[-1], rows[-1].split()[-1]) == ("1", "1,000")
    assert max(map(len, shown.splitlines())) <= 70


def test_on_a_terminal_there_are_colours_unless_they_are_not_wanted(two_runs):
    shown, code = on_terminal(two_runs, "drops", "--run", NEWS)
    assert code == 0
    assert "\x1b[33mnear" in shown
    assert "\x1b[2J" not in shown
    shown, code = on_terminal(two_runs, "drops", "--run", NEWS, NO_COLOR="1")
    assert (code, "\x1b" in shown) == (0, False)
    assert "VERDICT" in shown


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_hostile_and_very_long_urls_stay_in_their_rows(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    urls = [
        HOSTILE,
        "https://a.example/" + "x" * 5000,
        "https://a.example/" + "漢字" * 200,
        "https://a.example/\u202etxt.exe\u2066" * 30,
        "https://a.example.evil.example/",
        "no URL \x07 at all",
    ]
    terminal = FakeTerminal()
    decisions = (
        _decision(url=page, original=original, reason=f"It is in {original}.")
        for page in urls
        for original in urls
    )
    assert Listing(decision_columns(doubt), decisions).write(Screen(terminal)) == len(urls) ** 2
    header, *rows = terminal.getvalue().splitlines()
    assert header.split() == ["VERDICT", "SCORE", "PAGE,", "=", "ORIGINAL"]
    assert max(map(width, rows)) <= columns
    assert all(row.isprintable() for row in rows)
    assert len([row for row in rows if row.startswith("near")]) == len(urls) ** 2


def test_a_table_ends_somewhere_and_says_so(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    terminal = FakeTerminal()
    numbers = Listing((Column("number", lambda row: row),), range(MOST_ROWS + 1))
    assert numbers.write(Screen(terminal)) == MOST_ROWS
    assert len(terminal.getvalue().splitlines()) == MOST_ROWS + 1
    assert f"There are more rows than {MOST_ROWS}: raise --limit" in capsys.readouterr().err
