"""Crawls that meet worse URLs before better ones: the better ones stand for their pages."""

from __future__ import annotations

import pytest

from tests.support.crawling import Job, crawl, crawl_all
from tests.support.texts import article, html

FATE = {"ITEM_PIPELINES": {"pipelines.Fate": 300}}
SHARED = {"DEDUP_SCOPE": "shared"}


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    texts = [html(article(n), f"Page {n}") for n in range(40)]
    dirty = [web.put(f"/{n}?sessionid=a{n}", text) for n, text in enumerate(texts)]
    clean = [web.put(f"/{n}", text) for n, text in enumerate(texts)]
    again = [web.put(f"/{n}?sessionid=b{n}", text) for n, text in enumerate(texts)]
    worse = web.put("/lost?sid=1", html(article(50)))
    better = web.put("/drop-better", html(article(50)))
    copy = web.put("/lost?sid=2", html(article(50)))
    steps = [dirty, clean, again]
    return crawl_all(
        tmp_path_factory.mktemp("survivors"),
        {
            "own store": Job("components:Pages", {"steps": steps}),
            "shared": Job("components:Pages", {"steps": steps}, SHARED),
            "next run": Job("components:Pages", {"steps": [dirty, clean]}, SHARED),
            "first": Job("components:Pages", {"steps": steps}, {"DEDUP_SURVIVOR": "first"}),
            "lost": Job("components:Pages", {"steps": [[worse], [better], [copy]]}, FATE),
        },
    )


@pytest.mark.parametrize("name", ["own store", "shared"])
def test_forty_of_forty_clean_urls_are_kept(crawls, web, name):
    result = crawls[name]
    numbers = range(40)
    assert {*result.paths} == {f"/{n}" for n in numbers} | {f"/{n}?sessionid=a{n}" for n in numbers}
    told = {(web.path(url), web.path(by)) for url, by in result.superseded}
    assert told == {(f"/{n}?sessionid=a{n}", f"/{n}") for n in numbers}
    assert result.dedup["superseded"] == 40
    lines = [line for line in result.journal if "supersedes" in line]
    assert {(line["supersedes"], line["url"]) for line in lines} == {*map(tuple, result.superseded)}
    dropped = {(one["url"], one["original"]) for one in result.judged[80:]}
    assert {(web.path(url), web.path(original)) for url, original in dropped} == {
        (f"/{n}?sessionid=b{n}", f"/{n}") for n in numbers
    }
    assert not result.troubles


def test_the_next_run_knows_which_page_stands(crawls):
    result = crawls["next run"]
    assert (result.paths, result.superseded) == ([], [])
    assert result.dedup["verdict/unchanged"] == 80


def test_the_first_of_forty_stays_if_that_is_wanted(crawls):
    result = crawls["first"]
    assert {*result.paths} == {f"/{n}?sessionid=a{n}" for n in range(40)}
    assert result.superseded == []


def test_a_better_page_that_a_pipeline_drops_replaces_nothing(crawls, web):
    result = crawls["lost"]
    assert result.paths == ["/lost?sid=1"]
    assert [(one["kind"], web.path(one["original"] or "")) for one in result.judged] == [
        ("unique", ""),
        ("exact", "/lost?sid=1"),
        ("exact", "/lost?sid=1"),
    ]
    assert result.superseded == []
    assert not any("supersedes" in line for line in result.journal)


def test_a_page_that_has_moved_takes_the_place_of_the_old_url(web, tmp_path):
    old, new = (web.put(path, html(article(51))) for path in ("/old", "/new"))
    job = Job("components:Pages", {"steps": [[old]]}, SHARED)
    (before,) = crawl(tmp_path, job)
    web.redirects["/old"] = "/new"
    (after,) = crawl(tmp_path, job)
    assert (before.paths, after.paths) == (["/old"], ["/new"])
    assert after.superseded == [[old, new]]


@pytest.mark.parametrize(("spider", "status"), [("Pages", 404), ("NoErrback", 404), ("Pages", 410)])
def test_a_page_that_has_moved_passes_if_its_old_url_is_gone(web, tmp_path, spider, status):
    paths = [f"/{spider}/{status}/{name}" for name in ("old", "new", "copy")]
    old, new, copy = (web.put(path, html(article(52))) for path in paths)
    (before,) = crawl(tmp_path, Job("components:Pages", {"steps": [[old]]}, SHARED))
    web.statuses[paths[0]] = status
    job = Job(f"components:{spider}", {"steps": [[old], [new], [copy]]}, SHARED)
    after, again = crawl(tmp_path, job, job)
    assert (before.paths, after.paths, again.paths) == (paths[:1], paths[1:2], [])
    assert [one["kind"] for one in after.judged] == ["exact", "exact"]
    assert (after.superseded, again.superseded) == ([[old, new]], [])
