"""Sub-commands that read decisions: `show`, `drops`, `stats`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.errors import DedupError, NotAStore, StoreError
from dedup_middleware.inspect.stored_decisions import UnknownPage
from dedup_middleware.store import open_store
from tests.support.commands import HOSTILE, table_rows
from tests.support.two_runs import ANOTHER_END, EXACT, FIRST, NEAR, NEWS, SHOP, STORE


def test_show_explains_a_decision(run):
    out, _, code = run("show", "b.example/near")
    assert code == 0
    assert out.startswith(f"{NEAR}\n")
    assert f"only here: {ANOTHER_END}\n" in out
    assert "scrapy dedup compare b.example/near\n" in out
    assert re.search(r"known      9\d% of this page from the other, \d+% of the other", out)
    assert f"scrapy dedup restore {NEAR}\n" in out
    assert "dedup restore" not in run("show", HOSTILE)[0]  # what is shown is not its name
    shown = json.loads(run("show", NEAR, "--json")[0])
    assert shown["decisions"][0]["original"] == FIRST
    out, _, _ = run("show", FIRST)
    assert "Dropped in favour of it: 3\n" in out


def test_show_takes_a_part_of_a_url_that_no_other_has(run):
    out, _, code = run("show", "/near")
    assert (code, out.splitlines()[0]) == (0, NEAR)
    with pytest.raises(UnknownPage) as raised:
        run("show", "EXAMPLE/")
    headline, *urls = raised.value.args
    assert headline == "4 URLs have 'EXAMPLE/' in them; name more of one:"
    assert [url.strip() for url in urls[:3]] == [FIRST, NEAR, EXACT]
    with pytest.raises(UnknownPage) as raised:
        run("show", "b.exmaple/naer")
    assert raised.value.args[0] == "There is no decision about b.exmaple/naer"
    assert "`scrapy dedup drops --action all --all-runs` lists" in raised.value.args[1]


def test_show_works_without_texts(run, two_runs, tmp_path):
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", two_runs / STORE, store], check=True)
    with open_store(store, map_size=1 << 30) as opened:
        opened.settle([], [1])
    assert run("show", NEAR, "--store", store)[2] == 0
    with pytest.raises(DedupError, match=r"does not have the text of .* any more"):
        run("show", FIRST, "--text", "--store", store)
    (store / "data.mdb").write_bytes(b"junk" * 5000)
    with pytest.raises(StoreError):
        run("show", NEAR, "--store", store)


def test_stats(run):
    out, _, code = run("stats", "--all-runs")
    runs, hosts, verdicts = (table_rows(part) for part in out.split("\n\n"))
    assert code == 0
    assert [row[:5] for row in runs] == [
        ["run", "spider", "judged", "dropped", "rate"],
        [NEWS, "news", "4", "3", "75.0%"],
        [SHOP, "shop", "2", "1", "50.0%"],
        ["all", "", "6", "4", "66.7%"],
    ]
    assert [row[0] for row in hosts] == ["host", "a.example", "b.example", "c.example", "none"]
    assert ["unique", "2", "33%", "0"] in verdicts
    assert ["exact", "2", "33%", "2"] in verdicts
    shown = [json.loads(line) for line in run("stats", "--run", NEWS, "--json")[0].splitlines()]
    sizes = [json.loads(line) for line in run("drops", "--run", NEWS, "--json")[0].splitlines()]
    assert sum(one["bytes_saved"] for one in shown) == sum(one["bytes"] for one in sizes)
    (host,) = (one for one in shown if one["host"] == "b.example")
    assert (host["run"], host["judged"], host["drops"]) == (NEWS, 1, 1)
    assert (host["near"], host["dropped"]) == (1, {"near": 1})


@pytest.mark.parametrize("name", ["drops", "stats"])
def test_what_stands_in_the_place_of_a_journal_is_no_trouble(run, two_runs, tmp_path, name):
    store = tmp_path / "store"
    shutil.copytree(two_runs / STORE, store)
    before = run(name, "--store", store, "--all-runs")
    journal = store / "journal" / f"{NEWS}.jsonl"
    journal.unlink()
    journal.mkdir()
    assert run(name, "--store", store, "--all-runs") == before


@pytest.mark.parametrize("name", ["drops", "stats", "runs", "store"])
def test_without_a_store(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    what = ["info"] if name == "store" else []
    with pytest.raises(NotAStore, match="There is no store under"):
        run(name, *what)
    if name == "runs":
        assert run(name, "--store", tmp_path / "nowhere")[2] == 1
    else:
        with pytest.raises(NotAStore, match=r"There is no dedup store in .*nowhere"):
            run(name, *what, "--store", tmp_path / "nowhere")


def test_a_run_is_found_in_the_store_of_its_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".scrapy/dedup/news"
    for name in ("20261101T000000-aaaaaa", "20261102T000000-bbbbbb"):
        with Deduplicator(folder / name, run=name) as dedup:
            dedup.process(Page(url=f"https://{name[-6:]}.example/", text=f"{name} " * 30))
    for name in ("aaaaaa", "bbbbbb"):
        (known,) = (path.name for path in folder.iterdir() if path.name.endswith(name))
        out, _, _ = run("drops", "--run", known, "--action", "all", "--json")
        assert json.loads(out)["url"] == f"https://{name}.example/"
    with pytest.raises(DedupError, match=r"but in folders of its runs, such as .*-bbbbbb$"):
        run("drops", "--store", folder)
