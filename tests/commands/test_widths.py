"""Lists of a real crawl on terminals of three widths: nothing wraps, and the best is there."""

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
    store, common, header, *rows = lines(crawled[0], columns, "drops")
    assert store.startswith("Store: .scrapy/dedup/demo/")
    begin = re.fullmatch(r"URLs begin with (http://127\.0\.0\.1:\d+)(, unless.*)?", common)[1]
    if columns < 110:
        assert header.split() == ["VERDICT", "SCORE", "PAGE,", "=", "ORIGINAL"]
        pages = [row[18:] for row in rows if not row.startswith(" ")]
        originals = [row[18:] for row in rows if row[:18].endswith("= ")]
    else:
        firsts = [row for row in rows if not row.startswith(" ")]
        pages, originals = (column(firsts, header, name) for name in ("PAGE", "ORIGINAL"))
    assert len(pages) == len(originals) == len(dropped)
    text = " ".join(" ".join(rows).split())
    for one in dropped:
        assert brief(Decision.of(one)).replace(f"{begin}/", "/") in text, "the whole reason"
    for page, original, one in zip(pages, originals, dropped, strict=True):
        assert page != original or one["url"] == one["original"]
        for shown, url in ((page, one["url"]), (original, one["original"])):
            parts = [re.escape(part) for part in shown.split("…")]
            assert re.fullmatch(f"({re.escape(begin)})?{'.*'.join(parts)}", url), (shown, url)


def test_show_and_messages(crawled):
    drops = [one for one in journal(crawled[0]) if one["action"] == "drop"]
    drop = min(drops, key=lambda one: len(one["url"]))  # which a command must not break
    shown = lines(crawled[0], 80, "show", drop["url"], "--measures")
    assert shown[1] == drop["url"]
    commands = " ".join(shown).replace("\\", "").split()
    assert f"dedup restore {drop['url']}" in " ".join(commands)
    store = next(crawled[0].glob(".scrapy/dedup/demo/*"))
    *_, told, rest = lines(crawled[0], 80, "drops", "--verdict", "unique", "--store", str(store))
    assert "No decision matches in" in f"{told} {rest}"
    assert rest.endswith("(--action all)")


def test_doubtful_drops_come_first(crawled):
    rows = lines(crawled[0], 80, "drops", "--sort", "doubt", "--limit", "20")
    doubts = [float(row[9:16]) for row in rows if row.startswith(("near", "contained", "exact"))]
    assert "DOUBT" in rows[2]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] > 0.2


@pytest.mark.parametrize(
    ("columns", "there"), [(80, ["RATE", "SAVED"]), (120, ["DROPPED AS"]), (200, ["TIME"])]
)
def test_stats(crawled, columns, there):
    found = lines(crawled[0], columns, "stats")
    header = found[found.index("Runs") + 1]
    for name in ("RUN", "PAGES", "DROPPED", *there):
        assert name in header
    (last,) = [line for line in found if line.startswith("Columns without room: ")] or [""]
    assert ("dropped as" in last) == (columns == 80)
    assert bool(last) <= (columns < 200)
    changed = found[found.index("Pages that changed most often") + 1 :]
    assert changed[0].startswith("URLs begin with http://")
    assert changed[2].startswith("/")


def test_runs(crawled):
    dropped = sum(one["action"] == "drop" for one in journal(crawled[0]))
    for columns in WIDTHS:
        header, row, *_ = lines(crawled[0], columns, "runs")
        assert column([row], header, "SPIDER") == ["demo"]
        assert row.split("  ")[0].startswith("20")
        assert f" {dropped} " in row
        assert ("STARTED" in header) == (columns > 80)


def test_originals_and_all_columns(crawled):
    originals = lines(crawled[0], 80, "drops", "--by", "original")
    assert any(line.strip().startswith("e.g. /") for line in originals)
    wide, _ = on_terminal(crawled[0], "stats", "--wide", columns=80)
    assert "DROPPED AS" in wide
    assert "without room" not in wide


def test_a_dumb_terminal_gets_no_escapes(crawled):
    shown, code = on_terminal(crawled[0], "stats", columns=80, TERM="dumb")
    assert code == 0
    assert "\x1b" not in shown
