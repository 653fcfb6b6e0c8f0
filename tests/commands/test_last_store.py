"""Without `--store`: the store of the last crawl, whatever kind it was; and dry runs."""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.plugin.store_location import last_store, note_last_store
from tests.support.commands import call, on_terminal, scrapy, texts
from tests.support.crawling import Job, Web, crawl
from tests.support.servers import shared_server
from tests.support.texts import article, html

URLS = [f"https://a.example/{name}" for name in ("tides", "tides?print=1")]


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        for at, name in enumerate(("own", "job", "named", "server", "dry")):
            web.put(f"/{name}", html(article(at)))
            web.put(f"/{name}-copy", html(article(at)))
        yield web


def test_it_is_that_of_the_last_crawl(web: Web, tmp_path: Path):
    server = f"{shared_server().url}?prefix=c{secrets.token_hex(4)}"
    scopes = {
        "own": {},
        "job": {"JOBDIR": "jobs/1"},
        "named": {"DEDUP_SCOPE": "../elsewhere/store"},
        "server": {"DEDUP_SCOPE": server},
    }
    folder = tmp_path / "project"
    folder.mkdir()
    for name, settings in scopes.items():
        steps = [[web.url(f"/{name}")], [web.url(f"/{name}-copy")]]
        (result,) = crawl(folder, Job("components:Pages", {"steps": steps}, settings))
        done = scrapy("drops", cwd=folder)
        out, err = texts(done)
        assert [line.split("\t")[2] for line in out.splitlines()[1:]] == [steps[1][0]]
        assert err.startswith("Store: ")
        assert result.dedup["store"].removeprefix("../") in err
        listed = [
            json.loads(one) for one in scrapy("runs", "--json", cwd=folder).stdout.splitlines()
        ]
        assert result.journal[0]["run"] in [one["run"] for one in listed], "wherever its store is"
    note = (folder / ".scrapy/dedup/last-store").read_text()
    assert note == f"{server}\n", "which has no password"


def test_a_scan_that_finds_nothing_is_not_what_one_looks_at_next(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "page.html").write_text(html(article(1)))
    noted = tmp_path / ".scrapy/dedup/last-store"
    scrapy("scan", "page.html", cwd=tmp_path)
    first = noted.read_text()
    assert scrapy("scan", "empty", cwd=tmp_path).returncode == 1
    assert noted.read_text() == first


def test_a_store_that_is_gone_gives_way_to_the_newest(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    project = Path(".scrapy/dedup")
    for name in ("a", "b"):
        with Deduplicator(project / name / "store") as dedup:
            dedup.process(Page(url=f"https://{name}.example/", text="The tide came in. " * 9))
    note_last_store(project, tmp_path / "gone")
    assert last_store(project) == Path("gone")
    assert call("drops", "--action", "all", "--json") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["url"] == "https://b.example/"
    note_last_store(project, project / "a" / "store")
    assert call("drops", "--action", "all", "--json") == 0
    assert json.loads(capsys.readouterr().out)["url"] == "https://a.example/"


def test_a_password_is_not_noted_and_taken_from_the_settings(tmp_path: Path, monkeypatch):
    from dedup_middleware.commands import _stores

    monkeypatch.chdir(tmp_path)
    url = "redis://:secret@10.0.0.5:6379/0?prefix=news"
    note_last_store(Path(".scrapy/dedup"), url)
    assert "secret" not in Path(".scrapy/dedup/last-store").read_text()
    assert _stores.last_used() == "redis://10.0.0.5:6379/0?prefix=news"
    monkeypatch.setattr(_stores, "get_project_settings", lambda: {"DEDUP_SCOPE": url})
    assert _stores.last_used() == url


@pytest.fixture(scope="module")
def dry(tmp_path_factory) -> Path:
    """A folder in which a dry run has found a copy."""
    folder = tmp_path_factory.mktemp("dry")
    with Deduplicator(folder / ".scrapy/dedup/news/store", dry_run=True) as dedup:
        for url in URLS:
            dedup.process(Page(url=url, html=html(article(1))))
    return folder


@pytest.mark.parametrize("command", ["drops", "stats", "show /tides?print=1"])
def test_a_dry_run_is_marked_in_the_first_line(dry: Path, command: str):
    shown, code = on_terminal(dry, *command.split(), columns=80, NO_COLOR="1")
    assert code == 0
    first = shown.splitlines()[0]
    assert first == "Store: .scrapy/dedup/news/store; a dry run: nothing was dropped"
    done = scrapy(*command.split(), "--store", ".scrapy/dedup/news/store", cwd=dry)
    assert first in texts(done)[1], "also where the store is named"


def test_a_dry_run_is_marked_in_other_places(dry: Path):
    out, _ = texts(scrapy("show", "print=1", cwd=dry))
    assert "action     drop, in a real run; this was a dry run, which drops nothing\n" in out
    out, _ = texts(scrapy("runs", cwd=dry))
    assert "\tdry: 1\t" in out
    (run,) = map(json.loads, scrapy("runs", "--json", cwd=dry).stdout.splitlines())
    assert (run["dry_run"], run["drops"]) == (True, 1)
    texts(scrapy("report", "--output", "report.html", cwd=dry))
    page = (dry / "report.html").read_text()
    assert re.search(rf'"dry_runs": ?\["{run["run"]}"\]', page)
