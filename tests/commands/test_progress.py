"""Progress bars: silent without a terminal, and out of the way of other output."""

from __future__ import annotations

import sys

from dedup_middleware.commands._screen import ProgressBar, progress
from dedup_middleware.text import warn
from tests.support.commands import FakeTerminal


def shown(monkeypatch) -> FakeTerminal:
    terminal = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "100")):
        monkeypatch.setenv(name, value)
    return terminal


def test_nothing_is_shown_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich would take this for a terminal
    assert list(progress("abc", 3, "Reading")) == ["a", "b", "c"]
    with ProgressBar(10, "Reading", in_bytes=True) as bar:
        bar.advance(5)
        bar.reach(10, "a note")
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_how_far_it_is(monkeypatch):
    terminal = shown(monkeypatch)
    assert list(progress("abc", 3, "Comparing")) == ["a", "b", "c"]
    assert "Comparing" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_a_bar_of_bytes_has_a_note(monkeypatch):
    terminal = shown(monkeypatch)
    with ProgressBar(2048, "Reading", in_bytes=True) as bar:
        bar.reach(1024, "7 [b]pages[/b]")
    assert "1.0/2.0 KiB" in terminal.getvalue()
    assert "7 [b]pages[/b]" in terminal.getvalue()


def test_a_bar_without_a_total(monkeypatch):
    terminal = shown(monkeypatch)
    assert list(progress(iter("ab"), None, "Reading")) == ["a", "b"]
    assert "2/?" in terminal.getvalue()


def test_messages_and_output_meanwhile(monkeypatch, capsys):
    terminal = shown(monkeypatch)
    with ProgressBar(3, "Reading"):
        warn("a file is damaged")
        sys.stdout.write("a result\n")  # no terminal: not to be mixed with the bar
    warn("done")
    lines = terminal.getvalue().splitlines()
    assert any(line.endswith("a file is damaged") for line in lines)
    assert lines[-1].endswith("done")
    assert "a result" not in terminal.getvalue()
    assert capsys.readouterr().out == "a result\n"
