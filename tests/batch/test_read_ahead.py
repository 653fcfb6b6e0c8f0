"""Pages that a thread reads ahead: the same as without, whatever is in the input."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from dedup_middleware.batch.sources import AHEAD, Sources
from tests.support.archives import Archive
from tests.support.commands import call
from tests.support.patience import PATIENCE
from tests.support.stores import invented
from tests.support.texts import html

LIMITS = {"max_html": 1 << 20}
MAX_TEXT = 100_000


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """A folder of everything that can be read, with copies, and with what can't be read."""
    pages = tmp_path_factory.mktemp("ahead") / "pages"
    pages.mkdir()
    for number in range(2 * AHEAD + 3):
        text = [invented(number % 11 + part) for part in range(3)]
        (pages / f"{number:02}.html").write_text(html([*text, f"Number {number % 7}."]))
    (pages / "hostile.html").write_bytes(b"<div>" * 20_000 + b"\xff\x00<style>*{")
    (pages / "notes.txt").write_text("not a page")
    (pages / "05-gone.html").symlink_to("nowhere")
    frame = bytes.fromhex("28b52ffd") + b"\xff" * 28
    (pages / "odd.jsonl.zst").write_bytes(frame)
    (pages / "torn.html.gz").write_bytes(gzip.compress(b"page" * 99)[:-9])
    feed = [json.dumps({"url": f"https://a.example/{n}", "text": invented(n)}) for n in range(40)]
    feed[AHEAD + 1] = "not JSON"
    (pages / "some.jsonl").write_text("\n".join(feed))
    archive = Archive()
    for number in range(3 * AHEAD):
        body = html([invented(number // 2)]).encode()
        archive.add(f"https://b.example/{number}", body)
        if number % 4 == 0:
            archive.add(f"https://b.example/cut/{number}", body, WARC_Truncated="length")
    (pages / "some.warc").write_bytes(archive.revisit("https://b.example/0").data + b"junk\r\n" * 9)
    return pages


def test_a_scan_lists_copies_and_what_cannot_be_read(pages, monkeypatch, capsys):
    monkeypatch.chdir(pages.parent)
    assert call("scan", "pages", "--journal", "journal.jsonl") == 0
    out, err = capsys.readouterr()
    found = map(json.loads, Path("journal.jsonl").read_text().splitlines())
    assert {line["verdict"] for line in found} >= {"unique", "exact", "near"}
    assert len(err.splitlines()) == 6
    assert "Revisits     1 records without a page, not judged" in out


def test_pages_come_with_their_units(pages):
    told: list[str] = []
    alone = Sources([pages], print, **LIMITS)
    expected = [(page.url, alone.unit) for page in alone]
    ahead = Sources([pages], told.append, **LIMITS)
    assert [(page.url, ahead.unit) for page in ahead.read_ahead(MAX_TEXT)] == expected
    assert ahead.bytes_read == alone.bytes_read
    archives = [(pages / "some.warc", expected[-3 * AHEAD][1] - 1)]
    assert ahead.archives == alone.archives == archives
    assert (ahead.problems, ahead.skipped, ahead.revisits) == (6, 1, 1)
    assert len(told) == 6


@pytest.fixture(scope="module")
def long_feed(tmp_path_factory) -> Path:
    feed = tmp_path_factory.mktemp("long") / "long.jsonl"
    page = html([invented(number) for number in range(40)])
    with feed.open("w") as file:
        for number in range(3000):
            file.write(json.dumps({"url": f"https://a.example/{number}", "html": page}) + "\n")
    return feed


def test_no_thread_is_left_when_reading_is_given_up(long_feed):
    before = threading.active_count()
    with closing(Sources([long_feed], print, **LIMITS).read_ahead(MAX_TEXT)) as pages:
        next(pages)
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_ctrl_c_ends_with_a_summary(long_feed):
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "dedup", "scan", long_feed, "--json"],
        cwd=long_feed.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for _ in range(3):
        assert process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.startswith(b"Interrupted; what was judged so far is kept.\n")
    assert b"Traceback" not in err
