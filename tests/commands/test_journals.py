"""Sub-commands that read decisions: `show`, `drops`, `stats`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.inspect.stored_decisions import UnknownPage
from dedup_middleware.store import open_store
from tests.support.commands import HOSTILE, table_rows
from tests.support.two_runs import ANOTHER_END, EXACT, FIRST, NEAR, NEWS, SHOP, STORE


def test_show_has_titles_and_the_first_difference(run):
    out, _, code = run("show", "b.example/near")
    assert code == 0
    assert out.startswith(f"{NEAR}\n")
    assert "titles     here:  A page\n             there: A page\n" in out
    assert f"differs    here:  {ANOTHER_END}\n" in out
    assert "scrapy dedup compare b.example/near\n" in out
    assert re.search(r"known      9\d% of this page from the other, \d+% of the other", out)
    assert "containment" not in out
    assert "containment" in run("show", NEAR, "--measures")[0]
    assert f"scrapy dedup restore {NEAR}\n" in out
    assert "dedup restore" not in run("show", HOSTILE)[0]  # what is shown is not its name
    shown = json.loads(run("show", NEAR, "--json")[0])
    assert shown["titles"] == {"page": "A page", "other": "A page"}
    assert shown["difference"]["first"] == ANOTHER_END
    out, _, _ = run("show", EXACT)
    assert "titles     here:  (not kept)\n" in out
    assert "differs    in no sentence\n" in out
    out, _, _ = run("show", FIRST)
    assert "title      A page\n" in out
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
    assert list(raised.value.args[:3]) == [
        "There is no decision about b.exmaple/naer",
        "The most similar URLs are:",
        f"  {NEAR}",
    ]


def test_show_works_without_texts(run, two_runs, tmp_path):
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", two_runs / STORE, store], check=True)
    with open_store(store, map_size=1 << 30) as opened:
        opened.settle([], [1])
    out, _, code = run("show", NEAR, "--store", store)
    assert code == 0
    assert "there: (not kept)" in out
    assert "differs    unknown: the store no longer has one of the texts" in out
    (store / "data.mdb").write_bytes(b"junk" * 5000)
    with pytest.raises(StoreError):
        run("show", NEAR, "--store", store)


def test_stats(run):
    out, _, code = run("stats", "--all-runs")
    runs, hosts, stages, verdicts, changes = (table_rows(part) for part in out.split("\n\n"))
    assert code == 0
    assert [row[:5] for row in runs] == [
        ["run", "spider", "pages", "dropped", "rate"],
        [NEWS, "news", "4", "3", "75.0%"],
        [SHOP, "shop", "2", "1", "50.0%"],
        ["all", "", "6", "4", "66.7%"],
    ]
    assert runs[1][-1] == "exact 2, near 1"
    assert [row[0] for row in hosts] == ["host", "a.example", "b.example", "c.example", "none"]
    assert ["digest", "3", "50%"] in stages
    assert ["unique", "2", "33%"] in verdicts
    assert [row[0] for row in changes] == ["host", "a.example"], "the one that was seen again"
    shown = json.loads(run("stats", "--run", NEWS, "--json")[0])
    sizes = [json.loads(line) for line in run("drops", "--run", NEWS, "--json")[0].splitlines()]
    assert shown["total"]["bytes_saved"] == sum(one["bytes"] for one in sizes)
    assert shown["runs"][0]["hosts"]["b.example"]["dropped"] == {"near": 1}


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
