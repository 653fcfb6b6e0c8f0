"""`scrapy dedup runs` and `scrapy dedup store`."""

from __future__ import annotations

import json
import subprocess

import lmdb
import pytest

from dedup_middleware.errors import DedupError
from dedup_middleware.store import open_store
from tests.support.commands import table_rows
from tests.support.two_runs import NEWS, SHOP, STORE


def test_runs(run, two_runs):
    out, _, code = run("runs")
    assert code == 0
    assert [(row[0], row[1], row[3], row[4]) for row in table_rows(out)[1:]] == [
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
    assert "idle" in run("runs")[0]


def test_store_info_and_verify(run, two_runs, tmp_path):
    out, _, code = run("store", "info")
    assert code == 0
    assert "Pages        2 different ones; 0 of them pending\n" in out
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


def test_repair_goes_with_verify(run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("store", "info", "--repair")
    assert "--repair goes with verify" in capsys.readouterr().err
