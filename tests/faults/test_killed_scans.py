"""Scans that are killed at any moment: the store is whole, and the next scan makes sense of it."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader
from tests.support import forking
from tests.support.commands import call
from tests.support.decisions import assert_journals_agree
from tests.support.faults import SEED, number_of_faults, report
from tests.support.patience import PATIENCE, wait_until
from tests.support.stores import invented
from tests.support.texts import html

KILLS = number_of_faults(3)
TEXTS = 150
SECONDS = 0.5  # until a scan that has begun is killed, at most; less where it was done by then


def feed(path: Path) -> Path:
    """Write texts that are found at two URLs each."""
    with path.open("w") as file:
        for number in range(2 * TEXTS):
            page = html([invented(10 * (number % TEXTS) + part) for part in range(4)])
            file.write(json.dumps({"url": f"https://a.example/{number}", "html": page}) + "\n")
    return path


def kill_one(pages: Path, store: Path, seconds: float) -> bool:
    """Kill a scan so many seconds after it began; return False if it was done before."""
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", pages, "--store", store]
    before = {*store.glob("journal/*")}
    process = forking.Popen(
        command,
        cwd=store.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: not {*store.glob("journal/*")} <= before)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, -signal.SIGKILL), errors.decode()
    return process.returncode != 0


def test_the_next_scan_goes_on_from_what_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(SEED)
    pages, store = feed(tmp_path / "pages.jsonl"), tmp_path / "store"
    killed, longest, counts = 0, SECONDS, Counter[str]()
    while killed < KILLS:
        was_killed = kill_one(pages, store, longest * rng.random())
        killed += was_killed
        longest *= 1 if was_killed else 0.5
        with open_reader(store) as reader:
            assert not verify(reader, lambda _: None).found
        assert call("scan", pages, "--store", store, "--json") == 0
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert len(found) == 2 * TEXTS
        assert_journals_agree(store)
        for line in found:
            number_of = int(line["url"].rpartition("/")[2])
            kinds = ("unique", "unchanged") if number_of < TEXTS else ("exact", "unchanged")
            assert line["verdict"] in kinds, line
        counts.update(line["verdict"] for line in found)
        if rng.random() < 0.5:
            shutil.rmtree(store)
    report(kills=killed, **counts)
