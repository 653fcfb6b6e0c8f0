"""Removal of the stores of old runs: which are chosen, and what is never touched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dedup_middleware.plugin.store_location import old_stores, prune
from dedup_middleware.store.runs import LiveRun, new_run_id

RUNS = [f"202601{day:02}T000000-00000{day}" for day in range(1, 6)]


def make_store(path: Path) -> Path:
    (path / "journal").mkdir(parents=True)
    (path / "journal" / "run.jsonl").write_bytes(b"x" * 10)
    (path / "data.mdb").write_bytes(b"x" * 100)
    return path


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """The folder of a spider with five runs."""
    folder = tmp_path / "dedup" / "news"
    for run in RUNS:
        make_store(folder / run)
    return folder


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


@pytest.mark.parametrize(("keep", "removed"), [(0, 5), (2, 3), (5, 0), (9, 0)])
def test_newest_stores_stay(news, keep, removed):
    assert names(old_stores(news, keep)) == RUNS[:removed]
    assert names(prune(news, keep)) == RUNS[:removed]
    assert sorted(path.name for path in news.iterdir()) == RUNS[removed:]
    assert prune(news, keep) == []


def test_a_store_in_use_stays_and_counts_as_one_of_the_newest(news):
    alive = LiveRun(news / RUNS[0] / "runs", RUNS[0], "p")
    (news / RUNS[1] / "runs").mkdir()
    (news / RUNS[1] / "runs" / f"{RUNS[1]}.p.lock").touch()  # left by a run that was killed
    assert names(prune(news, keep=2)) == RUNS[1:3]
    alive.close()
    assert names(prune(news, keep=2)) == RUNS[:1]


def test_what_the_crawl_did_not_name_and_what_is_no_store_stays(news):
    make_store(news / "named-by-a-user")
    (news / new_run_id()).mkdir()  # a crawl that is just starting
    (news / "20250101T000000-000000").write_text("a file")
    before = {path.name for path in news.iterdir()} - set(RUNS)
    assert names(prune(news, keep=0)) == RUNS
    assert {path.name for path in news.iterdir()} == before


def test_names_of_new_runs_are_recognised(tmp_path):
    store = make_store(tmp_path / new_run_id())
    assert old_stores(tmp_path, keep=0) == [store]


def test_symbolic_links_are_not_followed(news, tmp_path):
    outside = make_store(tmp_path / "outside" / "20240101T000000-000000")
    (news / outside.name).symlink_to(outside)
    (news.parent / "linked").symlink_to(outside.parent)
    (news / RUNS[0] / "elsewhere").symlink_to(outside)
    bare = news / "20240102T000000-000000"
    bare.mkdir()
    (bare / "data.mdb").symlink_to(outside / "data.mdb")
    assert names(prune(news, keep=0)) == RUNS
    assert (outside / "data.mdb").is_file()
    assert (outside / "journal" / "run.jsonl").is_file()
    assert (bare / "data.mdb").is_symlink()


def test_a_store_that_can_not_be_removed_is_not_reported_as_removed(news, monkeypatch):
    remove = shutil.rmtree

    def refuse(path: Path) -> None:
        if path.name == RUNS[0]:
            raise PermissionError(13, "Permission denied")
        remove(path)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert names(prune(news, keep=3)) == RUNS[1:2]
