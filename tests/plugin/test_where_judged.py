"""Where pages are judged: in the event loop or in the thread, always in the order of arrival."""

from __future__ import annotations

import pytest

from tests.support.crawling import RUNNERS, Job, Web, crawl, crawl_all
from tests.support.texts import article, html

LOOP = "MainThread"
LARGE = "<p>" + "a long page of its own " * 30_000


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        for number in range(30):
            web.put(f"/{number}", html(article(number % 15)))
        web.put("/large", LARGE)
        yield web


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    pages = [web.url(f"/{number}") for number in range(30)]
    mixed = [*pages[:10], web.url("/large"), *pages[10:]]
    return crawl_all(
        tmp_path_factory.mktemp("where"),
        {
            "own": Job("components:Where", {"steps": [pages]}),
            "dry": Job("components:Where", {"steps": [pages]}, {"DEDUP_DRY_RUN": True}),
            "job": Job("components:Where", {"steps": [pages]}, {"JOBDIR": "job"}),
            "shared": Job("components:Where", {"steps": [pages]}, {"DEDUP_SCOPE": "shared"}),
            "folder": Job("components:Where", {"steps": [pages]}, {"DEDUP_SCOPE": "./mine"}),
            "method": Job("components:Where", {"steps": [pages]}, {"DEDUP_METHOD": "simhash"}),
            "large": Job("components:Where", {"steps": [mixed]}),
        },
    )


@pytest.mark.parametrize("name", ["own", "dry", "job"])
def test_in_the_event_loop_where_the_store_is_its_own(crawls, name):
    assert crawls[name].troubles == []
    assert {thread for _, thread in crawls[name].seen} == {LOOP}


@pytest.mark.parametrize("name", ["shared", "folder", "method"])
def test_in_the_thread_where_judging_may_have_to_wait(crawls, name):
    assert crawls[name].troubles == []
    assert {thread for _, thread in crawls[name].seen} == {"dedup"}


def test_a_large_page_in_the_thread_and_the_others_not(web, crawls):
    result = crawls["large"]
    assert result.troubles == []
    threads = {web.path(url): thread for url, thread in result.seen}
    assert len(threads) == 31
    assert threads.pop("/large") == "dedup"
    assert set(threads.values()) == {LOOP}


@pytest.mark.parametrize("name", ["own", "shared", "large"])
def test_in_the_order_of_arrival(crawls, name):
    result = crawls[name]
    assert [page["url"] for page in result.judged] == [url for url, _ in result.seen]
    assert [line["url"] for line in result.journal] == [url for url, _ in result.seen]


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_large_page_with_each_event_loop(web, tmp_path, runner):
    urls = [web.url(path) for path in ("/0", "/large", "/1", "/15")]
    (result,) = crawl(tmp_path, Job("components:Where", {"steps": [urls]}), runner=runner)
    assert result.troubles == []
    assert result.dedup["pages"] == 4
    assert len(result.items) == 3
