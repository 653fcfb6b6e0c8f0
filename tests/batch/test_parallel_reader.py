"""Pages read ahead by other processes: the same as those of one, whatever happens to these."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dedup_middleware.batch.parallel_reader import HANDFUL, ParallelReader, ReaderDied
from dedup_middleware.batch.sources import Sources
from dedup_middleware.errors import DedupError
from tests.support.archives import Archive
from tests.support.commands import call
from tests.support.patience import PATIENCE, wait_until
from tests.support.stores import invented
from tests.support.texts import html

LIMITS = {"max_html": 1 << 20, "max_text": 100_000}
WORKERS = 3


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder of everything that can be read, with copies, and with what can't be read."""
    place = tmp_path_factory.mktemp("ahead")
    pages = place / "pages"
    pages.mkdir()
    for number in range(2 * HANDFUL + 3):
        text = [invented(number % 11 + part) for part in range(3)]
        (pages / f"{number:02}.html").write_text(html([*text, f"Number {number % 7}."]))
    (pages / "hostile.html").write_bytes(b"<div>" * 20_000 + b"\xff\x00<style>*{")
    (pages / "notes.txt").write_text("not a page")
    (pages / "05-gone.html").symlink_to("nowhere")
    frame = bytes.fromhex("28b52ffd") + b"\xff" * 28
    (pages / "odd.jsonl.zst").write_bytes(bytes.fromhex("5d2a4d18") + b"\x20\0\0\0" + frame)
    (pages / "torn.html.gz").write_bytes(gzip.compress(b"page" * 99)[:-9])
    feed = [json.dumps({"url": f"https://a.example/{n}", "text": invented(n)}) for n in range(40)]
    feed[HANDFUL + 1] = "not JSON"
    (pages / "some.jsonl").write_text("\n".join(feed))
    archive = Archive()
    for number in range(3 * HANDFUL):
        body = html([invented(number // 2)]).encode()
        archive.add(f"https://b.example/{number}", body)
        if number % 4 == 0:
            archive.add(f"https://b.example/cut/{number}", body, WARC_Truncated="length")
    (pages / "some.warc").write_bytes(archive.revisit("https://b.example/0").data + b"junk\r\n" * 9)
    return place


def decisions(journal: Path) -> list[dict[str, object]]:
    lines = map(json.loads, journal.read_text().splitlines())
    return [{**line, "time": "", "run": "", "ms": 0} for line in lines]


def test_scan_says_the_same_with_any_number_of_workers(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    said = {}
    for workers in ("1", "3"):
        journal = place / f"{workers}.jsonl"
        options = ("--workers", workers, "--journal", journal, "--store", f"s{workers}")
        assert call("scan", "pages", *options) == 0
        out, err = capsys.readouterr()
        rows = [line for line in out.splitlines() if not line.startswith(("Pages", "Store", "Jou"))]
        said[workers] = (decisions(journal), rows[:-1], err.splitlines())
    assert said["1"] == said["3"]
    found, rows, problems = said["1"]
    assert {line["verdict"] for line in found} >= {"unique", "exact", "near"}
    assert len(problems) == 6
    assert "Revisits     1 records without a page, not judged" in rows


def test_pages_come_with_their_units(place):
    told: list[str] = []
    alone = Sources([place / "pages"], print, max_html=LIMITS["max_html"])
    expected = [(page.url, alone.unit) for page in alone]
    reader = ParallelReader([place / "pages"], told.append, workers=WORKERS, **LIMITS)
    assert [(page.url, reader.unit) for page in reader] == expected
    assert reader.bytes_read == alone.bytes_read
    assert (
        list(reader.archives)
        == alone.archives
        == [(place / "pages/some.warc", expected[-24][1] - 1)]
    )
    assert (reader.problems, reader.skipped, reader.revisits) == (6, 1, 1)
    assert len(told) == 6


def children() -> set[int]:
    """Return the processes that this one has started."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text().split()}


@pytest.fixture(scope="module")
def long_feed(tmp_path_factory) -> Path:
    feed = tmp_path_factory.mktemp("long") / "long.jsonl"
    page = html([invented(number) for number in range(40)])
    with feed.open("w") as file:
        for number in range(3000):
            file.write(json.dumps({"url": f"https://a.example/{number}", "html": page}) + "\n")
    return feed


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_reader_that_is_killed_ends_the_scan_with_a_word(long_feed, monkeypatch):
    # the system may take its time to end it
    monkeypatch.setattr("dedup_middleware.batch.parallel_reader._SECONDS", PATIENCE)
    before = children()
    pages = ParallelReader([long_feed], print, workers=2, **LIMITS).pages()
    next(pages)
    victim, _ = started = sorted(children() - before)
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(ReaderDied, match="killed by SIGKILL"):
        for _ in pages:
            pass
    assert not children() & {*started}


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_nobody_is_left_when_reading_is_given_up(long_feed):
    before = children()
    pages = ParallelReader([long_feed], print, workers=2, **LIMITS).pages()
    next(pages)
    assert len(children() - before) == 2
    pages.close()
    assert children() == before


def test_input_that_changes_meanwhile_is_noticed(tmp_path):
    for number in range(3 * HANDFUL):
        (tmp_path / f"{number:03}.html").write_text("<p>one</p>")
    reader = ParallelReader([tmp_path], print, workers=2, **LIMITS)
    # the second reader finds a file more than the first
    second = reader._jobs[1]
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "000.html").write_text("<p>two</p>")
    object.__setattr__(second, "paths", (tmp_path / "more", *second.paths))
    with pytest.raises(DedupError, match="has changed while it was read"):
        list(reader)


def test_ctrl_c_ends_with_a_summary_and_without_readers(long_feed):
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", "--workers", "2", long_feed]
    process = subprocess.Popen(
        [*command, "--json"],
        cwd=long_feed.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for _ in range(3):
        assert process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of them
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.startswith(b"Interrupted; what was judged so far is kept.\n")
    assert b"Traceback" not in err

    def all_are_gone() -> bool:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(all_are_gone, "a reader is still there")
