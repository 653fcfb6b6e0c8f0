"""`python -m lab.judge` as people see it: on a terminal, interrupted, killed, hostile pages."""

from __future__ import annotations

import gzip
import json
import re
import signal
from pathlib import Path

from lab.accuracy.sets import find_sets, labels_of
from tests.support.commands import BAD, lab, texts
from tests.support.judging import FEW, PAIR
from tests.support.terminal import Terminal
from tests.support.texts import article, html

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe \x9b31m"


def hostile_feed(path: Path) -> None:
    lines = []
    for number in range(4):
        parts = [f"{text} {HOSTILE}" for text in article(number // 2, 150)]
        if number % 2:
            parts = parts[1:]
        page = html(parts, f"{HOSTILE} title")
        lines.append(json.dumps({"url": f"https://a.example/{HOSTILE}/{number}", "html": page}))
    path.write_text("\n".join(lines))


def test_hostile_pages_do_not_reach_the_terminal(tmp_path):
    """A real call, as people make it; `texts` looks for what is bad."""
    hostile_feed(tmp_path / "feed.jsonl")
    done = lab(
        *("judge", "feed.jsonl", "--output", "out", "--judge", "ann", *FEW),
        cwd=tmp_path,
        input=b"v\n\xff\x1b[2J\ns\n",
    )
    out, _ = texts(done)
    assert done.returncode == 0
    assert r"\u202egnp.exe" in out
    assert "Answers      ann 1" in out
    for name in ("pages", "labels"):
        with gzip.open(tmp_path / "out" / f"{name}.jsonl.gz") as file:
            assert b"\x1b" not in file.read()


def test_what_a_person_sees(tmp_path):
    hostile_feed(tmp_path / "feed.jsonl")
    terminal = Terminal(
        "judge", "feed.jsonl", "--output", "out", "--judge", "ann", *FEW, cwd=tmp_path
    )
    shown = terminal.wait_for("h help > ")
    assert "does the other one say anything new?" in shown
    reversed_words = re.sub(r"\x1b\[7m|\x1b\[0m", "", shown)
    rows = reversed_words.split("\r\n")[-30:]
    start = next(at for at, row in enumerate(rows) if PAIR.match(row))
    assert max(map(len, rows[start:])) <= 80
    assert not any(mark in "".join(rows[start:]) for mark in BAD)
    assert len(rows) - start < 30  # all of it fits
    terminal.type("v\n")
    terminal.wait_for("h help > ")
    terminal.type("s\n")
    shown = terminal.wait_for("h help > ")
    assert "Saved: they say the same." in shown
    assert re.search(r"^2/\d+ =+\r$", shown, re.MULTILINE)
    terminal.type("\x04")  # as closing stdin does
    assert "Answers      ann 1" in terminal.wait_for("Set  ")
    assert terminal.close() == 0


def test_ctrl_c_keeps_what_was_answered(crawled, tmp_path):
    terminal = Terminal(
        "judge", crawled / "feed.jsonl", "--output", "out", "--judge", "ann", *FEW, cwd=tmp_path
    )
    terminal.wait_for("h help > ")
    terminal.type("d\n")
    terminal.wait_for("h help > ")
    terminal.process.send_signal(signal.SIGINT)
    terminal.wait_for("Settled      0 alike, 1 different; ")
    assert terminal.close() == 130


def test_killed_in_the_middle_only_what_was_being_typed_is_lost(judge, crawled, tmp_path):
    terminal = Terminal(
        "judge", crawled / "feed.jsonl", "--output", "out", "--judge", "ann", *FEW, cwd=tmp_path
    )
    terminal.wait_for("h help > ")
    for answer in "s2":
        terminal.type(f"{answer}\n")
        terminal.wait_for("h help > ")
    terminal.type("d")
    terminal.process.kill()
    assert terminal.close() == -signal.SIGKILL
    lines = (tmp_path / "out" / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer"] for line in lines] == ["same", "second-in-first"]
    out, _ = judge("--output", tmp_path / "out", "--judge", "ann", answers="d\n")
    assert [int(match[1]) for match in PAIR.finditer(out)] == [3, 4]
    (found,) = find_sets([tmp_path / "out"], [])
    golds = [label.gold for label in labels_of(found, [])[1::2]]
    assert golds[:4] == ["positive", "positive", "negative", "ignore"]
