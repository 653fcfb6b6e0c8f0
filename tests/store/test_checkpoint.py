"""After a power cut the file holds any mixture of written and unwritten pages."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.store.lmdb import checkpoint, environment
from tests.support.stores import invented

PAGE = 4096


def see(dedup: Deduplicator, seeds: range) -> set[str]:
    return {
        str(dedup.process(Page(url=f"https://{seed}.example/", text=invented(seed))).kind)
        for seed in seeds
    }


def power_cut(data: Path, synced: bytes, rng: random.Random) -> None:
    """Leave each page that changed since the sync either as it was or as it is."""
    now = data.read_bytes()
    with data.open("r+b") as file:
        for at in range(0, len(now), PAGE):
            before = synced[at : at + PAGE].ljust(PAGE, b"\0")
            if now[at : at + PAGE] != before and rng.random() < 0.5:
                file.seek(at)
                file.write(before)


@pytest.mark.skipif(not checkpoint.boot(), reason="the system does not tell its boot")
@pytest.mark.parametrize("seed", range(5))
def test_a_crash_of_the_machine_costs_only_the_last_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(environment, "SYNC_SECONDS", 3600.0)
    store = tmp_path / "s"
    data = store / "data.mdb"
    dedup = Deduplicator(store)
    see(dedup, range(30))
    checkpoints = dedup.store.engine.environment._checkpoints
    checkpoints.take()
    synced = data.read_bytes()
    see(dedup, range(30, 60))
    crashed = data.read_bytes()
    note = (store / checkpoint.NAME).read_bytes()
    dedup.close()
    # what a machine would find that crashed before the close
    with data.open("r+b") as file:
        file.write(crashed)
    (store / checkpoint.NAME).write_bytes(note)
    power_cut(data, synced, random.Random(seed))
    monkeypatch.setattr(checkpoint, "boot", lambda: b"another boot".ljust(36))
    with Deduplicator(store) as later:
        assert see(later, range(30)) == {"unchanged"}
        assert see(later, range(30, 60)) == {"unique"}
        assert see(later, range(60)) == {"unchanged"}


def test_a_store_of_this_boot_is_left_as_it_is(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        see(dedup, range(5))
    assert not checkpoint.recover(tmp_path / "s")


def test_a_restored_backup_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        see(dedup, range(5))
    data = tmp_path / "s" / "data.mdb"
    backup = data.read_bytes()
    with Deduplicator(tmp_path / "s") as dedup:
        see(dedup, range(5, 10))
    data.rename(tmp_path / "old.mdb")
    data.write_bytes(backup)
    monkeypatch.setattr(checkpoint, "boot", lambda: b"another boot".ljust(36))
    assert not checkpoint.recover(tmp_path / "s")
    with Deduplicator(tmp_path / "s") as dedup:
        assert see(dedup, range(5)) == {"unchanged"}
