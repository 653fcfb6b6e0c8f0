"""Forgetting: by age, runs, size, host and URL; stores that are copied, compacted."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import copy_store, open_reader
from dedup_middleware.store.forgetting import (
    DAY,
    Expiry,
    Forgotten,
    at_urls,
    expired,
    of_host,
    older_than,
)
from dedup_middleware.store.lmdb.engine import compact
from tests.support.stores import invented

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


def test_by_url_and_host(store: Path) -> None:
    copy = Page(url="https://copy.example/", text=invented(0))
    assert forget(store, lambda _: at_urls([copy.url])) == Forgotten(copies=1)
    assert kinds(store, copy, page(0)) == ["exact", "unchanged"]
    assert forget(store, lambda view: of_host(view, "b.example")) == Forgotten()
    assert forget(store, lambda view: of_host(view, "example")).pages == NIGHTS + 1


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


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_the_new_file_is_for_its_owner_alone(store: Path, tmp_path: Path) -> None:
    compact(store, 1 << 30)
    copy_store(store, tmp_path / "copy")
    for folder in (store, tmp_path / "copy"):
        assert (folder / "data.mdb").stat().st_mode & 0o077 == 0
    shutil.rmtree(tmp_path / "copy")
