"""`scrapy dedup forget`, and what `runs` and `store` do to runs and stores as a whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dedup_middleware import DedupError, Deduplicator, Page, StoreError
from dedup_middleware.store import open_reader
from tests.support.commands import HOSTILE, table_rows
from tests.support.stores import invented
from tests.support.two_runs import EXACT, NEAR, STORE


@pytest.fixture
def store(two_runs: Path, tmp_path: Path) -> Path:
    """A store of two runs that a test may change."""
    shutil.copytree(two_runs / STORE, tmp_path / "s")
    return tmp_path / "s"


def test_forget(run, store):
    out, _, code = run("forget", EXACT, NEAR, "--store", store, "--dry-run")
    assert (out, code) == (f"Would forget 2 copies at\n  {EXACT}\n  {NEAR}\n", 0)
    assert run("forget", EXACT, "b.example/n", "--store", store)[0].endswith(f"\n  {NEAR}\n")
    assert run("forget", EXACT, "--store", store)[::2] == (f"Forgot nothing at\n  {EXACT}\n", 1)
    out, _, _ = run("forget", "b.example/ne", "--store", store, "--dry-run")
    assert out.startswith("Would forget nothing"), "a part of a URL, of what was forgotten already"
    with pytest.raises(DedupError, match="There is no decision about nowhere"):
        run("forget", "nowhere.invalid", "--store", store)
    told = json.loads(run("forget", "--host", "a.example", "--store", store, "--json")[0])
    assert (told["pages"], told["copies"], told["dry_run"]) == (1, 1, False)
    assert run("forget", HOSTILE, "--store", store)[2] == 1, "went with its host"
    assert "6 decisions, 2 journals" in run("forget", "--older-than", "0s", "--store", store)[0]
    assert run("store", "verify", "--store", store)[2] == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "name the pages in one way: by URLs, --host or --older-than"),
        (["https://a.example/", "--host", "x"], "in one way"),
        (["--older-than", "long"], "'long' is not a time"),
    ],
)
def test_what_forget_does_not_take(run, capsys, args, message):
    with pytest.raises(SystemExit, match="2"):
        run("forget", *args)
    assert message in capsys.readouterr().err


def night(store: Path, name: str, texts: dict[str, int]) -> None:
    with Deduplicator(store, run=name, commit="finish") as dedup:
        for path, seed in texts.items():
            dedup.process(Page(url=f"https://a.example/{path}", text=invented(seed)))


def test_diff(run, tmp_path):
    store = tmp_path / "s"
    night(store, "one", {"same": 1, "copy": 1, "changes": 2, "moves": 3, "goes": 4, "repeats": 5})
    night(store, "two", {"same": 1, "changes": 6, "moved": 3, "new": 7, "repeats": 1})
    night(store, "three", {"same": 1, "changes": 6, "new": 7, "copy": 1})

    def diff(*names: str) -> list[list[str]]:
        out, err, code = run("runs", "diff", *names, "--store", store)
        assert code == 0
        rows = [[cell.replace("https://a.example/", "") for cell in row] for row in table_rows(out)]
        assert f"{sum(row[0] == 'removed' for row in rows)} removed" in err
        return rows[1:]

    assert diff("one", "two") == [
        ["new", "", "new", "", ""],
        ["changed", "100.0%", "changes", "numbers", ""],
        ["moved", "", "moved", "", "moves"],
        ["removed", "", "goes", "", ""],
        ["removed", "", "repeats", "", "same"],
    ]
    assert diff("two", "three") == [["removed", "", "moved", "", ""]]
    assert diff("three", "three") == []
    same = [["same", "", path, "", ""] for path in ("changes", "new", "same")]
    assert diff("two", "three", "--all") == [*same, ["removed", "", "moved", "", ""]]
    told = run("runs", "diff", "one", "two", "--store", store, "--json", "--all")[0].splitlines()
    rows = [json.loads(line) for line in told]
    assert {row["change"] for row in rows} == {"new", "same", "changed", "removed"}
    assert rows[1] == {
        "change": "changed",
        "url": "https://a.example/changes",
        "share": 1.0,
        "classes": ["numbers"],
        "other": None,
    }
    assert [
        (row["url"], row["other"]) for row in rows if row["change"] == "same" and row["other"]
    ] == [
        ("https://a.example/moved", "https://a.example/moves"),
    ]
    listed = run("runs", "diff", "one", "two", "--store", store, "--csv")[0]
    assert "changed,1.0,https://a.example/changes,numbers," in listed
    with pytest.raises(DedupError, match="no run four; the newest runs are"):
        run("runs", "diff", "one", "four", "--store", store)
    shown = json.loads(run("stats", "--store", store, "--json")[0])
    assert shown["run"] == "three", "the newest, whatever its name"


def test_commit_and_discard(run, tmp_path):
    store = tmp_path / "s"
    page = Page(url="https://a.example/1", text=invented(1))
    with pytest.raises(ZeroDivisionError), Deduplicator(store, run="one", commit="finish") as dedup:
        dedup.process(page)
        raise ZeroDivisionError

    def state() -> str:
        return json.loads(run("runs", "--store", store, "--json")[0])["state"]

    assert state() == "uncommitted"
    told = run("runs", "commit", "one", "--store", store)[0]
    assert (told, state()) == ("The pages of one count now.\n", "ended")
    with pytest.raises(StoreError, match="count already"):
        run("runs", "commit", "one", "--store", store)
    told = run("runs", "discard", "one", "--store", store, "--json")[0]
    assert json.loads(told)["action"] == "discard"
    assert state() == "discarded"
    with Deduplicator(store) as dedup:
        assert str(dedup.probe(page).kind) == "unique"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["commit"], "commit takes one run"),
        (["diff", "one"], "diff takes two runs"),
        (["list", "one"], "list takes no run"),
        (["commit", "one", "--csv"], "--csv goes with list and diff"),
    ],
)
def test_what_runs_does_not_take(run, capsys, args, message):
    with pytest.raises(SystemExit, match="2"):
        run("runs", *args)
    assert message in capsys.readouterr().err


def test_compact(run, store):
    assert "->" in run("store", "compact", "--store", store)[0]
    assert run("store", "verify", "--store", store)[2] == 0
    with open_reader(store), pytest.raises(StoreError, match="is in use; wait until"):
        run("store", "compact", "--store", store)
