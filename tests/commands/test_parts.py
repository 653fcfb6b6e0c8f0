"""The parts of `scrapy dedup …` that need no process of their own."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import dedup_middleware
from dedup_middleware.commands._rows import Table
from dedup_middleware.commands._screen import Screen
from dedup_middleware.commands._sources import Sources
from dedup_middleware.errors import SettingError
from dedup_middleware.inspect.decisions import Decision, Journals
from dedup_middleware.jsonl import bounded_lines
from dedup_middleware.settings import Settings
from dedup_middleware.text import fit, pad, safe
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from pathlib import Path


def test_finding_the_command_imports_nothing_heavy():
    heavy = ["numpy", "lmdb", "bs4", "nltk", "tqdm", "simhash", "mmh3", "zstandard"]
    heavy += ["rapidfuzz", "PIL", "rich", "warcio"]
    code = f"import sys, dedup_middleware.commands; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_public_names_are_found_when_asked_for():
    assert sorted(dedup_middleware.__all__) == dedup_middleware.__all__
    for name in dedup_middleware.__all__:
        # `compare` is a package that can be called
        assert getattr(dedup_middleware, name).__name__.rpartition(".")[2] == name
        assert name in dir(dedup_middleware)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = dedup_middleware.nothing_like_it


@pytest.mark.parametrize(
    "text", ["\x1b]0;title\x07", "a\nb\r", "\u202eabc\u2066", "\x9b31m", "\u200b\ud800\x7f\u2028"]
)
def test_nothing_that_steers_a_terminal_gets_through(text):
    assert safe(text).isprintable()
    assert safe(f"é 漢 {text}").startswith("é 漢 ")


def test_rows_fit_wide_characters_too():
    assert fit("漢字漢字漢字", 7) == "漢字…字"
    assert pad("漢字", 6) == "漢字  "
    assert fit("short", 5) == "short"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
    terminal = _Terminal()
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


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({}, 0.5),
        ({"verdict": "exact", "scores": {}}, 1.0),
        ({"verdict": "unchanged", "scores": None}, 1.0),
        ({"verdict": "unique", "original": None}, None),
        ({"scores": {"containment": "much"}}, None),
    ],
)
def test_the_score_of_a_decision(changes, score):
    assert _decision(**changes).score == score


def test_lines_with_bytes_of_others_are_escaped_anew():
    line = '{"url":"https://a.example/\u202e\x7f","verdict":"near","action":"drop"}\n'.encode()
    decision = Decision.parse(line)
    assert decision.json.isascii()
    assert decision.json.isprintable()
    assert json.loads(decision.json) == json.loads(line)


@pytest.mark.parametrize("line", [b"{}", b"[]", b"{torn}", b'{"url":1,"verdict":"a","action":"b"}'])
def test_what_is_no_decision(line, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(line + b"\n")
    told: list[str] = []
    journals = Journals([path], told.append)
    assert list(journals.decisions()) == list(journals.decisions()) == []
    assert told == journals.problems == [f"{path}:1: torn or not a decision; skipped"]


def test_a_line_beyond_the_limit_is_passed_over():
    file = io.BytesIO(b"a" * 10 + b"\n" + b"b" * (3 << 20) + b"\nlast")
    assert list(bounded_lines(file, 10)) == [(1, b"a" * 10 + b"\n"), (2, None), (3, b"last")]


def _sources(*paths: Path, **options) -> tuple[Sources, list[str]]:
    told: list[str] = []
    return Sources(paths, told.append, **{"max_html": 1000, **options}), told


def test_a_huge_line_of_a_compressed_feed_is_told_and_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr("dedup_middleware.commands._sources.LONGEST_LINE", 1 << 20)
    path = tmp_path / "feed.NDJSON.gz"
    with gzip.open(path, "wb") as feed:
        feed.write(b"\xef\xbb\xbf" + b'{"url":"u1","text":"one"}\r\n\n{"url":"u2","html":"')
        for _ in range(8):
            feed.write(b"a" * (1 << 20))
        feed.write(b'"}\n{"url":"u3","html":null,"text":"three"}')
    sources, told = _sources(path)
    assert [(page.url, page.text) for page in sources] == [("u1", "one"), ("u3", "three")]
    assert told == [f"{path}:3: longer than 1 MiB; skipped"]
    assert sources.bytes_read == sources.size() == path.stat().st_size


def test_a_folder_is_read_in_order_and_without_the_store(tmp_path):
    for name in ("b/2.html", "b/1.xhtml", "a/z.HTM", "c.html", "store/x.html", ".git/x.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x" * 5000)
    (tmp_path / "loop.html").symlink_to("loop.html")
    os.mkfifo(tmp_path / "pipe.html")
    sources, told = _sources(tmp_path, leave_out=[tmp_path / "b/.." / "store"])
    pages = list(sources)
    root = tmp_path.resolve().as_uri()
    names = [page.url.removeprefix(f"{root}/") for page in pages]
    assert names == ["c.html", "a/z.HTM", "b/1.xhtml", "b/2.html"]
    assert {len(page.html) for page in pages} == {1001}
    assert (sources.skipped, sources.problems) == (1, 1)
    assert told[0].startswith(f"{tmp_path / 'loop.html'}: ")


def test_settings_are_read_from_strings():
    settings = Settings.from_scrapy(
        {
            "BOT_NAME": "crawler",
            "DEDUP_MIN_WORDS": "30",
            "DEDUP_NEAR": "0.9",
            "DEDUP_CONTAINED": 1,
            "DEDUP_JOURNAL_UNIQUE": "False",
            "DEDUP_ACTIONS": '{"near": "tag"}',
        }
    )
    assert (settings.min_words, settings.near, settings.contained) == (30, 0.9, 1.0)
    assert settings.journal_unique is False
    assert settings.actions[Kind.NEAR] is Action.TAG


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEDUP_MIN_WORDS", "many"),
        ("DEDUP_MIN_WORDS", "2.5"),
        ("DEDUP_MIN_WORDS", "inf"),
        ("DEDUP_NEAR", "nan"),
        ("DEDUP_JOURNAL_UNIQUE", "maybe"),
        ("DEDUP_ACTIONS", "{near"),
        ("DEDUP_ACTIONS", "[" * 100_000),
        ("DEDUP_ACTIONS", '{"near": "burn"}'),
        ("DEDUP_NO_SUCH_THING", "1"),
    ],
)
def test_bad_settings_are_named(name, value):
    with pytest.raises(SettingError, match=name):
        Settings.from_scrapy({name: value})
