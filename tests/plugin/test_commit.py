"""A crawl is a transaction: what it delivered counts for later crawls when it has succeeded.

What happens when it has not is tested in test_run_success.py and test_components_loss.py.
"""

from __future__ import annotations

import pytest

from tests.support.crawling import Job, Web, crawl_all
from tests.support.texts import article, html


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        for number in range(30):
            web.put(f"/{number}", html(article(number)))
        yield web


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    def steps(*numbers):
        return {"steps": [[web.url(f"/{number}")] for number in numbers]}

    def store(name, **settings):
        return {"DEDUP_SCOPE": f"./{name}", **settings}

    feed = {"FEEDS": {"good.jsonl": {"format": "jsonlines"}}}
    job = {"JOBDIR": "job", "CLOSESPIDER_ITEMCOUNT": 2, "CONCURRENT_REQUESTS": 1}
    return crawl_all(
        tmp_path_factory.mktemp("commit"),
        {
            "good feed": Job("components:Pages", steps(0, 1), store("good", **feed)),
            "after good": Job("components:Pages", steps(0, 1), store("good")),
            "paused": Job("components:Pages", steps(0, 1, 2, 3), store("paused", **job)),
            "resumed": Job("components:Pages", steps(0, 1, 2, 3), store("paused", JOBDIR="job")),
            "named": Job("components:Pages", steps(0), store("named", DEDUP_RUN="night-1")),
            "first": Job("components:Pages", steps(0, 1), store("old")),
            "forgets": Job("components:Pages", steps(1), store("old", DEDUP_FORGET={"runs": 1})),
            "after": Job("components:Pages", steps(0, 1), store("old")),
        },
    )


def warnings(result):
    return [text for level, text in result.log if level == "WARNING"]


def test_pages_count_when_the_feed_is_stored(crawls):
    assert crawls["good feed"].paths == ["/0", "/1"]
    assert crawls["after good"].paths == []
    assert warnings(crawls["good feed"]) == []


def test_a_crawl_that_was_stopped_in_order_counts(crawls):
    """Its feeds were closed, whatever the reason was."""
    paused, resumed = crawls["paused"], crawls["resumed"]
    assert paused.stats["finish_reason"] == "closespider_itemcount"
    assert not {*paused.paths} & {*resumed.paths}
    assert {*paused.paths} | {*resumed.paths} == {"/0", "/1", "/2", "/3"}


def test_a_run_has_the_name_that_it_is_given(crawls):
    result = crawls["named"]
    assert result.dedup["journal"].endswith("journal/night-1.jsonl")
    assert {line["run"] for line in result.journal} == {"night-1"}


def test_what_was_not_seen_for_long_is_forgotten(crawls):
    assert crawls["forgets"].paths == []
    assert any("Forgotten" in text and "1 page" in text for _, text in crawls["forgets"].log)
    assert crawls["after"].paths == ["/0"]
