"""Forgetting: by age, runs, size, host and URL; stores that are copied, compacted, exported."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dedup_middleware import DedupError, Deduplicator, Page, StoreError
from dedup_middleware.inspect.stores import Counts, enter, export, verify
from dedup_middleware.settings import Settings
from dedup_middleware.store import copy_store, open_reader, open_store
from dedup_middleware.store.forgetting import (
    DAY,
    Expiry,
    Forgotten,
    at_urls,
    expired,
    of_host,
    of_run,
    older_than,
)
from dedup_middleware.store.lmdb.engine import compact
from tests.support.stores import invented
from tests.support.texts import article, html

NIGHTS = 5
START = 1_700_000_000.0


def page(number: int, host: str = "a.example") -> Page:
    return Page(url=f"https://{host}/{number}", text=invented(number))


def kinds(store: Path, *pages: Page) -> list[str]:
    with Deduplicator(store) as dedup:
        return [str(dedup.probe(one).kind) for one in pages]


def forget(store: Path, choose, *, dry_run: bool = False) -> Forgotten:
    with open_reader(store, write=True) as reader:
        with reader.snapshot() as view:
            chosen = choose(view)
        forgotten = reader.forget(chosen, dry_run=dry_run)
        if not dry_run:
            assert not verify(reader, lambda _: None).found
    return forgotten


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five nights, one page each, and one that is seen every night, with a copy in the first."""
    for night in range(NIGHTS):
        monkeypatch.setattr(time, "time", lambda night=night: START + night * DAY)
        with Deduplicator(tmp_path / "s", run=f"night-{night}", commit="finish") as dedup:
            dedup.process(page(100))
            dedup.process(page(night))
            if night == 0:
                dedup.process(Page(url="https://copy.example/", text=invented(0)))
    monkeypatch.setattr(time, "time", lambda: START + NIGHTS * DAY)
    return tmp_path / "s"


def test_by_age(store: Path) -> None:
    def old(view):
        return older_than(view, START + 1.5 * DAY)

    expected = Forgotten(pages=2, copies=1, decisions=5, journals=2)
    assert forget(store, old, dry_run=True) == forget(store, old) == expected
    assert forget(store, old) == Forgotten()
    seen = [
        page(0),
        page(1),
        page(2),
        page(100),
        Page(url="https://copy.example/", text=invented(0)),
    ]
    assert kinds(store, *seen) == ["unique", "unique", "unchanged", "unchanged", "unique"]
    journals = {path.stem for path in (store / "journal").glob("night*")}
    assert journals == {f"night-{night}" for night in range(2, NIGHTS)}


@pytest.mark.parametrize(
    ("expiry", "pages"),
    [
        (Expiry(days=2.5), 3),
        (Expiry(runs=2), 3),
        (Expiry(runs=NIGHTS), 0),
        (Expiry(days=2.5, runs=4), 3),
        (Expiry(size=1 << 30), 0),
        (Expiry(size=1), 4),  # not what the last run has seen
    ],
)
def test_when_it_expires(store: Path, expiry: Expiry, pages: int) -> None:
    assert forget(store, lambda view: expired(view, expiry)).pages == pages
    assert kinds(store, page(100)) == ["unchanged"]


def test_a_store_stays_below_its_size(tmp_path: Path) -> None:
    store, most = tmp_path / "s", 300_000
    used = []
    for night in range(12):
        with Deduplicator(store, run=f"night-{night}", commit="finish") as dedup:
            for number in range(20):
                dedup.process(page(1000 * night + number))
        forget(store, lambda view: expired(view, Expiry(size=most)))
        with open_reader(store) as reader, reader.snapshot() as view:
            used.append(sum(table.size for table in view.sizes().values()))
    assert max(used) < 2 * most, "look-up keys of the newest pages stay for a while"
    assert kinds(store, page(11_000), page(0)) == ["unchanged", "unique"]


def test_by_url_host_and_run(store: Path) -> None:
    copy = Page(url="https://copy.example/", text=invented(0))
    assert forget(store, lambda _: at_urls([copy.url])) == Forgotten(copies=1)
    assert kinds(store, copy, page(0)) == ["exact", "unchanged"]
    assert forget(store, lambda view: of_run(view, "night-3")).pages == 1
    assert kinds(store, page(3), page(4)) == ["unique", "unchanged"]
    assert forget(store, lambda view: of_host(view, "b.example")) == Forgotten()
    assert forget(store, lambda view: of_host(view, "example")).pages == NIGHTS
    with pytest.raises(StoreError, match="no run of-day"):
        forget(store, lambda view: of_run(view, "of-day"))


def test_the_clock_may_jump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it costs at most is that pages pass again."""
    rng = random.Random(5)
    pages = [page(number) for number in range(6)]
    for run in range(12):
        jump = rng.choice([-1, 1]) * rng.uniform(0, 3650) * DAY
        monkeypatch.setattr(time, "time", lambda jump=jump: START + jump)
        with Deduplicator(tmp_path / "s", run=f"run-{run}", commit="finish") as dedup:
            assert {str(dedup.process(one).kind) for one in pages} <= {"unique", "unchanged"}
        forget(tmp_path / "s", lambda view: expired(view, Expiry(days=30, runs=3)))


def test_compaction(store: Path) -> None:
    with Deduplicator(store) as dedup:
        for number in range(200, 400):
            dedup.process(page(number))
        with pytest.raises(StoreError, match="in use"):
            compact(store, 1 << 30)
    forget(store, lambda view: older_than(view, time.time() + 1))
    (store / "compact.new").mkdir()  # of one that was killed
    (store / "compact.new" / "data.mdb").touch()
    before, after = compact(store, 1 << 30)
    assert after < before / 2
    assert (store / "data.mdb").stat().st_size == after
    assert {path.name for path in store.iterdir()} >= {"data.mdb", "journal"}
    assert not (store / "compact.new").exists()
    with open_reader(store) as reader:
        assert not verify(reader, lambda _: None).found
    assert kinds(store, page(200)) == ["unique"]


def test_a_copy_while_others_write(store: Path, tmp_path: Path) -> None:
    with Deduplicator(store, run="at it", is_sole=True) as dedup:
        dedup.process(page(200))
        copy_store(store, tmp_path / "copy")
        dedup.process(page(201))
    assert kinds(tmp_path / "copy", page(0), page(200), page(201)) == [
        "unchanged",
        "unchanged",
        "unique",
    ]


def lines_of(store: Path) -> list[bytes]:
    with open_reader(store) as reader, reader.snapshot() as view:
        return [json.dumps(entry).encode() for entry in export(view)]


def imported(lines: list[bytes], store: Path) -> Counts:
    opened = open_store(store, is_sole=True)
    try:
        return enter(lines, opened, Settings())
    finally:
        opened.close()


def test_what_is_exported_is_known_elsewhere(store: Path, tmp_path: Path) -> None:
    text = article(1, 400)
    first, later = "Last updated on 3 May 2026.", "Last updated on 9 June 2026."
    near = Page(url="https://near.example/", html=html([*text, later]))
    short = Page(url="https://short.example/", html="<title>Ü\udcff</title><p>Too short.")
    whole = Page(url="https://whole.example/", html=html([*text, first]))
    with Deduplicator(store, cross_host={"near": "drop"}) as dedup:
        verdicts = [str(dedup.process(one).kind) for one in (whole, near, short)]
    assert verdicts == ["unique", "near", "unique"]
    lines = lines_of(store)
    counts = imported(lines, tmp_path / "new")
    assert counts == Counts(pages=NIGHTS + 3, copies=2)
    assert imported(lines, tmp_path / "new") == Counts(known=NIGHTS + 5)
    again = lines_of(tmp_path / "new")
    assert [json.loads(one) for one in again] == [json.loads(one) for one in lines]
    with open_reader(tmp_path / "new") as reader:
        assert not verify(reader, lambda _: None).found
    seen = (page(100), whole, near, short, replace(page(2), url="https://c.example/"))
    assert kinds(tmp_path / "new", *seen) == [*["unchanged"] * 4, "exact"]


def test_what_can_not_be_imported(store: Path, tmp_path: Path) -> None:
    head, *rest = lines_of(store)
    with pytest.raises(DedupError, match="not complete"):
        imported([head, *rest[:-1]], tmp_path / "a")
    with pytest.raises(DedupError, match="version 2"):
        imported([head.replace(b": 1", b": 2", 1), *rest], tmp_path / "b")
    with pytest.raises(DedupError, match="Line 2"):
        imported([head, rest[0][: len(rest[0]) // 2]], tmp_path / "c")
    with pytest.raises(DedupError, match="Line 1"):
        imported([b'{"url": "https://a.example/"}'], tmp_path / "d")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_the_new_file_is_for_its_owner_alone(store: Path, tmp_path: Path) -> None:
    compact(store, 1 << 30)
    copy_store(store, tmp_path / "copy")
    for folder in (store, tmp_path / "copy"):
        assert (folder / "data.mdb").stat().st_mode & 0o077 == 0
    shutil.rmtree(tmp_path / "copy")
