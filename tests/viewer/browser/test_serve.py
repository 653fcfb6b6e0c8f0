"""The page of `scrapy dedup serve`, in Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.overrides import restored_in
from tests.support.decisions import add_decisions
from tests.support.patience import PATIENCE
from tests.support.serving import Server
from tests.support.texts import article, html

from .accessibility import check_accessibility
from .chromium import counted, listed, opened
from .pages import ARTICLES, NEW, journal, lines, versions


@pytest.fixture(scope="module")
def own(crawl_folder, tmp_path_factory) -> Path:
    """A folder with a copy of the store, which the tests change."""
    own = tmp_path_factory.mktemp("served")
    shutil.copytree(crawl_folder / "store", own / "store")
    return own


@pytest.fixture(scope="module")
def server(own):
    server = Server(own, "--store", "store")
    try:
        yield server
        assert server.errors == ""
    finally:
        server.stop()


@pytest.fixture
def page(chromium, server, own, monkeypatch):
    monkeypatch.chdir(own)  # where the server runs: restored pages are kept by project
    chromium.open(server.info["url"])
    return chromium


def look_at(page, url):
    page.press("/")
    page.press(url)
    page.wait(
        "const found = document.querySelector('#rows .row:not([hidden]) .c-page');"
        "return found && found.title === arguments[0];",
        url,
    )
    page.press(Keys.ENTER, "j", Keys.ENTER)
    text = opened(page)
    assert page.text("#detail-title").endswith(url)
    return text


def test_evidence_comes_from_the_server_alone(page, server):
    assert NEW in look_at(page, "https://a.example/0/edited")
    assert page.count("#evidence figure svg") == 1
    regions = [one["name"] for one in page.tree() if one["role"] == "region"]
    assert "Matched sentences of both pages by their position" in regions  # the dotplot
    assert all(regions)
    check_accessibility(page)
    requested = [url for url in page.requests() if not url.startswith("about:")]
    assert len(requested) >= 3
    assert all(url.startswith(server.base) for url in requested)


def test_restoring_needs_a_confirmation(page, own):
    url = "https://a.example/3/edited"
    look_at(page, url)
    page.press("r")
    page.wait("return document.querySelector('.prompt button')")
    page.press(Keys.ESCAPE)
    assert page.count(".prompt button") == 0
    assert page.run("return document.getElementById('detail').open")
    page.click("[data-restore]")
    page.click(".prompt button:not(.wrong)")
    assert restored_in(own / "store").all == ()
    page.click("[data-restore]")
    page.click(".prompt .wrong")
    page.wait("return document.querySelector('[data-restore]').disabled")
    (one,) = restored_in(own / "store").all
    assert (one.url, one.original) == (url, "https://a.example/3")
    page.press(Keys.ESCAPE)
    assert [one["action"] for one in listed(page)] == ["restored"]
    page.open(page.driver.current_url)
    look_at(page, url)
    assert page.run("return document.querySelector('[data-restore]').disabled")


def test_nothing_is_changed_without_the_token(page, server, own):
    before = restored_in(own / "store").all
    entry = next(one for one in journal(own / "store") if one["url"].endswith("5/edited"))
    about = {"run": entry["run"], "seq": entry["seq"]}
    send = """
        return fetch("/api/" + arguments[0], {
          method: "POST", headers: { "Content-Type": "application/json", ...arguments[2] },
          body: JSON.stringify(arguments[1]),
        }).then(async (answer) => [answer.status, (await answer.json()).error]);
    """
    for headers in ({}, {"X-Dedup-Token": "x" * 43}):
        status, error = page.run(send, "restore", about, headers)
        assert status == 403
        assert "token" in error
    reads = "return fetch('/api/rows').then((answer) => answer.status)"
    assert page.run(reads) == 403
    assert all("403" in line for line in page.console())
    assert restored_in(own / "store").all == before


def test_other_sites_can_neither_read_nor_frame_the_page(chromium, server, own, tmp_path):
    (tmp_path / "evil.html").write_text("<!doctype html><title>evil</title><p>evil")
    chromium.driver.get((tmp_path / "evil.html").as_uri())
    for path in ("", "api/rows"):
        found = chromium.run(
            "return fetch(arguments[0]).then((one) => one.text(), () => 'refused')",
            f"{server.base}{path}?token={server.token}",  # not even if they knew it
        )
        assert found == "refused"
    framed = chromium.run(
        "return new Promise((go) => { const frame = document.createElement('iframe');"
        "frame.src = arguments[0]; frame.onload = () => go(frame.contentDocument === null);"
        "document.body.append(frame); })",
        server.info["url"],
    )
    assert framed
    assert chromium.console() != []  # the browser reports what it refused


def test_rows_appear_while_another_process_judges(page, own):
    before = journal(own / "store")
    counted(page, f"{len(before)} decisions")
    page.run("window.stays = true")
    page.press("j", "j", "j")
    selected = [one["url"] for one in listed(page) if one["selected"] == "true"]
    assert len(selected) == 1
    (own / "more.jsonl").write_text(lines(range(ARTICLES, ARTICLES + 1)))
    command = [sys.executable, "-m", "scrapy", "dedup", "scan", "more.jsonl", "--store", "store"]
    with subprocess.Popen(
        command, cwd=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as scanning:
        assert scanning.wait(PATIENCE) == 0
    after = journal(own / "store")
    assert len(after) == len(before) + len(versions(ARTICLES)) + 1
    counted(page, f"{len(after)} decisions")
    assert page.run("return window.stays")  # it was not reloaded
    assert page.text("#tiles b") == str(len(after))
    assert [one["url"] for one in listed(page) if one["selected"] == "true"] == selected
    look_at(page, f"https://a.example/{ARTICLES}/edited")


def test_the_page_shows_that_the_server_is_gone(chromium, own):
    server = Server(own, "--store", "store")
    chromium.open(server.info["url"])
    assert chromium.text("#live") == "the run has ended"
    assert server.stop() == 0
    chromium.wait("return document.getElementById('live').textContent.includes('does not respond')")
    assert all("ERR_CONNECTION_REFUSED" in line for line in chromium.console())
    chromium.driver.get("about:blank")  # it would keep polling
    chromium.console()


def test_the_state_of_a_run_and_overruled_decisions(chromium, tmp_path):
    url, store = "https://a.example/copy", tmp_path / "store"
    with ExitStack() as stack:
        dedup = Deduplicator(store, run="crawl-1")
        run = stack.enter_context(ExitStack())
        run.enter_context(dedup)
        for number, name in enumerate(("", "copy", "other")):
            text = html(article(number // 2, 160), "An article")
            dedup.process(Page(url=f"https://a.example/{name}", html=text))
        dedup.settle()
        server = Server(tmp_path, "--store", "store")
        stack.callback(server.stop)
        chromium.open(server.info["url"])
        counted(chromium, "3 decisions")
        assert chromium.text("#live") == "live"
        assert (listed(chromium)[0]["url"], listed(chromium)[0]["action"]) == (url, "dropped")
        chromium.press("j", Keys.ENTER)
        opened(chromium)
        # what a crawl writes when the original was not delivered in time
        (entry,) = (one for one in journal(store) if one["url"] == url)
        add_decisions(store, entry | {"action": "pass", "overrules": entry["seq"]})
        chromium.wait("return !document.getElementById('detail').open")
        assert "overruled" in chromium.text("#announcement")
        counted(chromium, "3 decisions")
        assert {one["url"]: one["action"] for one in listed(chromium)}[url] == "passed"
        tiles = dict(zip(chromium.texts("#tiles dt"), chromium.texts("#tiles b"), strict=True))
        assert (tiles["Pages judged"], tiles["Dropped"]) == ("3", "0")
        run.close()
        ended = "return document.getElementById('live').textContent === 'the run has ended'"
        chromium.wait(ended)
        chromium.driver.get("about:blank")  # it would keep polling
