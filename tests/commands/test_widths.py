"""Lists of a real crawl on terminals of three widths: no line is longer, nothing is left out."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from dedup_middleware.commands.drops import brief
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.text import width
from tests.support.commands import on_terminal
from tests.support.demo import ROOT, journal

WIDTHS = (80, 120, 200)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> tuple[Path, str]:
    """A folder in which the demo was crawled on a terminal, and what that showed."""
    folder = tmp_path_factory.mktemp("crawled")
    shutil.copy(ROOT / "scrapy.cfg", folder)
    python_path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    arguments = ("demo", "-a", "pages=100")
    shown, code = on_terminal(
        folder, *arguments, columns=80, command="crawl", PYTHONPATH=python_path
    )
    assert code == 0, shown
    return folder, shown


def lines(folder: Path, columns: int, *args: str) -> list[str]:
    """Return the lines that a command shows; none is longer than the terminal is wide."""
    shown, code = on_terminal(folder, *args, columns=columns, PYTHONPATH=str(ROOT))
    found = _ESCAPES.sub("", shown).replace("\r\n", "\n").splitlines()
    assert code == 0, shown
    assert max(map(width, found)) <= columns, shown
    return found


def column(rows: list[str], header: str, name: str) -> list[str]:
    """Return the cells below the name of a column, up to the next gap."""
    begin = header.index(name)
    return [re.split(r"\s{2,}", row[begin:])[0] for row in rows]


def test_the_crawl_shows_how_far_it_is_and_ends_with_a_summary(crawled):
    folder, shown = crawled
    drawn = [line for line in shown.split("\r") if "/s) · " in line]
    assert drawn
    assert all(width(_ESCAPES.sub("", line)) < 80 for line in drawn)
    pages, drops = re.search(r"(\d+) pages \([\d.]+/s\) · (\d+) dropped · ", drawn[-1]).groups()
    decisions = journal(folder)
    assert 0 < int(drops) < int(pages) <= len(decisions)
    summary = shown[shown.rindex("Crawl demo: ") :].splitlines()
    assert summary[0].endswith(f"{len(decisions)} pages judged")
    assert max(map(width, summary[: summary.index("Next")])) <= 80


@pytest.mark.parametrize("columns", WIDTHS)
def test_drops(crawled, columns):
    dropped = [one for one in journal(crawled[0]) if one["action"] == "drop"]
    store, header, *rows = lines(crawled[0], columns, "drops")
    assert store.startswith("Store: .scrapy/dedup/demo/")
    assert header.split() == ["VERDICT", "SCORE", "PAGE,", "=", "ORIGINAL"]
    firsts = [row for row in rows if not row.startswith(" ")]
    assert column(firsts, header, "VERDICT") == [one["verdict"] for one in dropped]
    begin = header.index("PAGE")
    text = "".join("".join(row[begin:].split()) for row in rows)
    for one in dropped:
        reason = brief(Decision.of(one)).replace(" ", "")
        assert f"{one['url']}={one['original']}{reason}" in text, "each is whole"


def test_show_and_messages(crawled):
    drops = [one for one in journal(crawled[0]) if one["action"] == "drop"]
    drop = min(drops, key=lambda one: len(one["url"]))  # the terminal wraps commands by itself
    shown = lines(crawled[0], 200, "show", drop["url"])
    assert shown[1] == drop["url"]
    assert any(line.endswith(f"dedup restore {drop['url']}") for line in shown)
    store = next(crawled[0].glob(".scrapy/dedup/demo/*"))
    _, *told = lines(crawled[0], 80, "drops", "--verdict", "unique", "--store", str(store))
    assert "No decision matches in" in told[0]
    assert told[-1].endswith("(--action all)")


def test_doubtful_drops_come_first(crawled):
    rows = lines(crawled[0], 80, "drops", "--sort", "doubt", "--limit", "20")
    doubts = [float(row[9:16]) for row in rows if row.startswith(("near", "contained", "exact"))]
    assert "DOUBT" in rows[1]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] > 0.2


@pytest.mark.parametrize("columns", WIDTHS)
def test_stats(crawled, columns):
    found = lines(crawled[0], columns, "stats")
    header, row = found[1:3]
    names = ["RUN", "SPIDER", "JUDGED", "DROPPED", "RATE", "SAVED", "LOST WORDS"]
    assert re.split(r"\s{2,}", header.strip()) == names
    assert re.split(r"\s{2,}", row)[2] == str(len(journal(crawled[0])))
    assert {"Hosts", "Verdicts"} <= {*found}


@pytest.mark.parametrize("columns", WIDTHS)
def test_runs(crawled, columns):
    dropped = sum(one["action"] == "drop" for one in journal(crawled[0]))
    header, row, *_ = lines(crawled[0], columns, "runs")
    assert column([row], header, "SPIDER") == ["demo"]
    assert column([row], header, "STORE") == [".scrapy/dedup/demo"]
    assert row.split("  ")[0].startswith("20")
    assert f" {dropped} " in row


def test_originals(crawled):
    originals = lines(crawled[0], 80, "drops", "--by", "original")
    assert any(line.strip().startswith("e.g. http://") for line in originals)


def test_a_dumb_terminal_gets_no_escapes(crawled):
    shown, code = on_terminal(crawled[0], "stats", columns=80, TERM="dumb")
    assert code == 0
    assert "\x1b" not in shown
