"""`scrapy dedup runs` and `scrapy dedup store`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import lmdb
import pytest

from dedup_middleware.errors import DedupError
from dedup_middleware.store import open_store
from dedup_middleware.store.runs import LiveRun
from tests.support.commands import call, table_rows
from tests.support.two_runs import NEWS, SHOP, STORE


def test_runs(run, two_runs):
    out, err, code = run("runs")
    assert code == 0
    assert [(row[0], row[1], row[4], row[5]) for row in table_rows(out)[1:]] == [
        (NEWS, "news", "4", "3"),
        (SHOP, "shop", "2", "1"),
    ]
    with open_store(two_runs / STORE, map_size=1 << 30, spider="idle"):
        told = [json.loads(line) for line in run("runs", "--json")[0].splitlines()]
    assert [(run["spider"], run["state"]) for run in told] == [
        ("news", "ended"),
        ("shop", "ended"),
        ("idle", "alive"),
    ]
    out, err, _ = run("runs")
    assert "1 more judged nothing: --all" in err
    assert "idle" in run("runs", "--all")[0]
    assert "idle" not in out


def test_store_info_and_verify(run, two_runs, tmp_path):
    out, _, code = run("store", "info")
    assert code == 0
    assert "Pages        2, 0 of them pending\n" in out
    assert json.loads(run("store", "info", "--json")[0])["aliases"] == 3
    out, _, code = run("store", "verify")
    assert (out, code) == ("Consistent: .scrapy/dedup/news/store\n", 0)
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", two_runs / STORE, store], check=True)
    with lmdb.open(str(store), max_dbs=32, map_size=1 << 30) as env:
        table = env.open_db(b"decisions", create=False)
        with env.begin(write=True) as txn:
            assert txn.delete((2).to_bytes(4, "big"), db=table)
    told, _, code = run("store", "verify", "--store", store, "--json")
    assert (code, json.loads(told)["damage"][0]["kind"]) == (1, "gap")
    out, _, code = run("store", "verify", "--store", store)
    assert code == 1
    assert "Damage: decisions" in out
    assert f"dedup store verify --repair --store {store}" in out
    out, _, code = run("store", "verify", "--store", store, "--repair")
    assert code == 0
    assert out.endswith(f"Consistent: {store}\n")


def test_a_truncated_file_does_not_crash_the_command(run, two_runs, tmp_path):
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", two_runs / STORE, store], check=True)
    with (store / "data.mdb").open("r+b") as file:
        file.truncate(5 * 4096)
    with pytest.raises(DedupError, match=r"damaged, or shorter than it was: .* can't be repaired"):
        run("store", "verify", "--store", store)


OLD = [f"2025010{day}T000000-000000" for day in range(1, 5)]


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A project with four old runs of a spider, and stores that are not of one run."""
    monkeypatch.chdir(tmp_path)
    for path in (
        *(f"news/{run}" for run in OLD),
        "scan/" + OLD[0],
        "shared",
        f"jobs/{OLD[0]}/dedup",
    ):
        store = tmp_path / ".scrapy/dedup" / path
        store.mkdir(parents=True)
        (store / "data.mdb").write_bytes(b"x" * 2048)
        os.utime(store / "data.mdb", (0, 0))
    return tmp_path / ".scrapy/dedup"


def test_prune_removes_the_stores_of_old_runs(project, capsys):
    stay = [project / path for path in ("scan/" + OLD[0], "shared", f"jobs/{OLD[0]}/dedup")]
    assert call("store", "prune", "--keep", "2", "--dry-run") == 0
    lines = [f".scrapy/dedup/news/{run}  2.0 KiB\n" for run in OLD[:2]]
    listed = "".join(lines)
    assert capsys.readouterr().out == f"{listed}Would remove 2 stores, 4.0 KiB\n"
    assert (project / "news" / OLD[0]).is_dir()
    assert call("store", "prune", "--keep", "2") == 0
    assert capsys.readouterr().out == f"{listed}Removed 2 stores, 4.0 KiB\n"
    alive = LiveRun(project / "news" / OLD[2] / "runs", OLD[2], "p")
    os.utime(project / "news" / OLD[3] / "data.mdb")
    assert call("store", "prune", "--older-than", "30d", "--json") == 0
    nothing = {"dry_run": False, "removed": [], "bytes": 0, "failed": []}
    assert json.loads(capsys.readouterr().out) == nothing
    alive.close()
    assert call("store", "prune", "--older-than", "30d", "--json") == 0
    removed = [{"store": str(Path(".scrapy/dedup/news") / OLD[2]), "bytes": 2048}]
    assert json.loads(capsys.readouterr().out) == {**nothing, "removed": removed, "bytes": 2048}
    assert sorted(path.name for path in (project / "news").iterdir()) == OLD[3:]
    assert all((store / "data.mdb").is_file() for store in stay)


def test_prune_reports_what_it_can_not_remove(project, capsys, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert call("store", "prune", "--keep", "3") == 1
    out, err = capsys.readouterr()
    assert out == "Removed 0 stores, 0 B\n"
    assert err == f"Can't remove .scrapy/dedup/news/{OLD[0]}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["prune"], "prune needs --keep N, --older-than TIME, or both"),
        (["prune", "--keep", "-1"], "'-1' is not a number of stores"),
        (["prune", "--keep", "few"], "'few' is not a number of stores"),
        (["prune", "--older-than", "long"], "'long' is not a time; write it as 30d, 12h or 2w"),
        (["prune", "--keep", "1", "--store", "x"], "--store goes with info, verify, compact"),
        (["export"], "export needs FILE"),
        (["import", "x.jsonl"], "import needs --store DIR"),
        (["info", "x.jsonl"], "FILE goes with export, import"),
        (["prune", "--keep", "1", "--repair"], "--repair goes with verify"),
        (["info", "--keep", "0"], "--keep goes with prune"),
        (["verify", "--older-than", "0d"], "--older-than goes with prune"),
        (["info", "--dry-run"], "--dry-run goes with prune"),
    ],
)
def test_options_that_do_not_go_together(project, capsys, args, message):
    with pytest.raises(SystemExit, match="2"):
        call("store", *args)
    assert message in capsys.readouterr().err
    assert len(list((project / "news").iterdir())) == len(OLD)
