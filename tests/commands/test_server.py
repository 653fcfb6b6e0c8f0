"""Sub-commands over a store on a server: they say what they say over a folder."""

from __future__ import annotations

import json
import re
import secrets
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from dedup_middleware import Deduplicator, Page
from dedup_middleware.commands import doctor
from dedup_middleware.errors import SettingError
from tests.support.commands import scrapy, texts
from tests.support.patience import wait_until
from tests.support.servers import shared_server
from tests.support.serving import Server
from tests.support.texts import article, html
from tests.support.two_runs import ARTICLE, FIRST, NEAR, NEWS, SHOP, STORE, fill_with_two_runs

TIMES = re.compile(r"\d+(\.\d+)? ms|\d{4}-\d\d-\d\d[T ][\d:.+]*|\"ms\": ?[\d.]+")


def new_place() -> str:
    return f"{shared_server().url}?prefix=c{secrets.token_hex(4)}"


@pytest.fixture(scope="module")
def url() -> str:
    place = new_place()
    fill_with_two_runs(place)
    return place


@pytest.mark.parametrize(
    "command",
    [
        ("drops", "--all-runs"),
        ("drops", "--run", NEWS, "--json"),
        ("drops", "--by", "original", "--all-runs"),
        ("show", NEAR),
        ("compare", NEAR, FIRST),
    ],
)
def test_commands_say_what_they_say_of_a_folder(run, url: str, command: tuple[str, ...]) -> None:
    said = []
    for store in (STORE, url):
        out, err, code = run(*command, "--store", store)
        assert code == 0
        named = (out + err).replace(f"'{store}'", str(store)).replace(str(store), "STORE")
        said.append(TIMES.sub("", named))
    assert said[0] == said[1]


def test_runs_of_a_server(run, url: str) -> None:
    out, _, code = run("runs", "--store", url, "--json")
    runs = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [(one["run"], one["spider"], one["judged"]) for one in runs] == [
        (NEWS, "news", 4),
        (SHOP, "shop", 2),
    ]
    assert {one["state"] for one in runs} == {"ended"}
    assert {one["store"] for one in runs} == {url}
    assert {one["journal_bytes"] for one in runs} == {None}, "journals are where the crawls ran"
    place = new_place()
    with Deduplicator(place) as dedup:
        dedup.process(Page(url=FIRST, html=html(article(1))))
        assert "alive" in run("runs", "--store", place)[0]


def test_pages_that_were_withdrawn_count_nowhere(run, capsys) -> None:
    place = new_place()
    with Deduplicator(place) as dedup:
        dedup.process(Page(url=FIRST, html=html(article(1))))
        lost = dedup.judge(Page(url=NEAR, html=html(article(2))))
        dedup.settle(withdrawn=[lost.number])
    assert json.loads(run("store", "info", "--store", place, "--json")[0])["pages"] == 1
    options = Namespace(json=False)
    doctor.run(options, Settings({"DEDUP_SCOPE": place}))
    assert ", 1 different page" in capsys.readouterr().out


def test_what_a_server_holds(run, url: str) -> None:
    held = json.loads(run("store", "info", "--store", url, "--json")[0])
    assert (held["store"], held["runs"], held["pages"], held["aliases"]) == (url, 2, 2, 3)
    assert held["file_size"] > 1000
    out, _, code = run("store", "info", "--store", url)
    assert (code, "In memory" in out) == (0, True)
    out, _, code = run("store", "verify", "--store", url)
    assert (code, out) == (0, f"Consistent: {url}\n")
    with pytest.raises(SettingError, match="for stores in folders"):
        run("store", "compact", "--store", url)


def test_damage_on_a_server_is_repaired(run) -> None:
    place = new_place()
    fill_with_two_runs(place)
    outlines = f"{{{place.rpartition('=')[2]}}}:outlines"
    shared_server().call("HSET", outlines, b"\0\0\0\1", "junk")
    out, _, code = run("store", "verify", "--store", place)
    assert (code, "texts of pages are missing" in out) == (1, True)
    out, _, code = run("store", "verify", "--store", place, "--repair")
    assert (code, "Repaired" in out) == (0, True)
    with Deduplicator(place) as dedup:
        assert dedup.process(Page(url=FIRST, html=html(ARTICLE))).kind == "unique"


def test_a_restored_page_is_noted_in_the_project(tmp_path: Path, url: str) -> None:
    done = scrapy("restore", NEAR, "--store", url, cwd=tmp_path)
    assert (done.returncode, f"never matches {FIRST}" in texts(done)[0]) == (0, True)
    assert (tmp_path / ".scrapy" / "dedup" / "restored.jsonl").is_file()
    for options in (("--store", url), ()):
        done = scrapy("restore", "--list", *options, cwd=tmp_path)
        assert (done.returncode, NEAR in texts(done)[0]) == (0, True)
    done = scrapy("restore", NEAR, "--undo", "--store", url, cwd=tmp_path)
    assert (done.returncode, "may match" in texts(done)[0]) == (0, True)


def test_runs_and_pages_of_a_server_are_taken_back(run) -> None:
    place = new_place()
    fill_with_two_runs(place)
    out, _, code = run("runs", "diff", NEWS, SHOP, "--store", place)
    assert (code, "\nnew\t" in out) == (0, True)
    out, _, code = run("forget", FIRST, "--store", place)
    assert (code, out) == (0, f"Forgot 1 page, 3 copies at\n  {FIRST}\n")
    out, _, code = run("runs", "discard", SHOP, "--store", place)
    assert (code, "pass again" in out) == (0, True)
    assert json.loads(run("store", "info", "--store", place, "--json")[0])["pages"] == 0


def test_a_server_without_a_store_is_told(tmp_path: Path) -> None:
    place = f"{shared_server().url}?prefix=nothing"
    done = scrapy("drops", "--store", place, cwd=tmp_path)
    assert (done.returncode, texts(done)[1]) == (1, f"There is no dedup store in {place}\n")
    done = scrapy("drops", "--store", "mysql://x", cwd=tmp_path)
    assert done.returncode == 2
    assert "redis://" in texts(done)[1]


def test_a_scan_and_its_report(tmp_path: Path) -> None:
    place = new_place()
    fill_with_two_runs(place)
    (tmp_path / "a.html").write_text(html(ARTICLE))
    done = scrapy("scan", "a.html", "--store", place, cwd=tmp_path)
    assert (done.returncode, "exact" in texts(done)[0]) == (0, True)
    assert re.search(r"Journal +in the store, run \d{8}T", texts(done)[0]), "it names its journal"
    done = scrapy("report", "--store", place, "--all-runs", "--output", "r.html", cwd=tmp_path)
    assert done.returncode == 0, texts(done)
    assert (tmp_path / "r.html").stat().st_size > 10_000
    done = scrapy("stats", "--store", place, "--all-runs", cwd=tmp_path)
    assert (done.returncode, "near" in texts(done)[0]) == (0, True)


def test_the_viewer_shows_what_comes(tmp_path: Path) -> None:
    place = new_place()
    fill_with_two_runs(place)
    server = Server(tmp_path, "--port", "0", "--store", place)
    try:
        assert server.info["store"] == place
        rows = server.rows()
        assert len(rows["columns"]["url"]) == 6
        new = "https://new.example/"
        with Deduplicator(place) as dedup:
            dedup.process(Page(url=new, html=html(ARTICLE)))
        wait_until(lambda: new in server.rows()["columns"]["url"])
    finally:
        server.stop()
