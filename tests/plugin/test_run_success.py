"""A run has succeeded only if every pipeline closed and every feed was stored."""

from __future__ import annotations

import pytest

from dedup_middleware.inspect.runs import runs_of
from tests.support.crawling import RUNNERS, Job, Web, crawl, crawl_all
from tests.support.texts import article, html

PAGES = ["/0", "/1", "/2"]
EARLY, LATE = 10, 900  # our own pipeline is in between


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        for number, path in enumerate(PAGES):
            web.put(path, html(article(number)))
            web.put(f"/odd{path}", html(article(10 + number)))
        yield web


@pytest.fixture(scope="module")
def steps(web):
    return {"steps": [[web.url(path)] for path in PAGES]}


def pipelines(**orders):
    return {"ITEM_PIPELINES": {f"outputs.{name}": order for name, order in orders.items()}}


def feeds(*uris, **settings):
    return {
        "FEED_STORAGES": {"broken": "outputs.BrokenStorage"},
        "FEED_EXPORTERS": {"torn": "outputs.BreaksAtEnd"},
        "FEEDS": {uri: {"format": "jsonlines"} for uri in uris},
        **settings,
    }


def batch(size):
    return {"FEED_EXPORT_BATCH_ITEM_COUNT": size}


FAILURES = {
    "sync, before ours": (pipelines(Database=EARLY), "outputs.Database"),
    "sync, after ours": (pipelines(Database=LATE), "outputs.Database"),
    "async, before ours": (pipelines(AsyncDatabase=EARLY), "outputs.AsyncDatabase"),
    "async, after ours": (pipelines(AsyncDatabase=LATE), "outputs.AsyncDatabase"),
    "at the signal": (pipelines(AtSignal=LATE), "outputs.AtSignal"),
    "others go on": (pipelines(AsyncDatabase=LATE, SlowDatabase=EARLY), "outputs.AsyncDatabase"),
    "feed": (feeds("broken://feed"), "broken://feed"),
    "one of two feeds": (feeds("good.jsonl", "broken://feed"), "broken://feed"),
    "one of two of a kind": (feeds("broken://good", "broken://feed"), "1 of 2 feeds"),
    "batches": (feeds("broken://%(batch_id)d/feed", **batch(2)), "broken://2/feed"),
    "many batches": (feeds("broken://%(batch_id)d", **batch(1)), "3 of 3 feeds"),
    "end of a file": (feeds("torn.jsonl", FEEDS={"torn.jsonl": {"format": "torn"}}), "torn.jsonl"),
    "no file": (feeds("/dev/null/feed.jsonl"), "/dev/null/feed.jsonl"),
    "password": (feeds("broken://ada:secret@feed"), "broken://feed"),
}
"""What is lost in which way, and what the warning names."""
COMMITS = {
    "finish": {},
    "page": {"DEDUP_COMMIT": "page"},
    "job": {"DEDUP_SCOPE": "run"},
}


@pytest.fixture(scope="module")
def failed(steps, tmp_path_factory):
    """Return three crawls for each failure: one that fails, and two that do not."""
    jobs = {}
    for number, (name, (settings, _)) in enumerate(FAILURES.items()):
        store = {"DEDUP_SCOPE": f"./store-{number}"}
        jobs[name, 1] = Job("components:Pages", steps, {**store, **settings})
        jobs[name, 2] = jobs[name, 3] = Job("components:Pages", steps, store)
    return crawl_all(tmp_path_factory.mktemp("failed"), jobs)


def warnings(result):
    found = [text for level, text in result.log if level == "WARNING"]
    return [text for text in found if "DownloadHandler is experimental" not in text]


@pytest.mark.parametrize("name", FAILURES)
def test_pages_of_a_run_whose_output_was_lost_pass_again(failed, name):
    first, second, third = (failed[name, number] for number in (1, 2, 3))
    assert second.paths == PAGES
    assert (third.paths, warnings(third)) == ([], []), "what the second has delivered counts"
    (warning,) = warnings(first)
    assert "don't count and pass again" in warning
    assert FAILURES[name][1] in warning
    assert "secret" not in warning
    assert "\n" not in warning
    (run, *_) = runs_of(first.folder / first.dedup["store"])
    assert f"runs commit {run.name}" in warning
    assert run.state == "discarded", "by the crawl that followed"


@pytest.mark.parametrize("commit", COMMITS)
@pytest.mark.parametrize("lost", ["sync, after ours", "feed"])
def test_pages_that_counted_at_once_pass_again_too(steps, tmp_path, commit, lost):
    store = {"DEDUP_SCOPE": "shared", "JOBDIR": "job", **COMMITS[commit]}
    bad = Job("components:Pages", steps, {**store, **FAILURES[lost][0]})
    good = Job("components:Pages", steps, store)
    first, second, third = crawl(tmp_path, bad, good, good)
    assert len(warnings(first)) == 1
    assert (second.paths, third.paths) == (PAGES, [])


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", ["sync, before ours", "async, after ours", "at the signal"])
def test_whichever_reactor(steps, tmp_path, runner, name):
    store = {"DEDUP_SCOPE": "shared"}
    for settings, paths, number in ((FAILURES[name][0], PAGES, 1), ({}, PAGES, 0), ({}, [], 0)):
        job = Job("components:Pages", steps, {**store, **settings})
        (result,) = crawl(tmp_path, job, runner=runner)
        assert result.paths == paths
        assert len(warnings(result)) == number
        assert all("ConnectionError: the database is gone" in text for text in warnings(result))


@pytest.mark.parametrize(
    ("commit", "lost", "words"),
    [
        ("finish", False, "noted. Its pages don't count and pass again"),
        ("finish", True, "gone; its end could not be noted. Its pages don't count"),
        ("page", False, None),
        ("page", True, "gone; its end could not be noted. Its pages still count"),
    ],
)
def test_a_run_whose_end_could_not_be_noted(steps, tmp_path, commit, lost, words):
    settings = {"DEDUP_SCOPE": "./store", "DEDUP_COMMIT": commit}
    pipeline = FAILURES["sync, after ours"][0] if lost else {}
    (result,) = crawl(tmp_path, Job("vandals:DeleteAtEnd", steps, {**settings, **pipeline}))
    assert result.paths == PAGES
    if words is None:
        assert warnings(result) == [], "they counted before"
    else:
        (warning,) = warnings(result)
        assert words in warning
        assert ("runs discard" if "still" in words else "runs commit") in warning


def test_a_run_that_was_committed_by_hand_counts(steps, tmp_path):
    from dedup_middleware.store import open_reader

    bad = Job("components:Pages", steps, {"DEDUP_SCOPE": "./store", **FAILURES["feed"][0]})
    for commit in ({}, COMMITS["page"]):
        job = Job(bad.spider, bad.arguments, {**bad.settings, **commit})
        (result,) = crawl(tmp_path, job)
        assert result.paths == PAGES
    with open_reader(tmp_path / "store", write=True) as reader:
        (*_, run) = runs_of(tmp_path / "store")
        reader.commit_run(run.name)
    (result,) = crawl(tmp_path, Job("components:Pages", steps, {"DEDUP_SCOPE": "./store"}))
    assert result.paths == []


@pytest.mark.parametrize("spider", ["Stopped", "ClosesItself"])
@pytest.mark.parametrize("fails", [False, True])
def test_how_a_crawl_was_stopped_does_not_matter(steps, tmp_path, spider, fails):
    store = {"DEDUP_SCOPE": "shared"}
    lost = FAILURES["async, after ours"][0] if fails else {}
    first, second = crawl(
        tmp_path,
        Job(f"outputs:{spider}", steps, {**store, **lost}),
        Job("components:Pages", steps, store),
    )
    assert first.stats["finish_reason"] in {"shutdown", "enough"}
    assert first.paths
    assert second.paths == (PAGES if fails else PAGES[len(first.paths) :])


def test_a_run_whose_store_nobody_else_uses_says_nothing(steps, tmp_path):
    """Scrapy has told of the failure, and no later crawl is concerned."""
    (result,) = crawl(tmp_path, Job("components:Pages", steps, FAILURES["sync, after ours"][0]))
    assert result.paths == PAGES
    assert warnings(result) == []


def test_an_extension_that_fails_at_the_end_costs_nothing(steps, tmp_path):
    settings = {"DEDUP_SCOPE": "shared", "EXTENSIONS": {"outputs.Mail": 0}}
    first, second = crawl(tmp_path, *2 * [Job("components:Pages", steps, settings)])
    assert (first.paths, warnings(first), second.paths) == (PAGES, [], [])
    assert len(first.troubles) == 1


def test_a_page_that_a_feed_could_not_write_passes_again(web, tmp_path):
    pages = {"steps": [[web.url(path) for path in (*PAGES, "/odd/0", "/odd/1")]]}
    feed = feeds("other.jsonl", "feed.jsonl", **batch(0))
    first, second, third = crawl(
        tmp_path,
        Job("outputs:Odd", pages, {"DEDUP_SCOPE": "shared", **feed}),
        Job("components:Pages", pages, {"DEDUP_SCOPE": "shared", **feed}),
        Job("components:Pages", pages, {"DEDUP_SCOPE": "shared", **feed}),
    )
    assert (first.dedup["delivered"], first.dedup["withdrawn"]) == (3, 2)
    assert sorted(second.paths) == ["/odd/0", "/odd/1"]
    assert third.paths == []


def test_a_page_that_a_feed_does_not_want_counts(steps, tmp_path):
    settings = {
        "DEDUP_SCOPE": "shared",
        "FEEDS": {
            "%(batch_id)d.jsonl": {"format": "jsonlines", "batch_item_count": 1},
            "some.jsonl": {"format": "jsonlines", "item_filter": "outputs.EveryThird"},
            "none.jsonl": {"format": "jsonlines", "item_classes": ["items.DataItem"]},
        },
    }
    first, second = crawl(tmp_path, *2 * [Job("components:Pages", steps, settings)])
    assert (first.paths, warnings(first)) == (PAGES, [])
    assert second.paths == []
    assert len((tmp_path / "some.jsonl").read_text().splitlines()) == 1, "it was asked thrice"
    assert len([*tmp_path.glob("[0-9]*.jsonl")]) == 3
