"""Sub-commands that read journals: `show`, `drops`, `stats`, and journals that are damaged."""

from __future__ import annotations

import errno
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dedup_middleware.errors import NotAStore, StoreError
from dedup_middleware.inspect.lookup import UnknownPage
from dedup_middleware.store import open_store
from tests.support.commands import HOSTILE, table_rows
from tests.support.two_runs import ANOTHER_END, EXACT, FIRST, JOURNALS, NEAR, NEWS, SHOP, STORE


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


def test_show_works_without_the_store_and_without_texts(run, two_runs, tmp_path):
    for path in (two_runs / JOURNALS).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    out, err, code = run("show", NEAR, "--journal", tmp_path / f"{NEWS}.jsonl")
    assert (code, "verdict    near" in out, "titles" in out) == (0, True, False)
    assert err.count("The store is not there, only its journal") == 1
    store = tmp_path / "copy"
    subprocess.run(["cp", "-r", two_runs / STORE, store], check=True)
    with open_store(store, map_size=1 << 30) as opened:
        opened.settle([], [1])
    out, _, code = run("show", NEAR, "--store", store)
    assert code == 0
    assert "there: (not kept)" in out
    assert "differs    unknown: the store no longer has one of the texts" in out
    (store / "data.mdb").write_bytes(b"junk" * 5000)
    out, err, code = run("show", NEAR, "--store", store)
    assert (code, "verdict    near" in out) == (0, True)
    assert "Titles and texts are not shown: " in err


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


def test_journals_of_several_runs_at_once(run, two_runs, tmp_path):
    folder = two_runs / JOURNALS
    both = tmp_path / "both.jsonl"
    torn = b'{"v":1,"seq":7,"ur'
    both.write_bytes(b"".join(path.read_bytes() for path in sorted(folder.iterdir())) + torn)
    out, err, _ = run("stats", "--journal", both, "--json")
    assert [run["run"] for run in json.loads(out)["runs"]] == [NEWS, SHOP]
    assert err == f"{both}:7: torn or not a decision; skipped\n"
    out, err, _ = run("drops", "--journal", both, "--run", SHOP)
    assert [row[2] for row in table_rows(out)] == ["page", FIRST]
    first, second = sorted(folder.iterdir())
    gone = tmp_path / "gone.jsonl"
    given = [word for path in (first, gone, second) for word in ("--journal", path)]
    out, err, _ = run("drops", *given)
    assert len(table_rows(out)) == 1 + 4
    assert err == f"There is no journal {gone}\n"
    with pytest.raises(NotAStore, match="There is no journal"):
        run("drops", "--journal", gone)


def test_bytes_that_are_not_utf8_are_reported_once(run, tmp_path, two_runs):
    folder = two_runs / JOURNALS
    odd = tmp_path / "odd.jsonl"
    line = b'{"url":"\xff","verdict":"near","action":"drop"}\n'
    odd.write_bytes(line + (folder / f"{NEWS}.jsonl").read_bytes() + line)
    for name in (["drops"], ["stats"], ["drops", "--by", "original"]):
        out, err, code = run(*name, "--journal", odd)
        assert (code, bool(out)) == (0, True)
        assert err == f"{odd}:1: torn or not a decision; skipped, and 1 more lines\n"


@pytest.mark.parametrize("name", ["drops", "stats"])
def test_what_stands_in_the_place_of_a_journal_is_no_trouble(run, two_runs, tmp_path, name):
    store = tmp_path / "store"
    shutil.copytree(two_runs / STORE, store)
    before = run(name, "--store", store, "--all-runs")
    journal = store / "journal" / f"{NEWS}.jsonl"
    journal.unlink()
    journal.mkdir()
    assert run(name, "--store", store, "--all-runs") == before


@pytest.mark.parametrize("name", ["drops", "stats", "runs"])
def test_a_journal_that_nobody_may_read_is_one_line(run, two_runs, tmp_path, monkeypatch, name):
    store = tmp_path / "store"
    shutil.copytree(two_runs / STORE / "journal", store / "journal")
    (store / "journal" / f"{SHOP}.jsonl").unlink()
    opened = Path.open

    def refuse(path: Path, *args: object) -> object:
        if path.suffix == ".jsonl":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *args)

    monkeypatch.setattr(Path, "open", refuse)
    said = f"Can't read the journal {store}/journal/{NEWS}.jsonl: Permission denied"
    if name == "runs":
        _, err, code = run(name, "--store", store)
        assert ([line for line in err.splitlines() if "Permission" in line], code) == ([said], 1)
    else:
        with pytest.raises(StoreError, match=re.escape(said)):
            run(name, "--store", store)


@pytest.mark.parametrize("name", ["drops", "stats", "runs", "store"])
def test_without_a_store(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    what = ["info"] if name == "store" else []
    with pytest.raises(NotAStore, match="There is no store under"):
        run(name, *what)
    if name == "runs":
        assert run(name, "--store", tmp_path / "nowhere")[2] == 1
    else:
        with pytest.raises(NotAStore, match=r"There is no (journal|dedup store) in .*nowhere"):
            run(name, *what, "--store", tmp_path / "nowhere")
