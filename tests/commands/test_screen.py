"""Output on a terminal: widths, colours, escapes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.commands._listing import GAP, Column, Listing, widths
from dedup_middleware.commands._screen import Screen
from dedup_middleware.commands.drops import decision_columns
from dedup_middleware.inspect.decisions import Decision, doubt
from dedup_middleware.text import escape, width
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
    common, header, page, original, *reason = lines[: len(lines) // 2 + 1]
    assert common == "URLs begin with https://a.example"
    assert header.split() == ["VERDICT", "SCORE", "PAGE,", "=", "ORIGINAL"]
    assert (page.split()[0], original.split()[0]) == ("near", "=")
    assert max(map(len, lines)) <= 72
    assert (
        " ".join(line.strip() for line in reason)
        == ("All of it stands there. " + "And more. " * 50).strip()
    ), "the whole reason, wrapped"


def test_tables_fit_the_terminal_and_hold_no_escapes_of_others(monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = FakeTerminal()
    screen = Screen(terminal)
    screen.title("A title")
    Listing(
        (Column("host", lambda row: row[0]), Column("pages", lambda row: row[1])),
        [["\x1b[31mred" + "x" * 100, 1], ["[bold]no markup[/] :smile:", 1000]],
    ).write(screen)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "\x1b" not in shown
    assert r"\x1b[31mred" in shown
    assert "[bold]no markup[/] :smile:" in shown
    assert [line.split()[-1] for line in shown.splitlines()[1:]] == ["PAGES", "1", "1,000"]
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
    listing = Listing(decision_columns(doubt), decisions, common=urls[:-1])
    assert listing.write(Screen(terminal)) == len(urls) ** 2
    common, header, *rows = terminal.getvalue().splitlines()
    assert common == "URLs begin with https://a.example, unless they are whole"
    assert header.startswith("VERDICT")
    assert max(map(width, rows)) <= columns
    assert all(row.isprintable() for row in rows)
    firsts = [row for row in rows if row.startswith("near")]
    assert len(firsts) == len(urls) ** 2
    assert (header.split()[-2:] == ["PAGE", "ORIGINAL"]) == (columns > 110)


def test_originals_can_be_told_apart_where_they_are_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    folder = "https://a.example/" + "a-long-way/" * 5
    pages = [f"{folder}version-{number}/{'and-on/' * 9}page.html" for number in (14, 15, 16)]
    terminal = FakeTerminal()
    decisions = [_decision(url=pages[0], original=original, reason="") for original in pages[1:]]
    Listing(decision_columns(doubt), decisions, common=[*pages, "https://a.example/"]).write(
        Screen(terminal)
    )
    rows = [row for row in terminal.getvalue().splitlines() if "version-" in row]
    assert [re.findall(r"version-(\d\d)", row) for row in rows] == [["14"], ["15"], ["14"], ["16"]]


@given(
    st.lists(st.tuples(st.text(max_size=30), st.integers(0, 3), st.integers(0, 20)), min_size=1),
    st.lists(st.integers(0, 60), min_size=1),
    st.integers(60, 200),
)
def test_a_table_never_gets_wider_than_its_room(columns, lengths, room):
    made = [
        Column(escape(name), str, worth=worth, least=least) for name, worth, least in columns[:6]
    ]
    cells = [["x" * length for _ in made] for length in lengths]
    shown = [size for size in widths(made, cells, room) if size]
    assert sum(shown) + len(GAP) * (len(shown) - 1) <= room
    sizes = widths(made, cells, room)
    assert all(size for size, one in zip(sizes, made, strict=True) if not one.worth)
