"""The store fails in mid-crawl: never silently, and no page is lost."""

from __future__ import annotations

import pytest

from tests.support.crawling import Job, crawl, crawl_all
from tests.support.much import check_finished, in_steps

SMALL = {"DEDUP_MAP_SIZE": 1 << 20}
ROOM_FOR_SOME = {"DEDUP_MAP_SIZE": 3 << 20}  # for more pages than are on their way at once
# so slow that the crawl is not over before the store tells that it is full
SLOW = {"DOWNLOAD_DELAY": 0.05}
STOP = {"DEDUP_ON_STORE_ERROR": "stop", **SLOW}


@pytest.fixture(scope="module")
def crawls(much_web, tmp_path_factory):
    steps = in_steps(much_web)
    shared = {"DEDUP_SCOPE": "shared", "DEDUP_COMMIT": "page"}
    return crawl_all(
        tmp_path_factory.mktemp("trouble"),
        {
            "full": Job("components:Pages", steps, {**ROOM_FOR_SOME, **shared}),
            "full, stop": Job("components:Pages", steps, {**SMALL, **STOP}),
            "full, alone": Job(
                "components:Full",
                steps,
                {
                    **SMALL,
                    **SLOW,
                    "SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": None},
                },
            ),
            "deleted": Job("vandals:Delete", steps),
            "deleted, stop": Job("vandals:Delete", steps, STOP),
            "bug": Job("vandals:Bug", steps),
            "hanging": Job("vandals:Hang", steps),
            "room again": Job("components:Pages", steps, shared),
        },
    )


@pytest.mark.parametrize("name", ["full", "full, alone"])
def test_full_and_going_on(crawls, name):
    result = crawls[name]
    check_finished(result)
    # it is tried again: now and then a page finds room, and the next does not
    assert result.dedup["store_errors"] == len(result.troubles) >= 1
    assert result.dedup["unjudged"] >= 1
    assert result.dedup["pages"] + result.dedup["unjudged"] >= 60
    for trouble in result.troubles:
        assert "DEDUP_MAP_SIZE" in trouble
        assert "goes on" in trouble


def test_a_bug_in_judging(crawls):
    result = crawls["bug"]
    check_finished(result)
    assert result.dedup["pages"] == 10
    assert result.dedup["errors"] == result.dedup["unjudged"] == len(result.troubles) == 50
    assert all("Not judged, passed on" in trouble for trouble in result.troubles)


def test_a_judge_that_hangs(crawls):
    result = crawls["hanging"]
    check_finished(result)
    assert result.dedup["overdue"] == result.dedup["unjudged"] == 40
    assert result.dedup["pages"] == 20, "before, and when it has ended"
    assert len(result.troubles) == 40
    assert all("Not judged within" in trouble for trouble in result.troubles)


def check_stopped(result):
    assert result.stats["finish_reason"] == "dedup_store_error"
    assert result.dedup["store_errors"] == 1
    (trouble,) = result.troubles
    assert "the crawl stops" in trouble
    # what was fetched got through
    assert len(result.items) == len(set(result.paths)) == result.stats["response_received_count"]
    assert len(result.items) < 60


def test_full_and_stopping(crawls):
    check_stopped(crawls["full, stop"])


def test_full_and_stopping_with_the_select_reactor(much_web, tmp_path):
    job = Job("components:Pages", in_steps(much_web), {**SMALL, **STOP})
    (result,) = crawl(tmp_path, job, runner="select")
    check_stopped(result)


def test_room_again(crawls):
    # what the full store remembers as delivered is dropped, all else passes; whether it could be
    # told of any delivery before it was full is a matter of moments
    known = crawls["full"].dedup["pages"]
    result = crawls["room again"]
    assert result.troubles == []
    assert 60 - known <= len(result.items) <= 60
    assert len(result.items) + len(result.dropped) == 60
    assert {drop["class"] for drop in result.dropped} <= {"UnchangedPage"}


@pytest.mark.parametrize("name", ["deleted", "deleted, stop"])
def test_deleted(crawls, name):
    result = crawls[name]
    fetched = result.stats["response_received_count"]
    assert len(result.items) == len(set(result.paths)) == fetched
    if name == "deleted":
        assert fetched == 60
    assert result.dedup["store_errors"] == 1
    assert len(result.troubles) == 1
