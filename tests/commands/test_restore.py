"""`scrapy dedup restore`, with real crawls before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dedup_middleware import NotAStore
from dedup_middleware.judge.overrides import NAME, Overrides
from tests.support.commands import call
from tests.support.crawling import Job, Result, Web, crawl, scrapy
from tests.support.decisions import add_decisions
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")

SCOPES = {
    "run": {},
    "shared": {"DEDUP_SCOPE": "shared"},
    "job": {"JOBDIR": "jobs/1"},
    "method": {"DEDUP_METHOD": "shingles"},
}


class Crawls:
    """In each scope: two pages that are alike and a copy, crawled; one restored; crawled again."""

    def __init__(self, folder: Path, web: Web) -> None:
        self.folder, self.web = folder, web
        for number, scope in enumerate(SCOPES):
            parts = article(20 + number)
            web.put(f"/{scope}/a", html(parts))
            web.put(f"/{scope}/b", html(parts, site="news"))
            web.put(f"/{scope}/c", html([*parts, "Last updated on 3 May 2024"], site="news"))
        self.first = self.crawl("abc", *SCOPES)
        self.restored = {
            scope: scrapy(folder, "dedup", "restore", web.url(f"/{scope}/b"), *self.store(scope))
            for scope in SCOPES
        }
        self.second = self.crawl("abc", *SCOPES)
        self.turned = self.crawl("ba", "run", "shared")

    def crawl(self, order: str, *scopes: str) -> dict[str, Result]:
        jobs = {
            scope: Job(
                "components:Pages",
                {"steps": [[self.web.url(f"/{scope}/{name}")] for name in order]},
                SCOPES[scope],
            )
            for scope in scopes
        }
        return dict(zip(jobs, crawl(self.folder, *jobs.values()), strict=True))

    def store(self, scope: str) -> tuple[str, str]:
        return "--store", self.first[scope].stats["dedup/store"]


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawls]:
    folder = tmp_path_factory.mktemp("restore") / "project"
    folder.mkdir()
    with Web() as web:
        yield Crawls(folder, web)


def names(result: Result) -> str:
    return "".join(path[-1] for path in result.paths)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_restored_page_passes_in_the_next_crawl(crawls: Crawls, scope: str) -> None:
    assert names(crawls.first[scope]) == "a"
    done = crawls.restored[scope]
    assert done.code == 0, done.log
    page, original = (crawls.web.url(f"/{scope}/{name}") for name in "ba")
    assert f"{page}\n  never matches {original} (near, " in done.log
    lasts = scope in {"shared", "job"}  # all others show what they showed, and so are dropped
    assert names(crawls.second[scope]) == ("b" if lasts else "ab")
    notes = {one["url"]: one.get("notes") for one in crawls.second[scope].journal}
    assert notes[page] == [f"a person said it is not {original}"]
    assert not crawls.second[scope].troubles


def test_it_holds_the_other_way_round_and_what_passed_is_then_unchanged(crawls: Crawls) -> None:
    assert names(crawls.turned["run"]) == "ba"
    assert crawls.turned["shared"].dedup["verdict/unchanged"] == 2
    listed = crawls.folder / ".scrapy" / "dedup" / NAME
    assert len(listed.read_bytes().splitlines()) == len(SCOPES)


def test_what_can_not_be_restored(
    crawls: Crawls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url, run = crawls.web.url, crawls.store("run")
    monkeypatch.chdir(crawls.folder)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)

    def says(*arguments: str, code: int) -> str:
        assert call("restore", *arguments) == code
        return "".join(capsys.readouterr())

    kept = url("/run/a")
    log = says(kept, url("/run/x"), url("/run/c"), *run, code=1)
    assert f"{kept} was not dropped: its verdict was unique" in log
    assert f"There is no decision about {url('/run/x')}" in log
    assert f"{url('/run/c')}\n  never matches {kept} (" in log  # the others are done
    log = says(url("/run/c"), "--original", url("/run/b"), *run, code=1)
    assert f"was never dropped for {url('/run/b')}; it was for {kept}" in log
    with pytest.raises(SystemExit, match="2"):
        says(code=0)
    assert "name a page" in capsys.readouterr().err
    for arguments in ([kept], ["--list"]):
        with pytest.raises(NotAStore, match="nowhere"):
            says(*arguments, "--store", "nowhere", code=0)
    listed = [json.loads(line) for line in says("--list", "--json", *run, code=0).splitlines()]
    assert listed[-1]["url"] == url("/run/c")
    assert "may match" in says("/run/c", "--undo", *run, code=0)
    assert "is not restored; --list" in says(url("/run/c"), "--undo", *run, code=1)
    assert f"{url('/run/c')}\n  never matches {kept} (" in says("/run/c", *run, code=0)
    log = says("/run/", *run, code=1)
    assert f"3 URLs have '/run/' in them; name more of one:\n  {kept}\n" in log
    assert "restored pages have '/run/' in their URLs" in says("/run/", "--undo", *run, code=1)
    header, *rows = (line.split("\t") for line in says("--list", *run, code=0).splitlines())
    assert header == ["time", "by", "page", "never matches", "note"]
    assert [url("/run/c"), kept] in [row[2:4] for row in rows]


def test_the_newest_of_several_drops_is_restored(tmp_path: Path) -> None:
    lines = [
        {"url": B, "verdict": "near", "action": "drop", "original": A, "scores": {"known": [0.9]}},
        {"url": B, "verdict": "exact", "action": "drop", "original": C},
        {"url": B, "verdict": "unique", "action": "pass", "original": None},
        {"url": D, "verdict": "unique", "action": "drop", "original": None},
        {"url": A, "verdict": "unchanged", "action": "drop", "original": A},
    ]
    add_decisions(tmp_path / "store", *lines)
    journal = ("--store", "store")
    done = scrapy(tmp_path, "dedup", "restore", "b.example/", D, A, *journal)
    assert done.code == 1
    newest = f"dropped 2 times; the newest drop is restored, for {C}. Name another with --original"
    assert f"{newest}: {A}" in done.log
    assert f"{B}\n  never matches {C} (exact, 1.00) again" in done.log
    assert "change DEDUP_ACTIONS" in done.log
    assert f"{A}\n  passes from now on, even if its text has not changed" in done.log
    done = scrapy(tmp_path, "dedup", "restore", B, "--original", "a.example/", *journal, "--json")
    assert done.code == 0
    assert json.loads(done.log)["original"] == A
    assert Overrides.read(tmp_path / ".scrapy/dedup" / NAME).pairs == [(B, C), (A, A), (B, A)]
