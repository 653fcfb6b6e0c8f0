"""No page is lost from both sides: what is not delivered makes no other page vanish."""

from __future__ import annotations

import signal
from itertools import chain

import pytest

from tests.support.crawling import RUNNERS, Job, crawl, crawl_all, start
from tests.support.patience import PATIENCE, wait_until
from tests.support.texts import article, html

FATE = {"ITEM_PIPELINES": {"pipelines.Fate": 300}}
SHARED = {"DEDUP_SCOPE": "shared"}


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    lost = [web.put(f"/{fate}-{n}", html(article(n))) for n, fate in enumerate(("drop", "raise"))]
    copies = [web.put(f"/copy-{n}", html(article(n))) for n in range(2)]
    again = [web.put(f"/again-{n}", html(article(n))) for n in range(2)]
    own = [web.put("/drop-own", html(article(2))), web.put("/raise-own", html(article(3)))]
    silent, spoken = (web.put(path, html(article(4))) for path in ("/silent", "/spoken"))
    text = article(6, 4000)
    archive, *posts = (
        web.put(path, html(parts, site=site))
        for path, parts, site in (
            ("/archive", text, "plain"),
            ("/drop-post", text[:20], "plain"),
            ("/post", text[:20], "plain"),
            ("/post-again", text[:20], "plain"),
            ("/post-news", text[:20], "news"),
        )
    )
    fifty = [web.put(f"/fifty-{n}", html(article(5))) for n in range(2)]
    return crawl_all(
        tmp_path_factory.mktemp("loss"),
        {
            "later": Job("components:Pages", {"steps": [lost, copies, again]}, FATE),
            "first run": Job("components:Pages", {"steps": [own]}, {**FATE, **SHARED}),
            "second run": Job("components:Pages", {"steps": [own]}, SHARED),
            "third run": Job("components:Pages", {"steps": [own]}, SHARED),
            "silent": Job("components:Silent", {"steps": [[silent], [spoken], [silent]]}),
            "parts": Job("components:Pages", {"steps": [[url] for url in (archive, *posts)]}, FATE),
            "partly": Job("items:Mixed", {"steps": [[url] for url in fifty]}, FATE),
        },
    )


def test_copies_of_lost_pages_pass(crawls):
    result = crawls["later"]
    assert sorted(result.paths) == ["/copy-0", "/copy-1"]
    assert result.dedup["withdrawn"] == 2
    assert result.dedup["delivered"] == 2
    assert result.stats["item_dropped_reasons_count/DropItem"] == 1
    assert result.stats["item_dropped_reasons_count/ExactDuplicate"] == 2  # of the delivered ones


def test_a_lost_page_passes_in_the_next_run(crawls):
    assert crawls["first run"].paths == []
    assert sorted(crawls["second run"].paths) == ["/drop-own", "/raise-own"]
    assert crawls["second run"].dedup["verdict/unique"] == 2
    assert crawls["third run"].paths == []
    assert crawls["third run"].dedup["verdict/unchanged"] == 2


def test_a_response_without_items_is_no_original(crawls):
    result = crawls["silent"]
    assert result.paths == ["/spoken"]
    assert [page["kind"] for page in result.judged] == ["unique", "unique", "exact"]
    assert result.dedup["withdrawn"] == 1


def test_a_small_part_that_got_through_is_an_original_and_one_that_was_lost_is_not(crawls):
    result = crawls["parts"]
    assert result.paths == ["/archive", "/post"]
    kinds = ["unique", "contained", "contained", "exact", "near"]
    assert [page["kind"] for page in result.judged] == kinds
    assert (result.dedup["delivered"], result.dedup["withdrawn"]) == (2, 1)


def test_one_item_that_got_through_is_enough(crawls):
    result = crawls["partly"]
    assert result.paths == ["/fifty-0"]
    assert result.dedup["delivered"] == 1
    assert "withdrawn" not in result.dedup


def test_a_page_that_the_store_has_and_nobody_follows_is_no_original(web, tmp_path):
    page = web.put("/followed", html(article(80)))
    job = Job(
        "vandals:Unanswered",
        {"steps": [[page]], "registered": [html(article(80))]},
        {"DEDUP_PATIENCE": 0.3},
    )
    (result,) = crawl(tmp_path, job)
    assert result.paths == ["/followed"]
    assert result.dedup["unconfirmed"] == 1


@pytest.mark.parametrize("path", ["/halted", "/held"])
def test_a_page_is_delivered_with_the_last_of_its_items(web, tmp_path, path):
    # the callback has not yielded the second item yet, or a pipeline holds it
    urls = [web.put(path, html(article(90))), web.put("/next", html(article(91)))]
    web.locked.add("/next")
    pipelines = {"pipelines.Gate": 300, "pipelines.Keep": 400}
    settings = {**SHARED, "DEDUP_COMMIT": "page", "ITEM_PIPELINES": pipelines}
    job = Job("items:Halves", {"steps": [urls]}, settings)
    kept = tmp_path / "kept.txt"

    def paths() -> list[str]:
        return [web.path(line) for line in kept.read_text().split()] if kept.exists() else []

    with start(tmp_path, job) as process:
        wait_until(lambda: paths() == [f"{path}/1"])
        web.locked.clear()  # what was delivered is noted when the next page is judged
        wait_until(lambda: "/next/2" in paths())
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    assert len(paths()) == 3
    (tmp_path / "open").touch()
    (result,) = crawl(tmp_path, job)
    assert result.troubles == []
    assert {f"{path}/1", f"{path}/2{'/gate' * (path == '/held')}"} <= {*paths()[3:]}


@pytest.mark.parametrize("runner", RUNNERS)
def test_all_items_of_a_copy_pass_when_its_original_is_lost(web, tmp_path, runner):
    urls = [web.put(path, html(article(30))) for path in ("/drop-all", "/saved")]
    slow = {"ITEM_PIPELINES": {"pipelines.SlowFate": 300}, "CONCURRENT_REQUESTS": 1}
    job = Job("items:Many", {"steps": [urls]}, {**SHARED, **slow})
    (result,) = crawl(tmp_path, job, runner=runner)
    assert result.troubles == []
    assert [item["url"] for item in result.items] == [urls[1]] * 50
    assert [line["action"] for line in result.journal] == ["pass", "drop", "pass"]
    assert result.journal[2]["overrules"] == result.journal[1]["seq"]


@pytest.mark.parametrize(
    "scope",
    [SHARED, {**SHARED, "DEDUP_COMMIT": "page"}, {"JOBDIR": "job"}],
    ids=["finish", "page", "job"],
)
def test_killed_and_resumed(web, tmp_path, scope):
    texts = range(24)
    # some are on their way when the crawl is killed, and others in the pipelines
    on_their_way, in_pipelines = texts[12:18], texts[18:]
    paths = [[f"/kill/{n}/{copy}{'/gate' * (n in in_pipelines)}" for copy in "ab"] for n in texts]
    urls = [[web.put(path, html(article(50 + n))) for path in paths[n]] for n in texts]
    web.locked.update(chain(*(paths[n] for n in on_their_way)))
    steps = [list(chain(*urls[:6])), list(chain(*urls[6:]))]
    pipelines = {"pipelines.Gate": 300, "pipelines.Keep": 400}
    job = Job("components:Pages", {"steps": steps}, {**scope, "ITEM_PIPELINES": pipelines})
    kept = tmp_path / "kept.txt"

    def second_step_is_written() -> bool:
        # decisions are written behind what was delivered before them
        store = tmp_path / ("job" if "JOBDIR" in scope else ".scrapy/dedup/shared")
        journals = [*store.glob("journal/*.jsonl"), *store.glob("dedup/journal/*.jsonl")]
        written = "".join(path.read_text() for path in journals)
        passed = len(kept.read_text().splitlines()) if kept.exists() else 0
        return passed >= 7 and any(url in written for url in steps[1])

    with start(tmp_path, job) as process:
        wait_until(second_step_is_written)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL
    before = kept.read_text().splitlines()
    assert 7 <= len(before) <= 12
    web.locked.clear()
    (tmp_path / "open").touch()
    (result,) = crawl(tmp_path, job)
    assert result.troubles == []
    found = [int(line.split("/")[4]) for line in kept.read_text().splitlines()]
    assert set(found) == set(texts)
    again = found[len(before) :]
    assert sorted(again) == sorted(set(again))
    if scope == SHARED:
        assert set(again) == set(texts), "what a dead run delivered passes again, and once"
    else:
        # what was delivered, and noted at the next judgement, does not come again
        assert not set(range(6)) & set(again)
