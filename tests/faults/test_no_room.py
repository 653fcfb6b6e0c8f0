"""A disk that is full for a while, or that nobody can write to any more: the crawl goes on."""

from __future__ import annotations

import sys

import pytest

from dedup_middleware.inspect.stores import verify
from dedup_middleware.store import open_reader
from tests.support.crawling import Job, crawl_all
from tests.support.stores import invented
from tests.support.texts import html

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    folder = tmp_path_factory.mktemp("no_room")
    texts = [html([invented(100 * number + part) for part in range(8)]) for number in range(40)]
    urls = [web.put(f"/{number}", text) for number, text in enumerate(texts)]
    # the last step has copies, which are to be found again
    copies = [web.put(f"/copy/{number}", texts[number]) for number in range(8)]
    steps = [*(urls[at : at + 8] for at in range(0, 40, 8)), copies]
    feeds = {"FEEDS": {"%(name)s-%(time)s.jsonl": {"format": "jsonlines"}}}
    ways = {
        "own": {},
        "finish": {"DEDUP_SCOPE": "./s"},
        "page": {"DEDUP_SCOPE": "./p", "DEDUP_COMMIT": "page"},
    }
    jobs = {
        name: Job("vandals:NoRoom", {"steps": steps}, {**way, **feeds})
        for name, way in ways.items()
    }
    jobs |= {
        f"{name}, read-only": Job("vandals:ReadOnly", {"steps": steps}, {**way, **feeds})
        for name, way in (("own", {}), ("finish", {"DEDUP_SCOPE": "./r"}))
    }
    again = {
        f"{name} again": Job("components:Pages", {"steps": steps}, way)
        for name, way in ways.items()
        if way
    }
    return crawl_all(folder, {**jobs, **again})


@pytest.mark.parametrize("name", ["own", "finish", "page"])
def test_a_crawl_judges_again_when_there_is_room(crawls, name):
    result = crawls[name]
    assert {f"/{number}" for number in range(40)} <= {*result.paths}
    # more than once where a small page still had room
    assert result.dedup["store_errors"] == result.dedup["store_recoveries"] >= 1
    assert result.dedup["unjudged"] >= 8
    assert len(result.troubles) == result.dedup["store_errors"]
    assert all("the crawl goes on" in trouble for trouble in result.troubles)
    assert any("The store works again" in text for _, text in result.log)
    assert len(result.dropped) >= 1, "copies of what it knew before"
    with open_reader(result.folder / result.dedup["store"]) as reader:
        assert not verify(reader, lambda _: None).found


@pytest.mark.parametrize("name", ["finish", "page"])
def test_what_it_could_register_is_known_to_the_next(crawls, name):
    first, second = crawls[name], crawls[f"{name} again"]
    assert len(second.paths) < 40
    assert {*second.paths} | {*first.paths} >= {f"/{number}" for number in range(40)}


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("name", ["own", "finish"])
def test_no_page_is_lost_where_the_store_can_only_be_read(crawls, name):
    result = crawls[f"{name}, read-only"]
    assert {f"/{number}" for number in range(40)} <= {*result.paths}
    assert result.dedup["store_errors"] >= 1
    assert result.dedup["unjudged"] >= 8
    assert "the crawl goes on" in result.troubles[0]
    with open_reader(result.folder / result.dedup["store"]) as reader:
        assert not verify(reader, lambda _: None).found
