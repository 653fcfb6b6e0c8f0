"""Requests that are never sent: what is skipped, what is not, and that no page is lost by it."""

from __future__ import annotations

import json
import secrets
import signal
import sqlite3
import sys

import pytest

from tests.support.crawling import RUNNERS, Job, crawl, crawl_one, scrapy, start
from tests.support.patience import PATIENCE, wait_until
from tests.support.servers import shared_server
from tests.support.texts import article, html

ON = {"DEDUP_SKIP": "on", "DEDUP_EXPLORE": 0}
PAGES = 8


def put(web, path: str, seed: int, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">more</a>' for link in links)
    return web.put(path, html(article(seed)).replace("</body>", anchors + "</body>"))


@pytest.fixture
def lessons(web):
    """Pages that show a crawl that the parameter `sid` makes no difference."""
    web.asked.clear()
    web.statuses.clear()
    return [put(web, f"/p{n}?sid={s}{n}", n) for s in "ab" for n in range(PAGES)]


def variants(web, path: str, seed: int, *values: str) -> list[str]:
    """Put one page at several URLs of which the first is new to the crawl, too."""
    return [put(web, f"{path}?sid={value}", seed) for value in values]


def run(folder, lessons, *steps, spider="followers:Steps", runner="asyncio", **settings):
    job = Job(spider, {"urls": lessons, "steps": steps}, {**ON, **settings})
    (result,) = crawl(folder, job, runner=runner)
    assert result.troubles == []
    assert result.stats["finish_reason"] == "finished"
    return result


@pytest.fixture(scope="module")
def site(web):
    """A site whose links have session ids: each page links to all others, with another id."""

    def links(first: int) -> list[str]:
        return [f"/s{n}?sid={(first + n) % 5}" for n in range(12)]

    for n in range(12):
        for s in range(5):
            put(web, f"/s{n}?sid={s}", 20 + n, *links(n + s + 1))
    return put(web, "/site", 19, *links(0))


@pytest.mark.parametrize("runner", RUNNERS)
def test_session_ids(web, site, tmp_path, runner):
    modes = ("off", "suggest", "on")
    one = {"CONCURRENT_REQUESTS": 1}
    jobs = [Job("followers:Links", {"urls": [site]}, {**one, "DEDUP_SKIP": mode}) for mode in modes]
    asked, found = {}, {}
    for mode, job in zip(modes, jobs, strict=True):
        web.asked.clear()
        (found[mode],) = crawl(tmp_path, job, runner=runner)
        asked[mode] = web.asked.copy()
        assert found[mode].troubles == []
        assert len(found[mode].items) == 13
    assert len(asked["off"]) == len(asked["suggest"]) == 61
    assert not [name for name in found["off"].dedup if name.startswith(("skip", "sites"))]
    suggested = found["suggest"].dedup
    assert "skip/requests" not in suggested
    assert suggested["skip/suggested"] > 30
    assert suggested["sites/rule"] == 1
    assert suggested["skip/checked"] >= suggested["skip/suggested"]
    assert "skip/wrong" not in suggested
    dedup = found["on"].dedup
    assert len(asked["on"]) + dedup["skip/requests"] == 61
    assert dedup["skip/requests"] == dedup["skip/by/parameter"] > 30
    assert dedup["skip/bytes"] > 0
    assert "skip/released" not in dedup
    assert set(found["on"].seen) <= {"SkippedRequest"}


def test_the_journal_says_what_was_skipped_and_why(web, site, tmp_path):
    one = {**ON, "CONCURRENT_REQUESTS": 1}  # a rule must be learned before all are sent
    result = crawl_one(tmp_path, "followers:Links", urls=[site], settings=one)
    lines = [line for line in result.journal if line["action"] == "skip"]
    assert len(lines) == result.dedup["skip/requests"]
    assert {line["url"] for line in lines}.isdisjoint(one["url"] for one in result.judged)
    for line in lines:
        assert line["verdict"] is None
        assert line["rule"] == "127.0.0.1 parameter sid"
        assert line["original"].startswith(line["url"].partition("sid=")[0])
        assert line["original"] in {one["url"] for one in result.judged}
        assert line["original"] in line["reason"]
    assert "thresholds" in result.journal[0]
    # whoever reads journals is about pages
    store = result.dedup["store"]
    stats = scrapy(tmp_path, "dedup", "stats", "--store", store, "--json")
    assert stats.code == 0
    assert f'"judged":{result.dedup["pages"]},' in stats.log.replace(" ", "")
    commands = (["drops"], ["drops", "--action", "all"], ["drops", "--by", "original"], ["runs"])
    for command in commands:
        shown = scrapy(tmp_path, "dedup", *command, "--store", store)
        assert shown.code == 0
        assert "torn" not in shown.log
        assert "None" not in shown.log
    assert scrapy(tmp_path, "dedup", "store", "verify", "--store", store).code == 0
    last = lines[-1]
    shown = scrapy(tmp_path, "dedup", "show", last["url"], "--store", store)
    assert shown.code == 0
    assert f"original   {last['original']}" in shown.log
    assert f"rule       {last['rule']}" in shown.log
    shown = scrapy(tmp_path, "dedup", "show", last["url"], "--store", store, "--json")
    assert json.loads(shown.log)["skipped"][0]["rule"] == last["rule"]
    report = scrapy(tmp_path, "dedup", "report", "--store", store, "--output", "report.html")
    assert report.code == 0


def test_what_is_always_sent(web, lessons, tmp_path):
    first, *others = variants(web, "/x", 40, *"abcdef")
    options = [
        {"dont_filter": True},
        {"meta": {"dedup": False}},
        {"method": "POST"},
        {"body": "x"},
        {"meta": {"is_start_request": True}},
    ]
    web.pages |= {"/robots.txt": (b"", "text/plain")}
    step = [[url, one] for url, one in zip(others, options, strict=True)]
    result = run(tmp_path, lessons, [first], step)
    assert "skip/requests" not in result.dedup
    assert result.dedup["pages"] + 2 >= len(lessons) + 6 - 2  # POST has no page here


@pytest.mark.parametrize("why", ["status", "callback", "item", "connection"])
def test_what_waits_for_a_page_that_fails_is_sent(web, lessons, tmp_path, why):
    value = {"callback": "broken", "item": "drop"}.get(why, "c")
    first, second = variants(web, "/x", 40, value, "d")
    if why == "status":
        web.statuses[f"/x?sid={value}"] = 500
    elif why == "connection":
        first = [first.replace("127.0.0.1", "127.0.0.1"), {"meta": {"proxy": "http://127.0.0.1:9"}}]
    job = Job(
        "followers:Steps",
        {"urls": lessons, "steps": [[first, second]]},
        {**ON, "ITEM_PIPELINES": {"pipelines.Fate": 300}},
    )
    (result,) = crawl(tmp_path, job)
    assert result.dedup["skip/requests"] == result.dedup["skip/released"] == 1
    assert "/x?sid=d" in result.paths
    assert result.stats["finish_reason"] == "finished"


def test_what_was_skipped_by_a_rule_that_is_refuted_is_sent(web, lessons, tmp_path):
    kept, lost = put(web, "/x?sid=c", 40), put(web, "/x?sid=d", 41)
    one, other = put(web, "/y?sid=c", 42), put(web, "/y?sid=d", 43)
    result = run(tmp_path, lessons, [kept, lost], [one], [[other, {"dont_filter": True}]])
    assert result.dedup["skip/requests"] == result.dedup["skip/released"] == 1
    assert result.dedup["sites/refuted"] == 1
    assert {"/x?sid=c", "/x?sid=d", "/y?sid=c", "/y?sid=d"} <= set(result.paths)
    assert web.asked[-1] == "/x?sid=d"
    assert web.asked.count("/x?sid=d") == 1


def test_exploration_refutes_a_poisoned_rule(web, lessons, tmp_path):
    step = [put(web, f"/x{n}?sid={s}", 40 + 2 * n + (s == "d")) for n in range(20) for s in "cd"]
    result = run(tmp_path, lessons, step, DEDUP_EXPLORE=0.5, CONCURRENT_REQUESTS=1)
    assert result.dedup["sites/refuted"] == 1
    assert result.dedup["skip/wrong"] >= 1
    assert result.dedup.get("skip/requests") == result.dedup.get("skip/released")
    assert {f"/x{n}?sid={s}" for n in range(20) for s in "cd"} <= set(result.paths)


def test_pages_without_items_are_learned_from_too(web, tmp_path):
    web.asked.clear()
    lessons = [put(web, f"/bare{n}?sid={s}{n}", n) for s in "ab" for n in range(PAGES)]
    first, second = variants(web, "/bare", 40, "c", "d")
    result = run(tmp_path, lessons, [first], [second])
    assert result.dedup["skip/requests"] == 1
    assert "skip/released" not in result.dedup


@pytest.mark.parametrize("spider", ["Narrow", "Unkept"])
def test_what_can_not_be_kept_is_sent(web, lessons, tmp_path, spider):
    first, *others = variants(web, "/x", 40, *"cdefghij")
    result = run(tmp_path, lessons, [first], others, spider=f"followers:{spider}")
    dedup = result.dedup
    assert dedup.get("skip/requests", 0) + dedup["skip/unkept"] == len(others)
    assert dedup["skip/unkept"] == len(web.asked) - len(lessons) - 1 > 0


def test_a_paused_job_keeps_what_was_skipped(web, lessons, tmp_path):
    kept, lost = put(web, "/x?sid=c", 40), put(web, "/x?sid=d", 41)
    job = {"JOBDIR": "job"}
    first = Job(
        "followers:Steps",
        {"urls": lessons, "steps": [[kept], [lost], [put(web, "/end", 50)]]},
        {**ON, **job, "DEDUP_CLOSE_AFTER_NEW": PAGES + 2},
    )
    (paused,) = crawl(tmp_path, first)
    assert paused.stats["finish_reason"] == "dedup_close_after_new"
    assert paused.dedup["skip/requests"] == 1
    one, other = put(web, "/y?sid=c", 42), put(web, "/y?sid=d", 43)
    result = run(tmp_path, [], [one], [[other, {"dont_filter": True}]], **job)
    assert result.dedup["skip/released"] == 1
    assert result.paths == ["/y?sid=c", "/y?sid=d", "/x?sid=d"]


def test_a_killed_job_loses_nothing_that_was_skipped(web, lessons, tmp_path):
    first, second = variants(web, "/x", 40, "c", "d")
    third, fourth = variants(web, "/z", 41, "c", "d")
    web.locked.add("/x?sid=c")  # it is on its way when the crawl is killed
    settings = {**ON, "JOBDIR": "job"}
    steps = [[third, fourth], [first, second]]
    job = Job("followers:Steps", {"urls": lessons, "steps": steps}, settings)

    def both_are_skipped() -> bool:
        path = tmp_path / "job/dedup-skipped.sqlite"
        if not path.exists():
            return False
        with sqlite3.connect(path) as database:
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            urls = database.execute("SELECT url FROM requests").fetchall() if tables else []
        database.close()
        return {url for (url,) in urls} >= {second, fourth}

    with start(tmp_path, job) as process:
        wait_until(both_are_skipped)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
    web.locked.clear()
    web.asked.clear()
    result = run(tmp_path, [], **settings)
    assert "/x?sid=d" in web.asked
    assert "/x?sid=d" in result.paths


@pytest.mark.parametrize("settings", [{"DEDUP_SKIP": "off"}, {}, {"DEDUP_DRY_RUN": True}])
def test_a_job_that_does_not_skip_any_more_sends_what_was_skipped(web, lessons, tmp_path, settings):
    first, *others = variants(web, "/x", 40, *(f"c{n}" for n in range(150)))
    job = {"JOBDIR": "job"}
    steps = [[first], others, [put(web, "/end", 50)], [put(web, "/later", 51)]]
    paused = Job(
        "followers:Steps",
        {"urls": lessons, "steps": steps},
        {**ON, **job, "DEDUP_CLOSE_AFTER_NEW": PAGES + 2},
    )
    (result,) = crawl(tmp_path, paused)
    assert result.dedup["skip/requests"] == len(others)
    web.asked.clear()
    settings = {"DEDUP_SKIP": "suggest", **settings, **job}
    for sent in (len(others), 0):
        again = Job("followers:Steps", {}, settings)
        (result,) = crawl(tmp_path, again)
        assert result.troubles == []
        assert result.stats["finish_reason"] == "finished"
        assert result.dedup.get("skip/released", 0) == sent
        said = [text for _, text in result.log if "skipped before are sent" in text]
        assert [text.endswith(f": {sent}") for text in said] == [True] * bool(sent)
    assert sorted(web.asked) == sorted(web.path(url) for url in others)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")
def test_a_queue_that_can_not_be_written_is_emptied(web, lessons, tmp_path):
    first, *others = variants(web, "/x", 40, *(f"c{n}" for n in range(150)))
    other, later = variants(web, "/y", 41, "c", "d")
    steps = [[first], others, [other], [later]]
    result = run(tmp_path, lessons, *steps, spider="vandals:NoRoomToSkip", JOBDIR="job")
    words = "The queue of skipped requests can't be written"
    assert len([text for level, text in result.log if level == "WARNING" and words in text]) == 1
    assert result.dedup["skip/released"] == result.dedup["skip/requests"] == len(others)
    assert sorted(web.asked) == sorted(map(web.path, [*lessons, first, *others, other, later]))


def test_a_long_queue_is_looked_through_in_slices(web, lessons, tmp_path):
    first, *others = variants(web, "/x", 40, "drop", *(f"c{n}" for n in range(250)))
    last = put(web, "/last", 41)
    web.after["/x?sid=drop"] = "/last"  # all others were skipped then
    job = Job(
        "followers:Steps",
        {"urls": lessons, "steps": [[first, *others, last]]},
        {**ON, "ITEM_PIPELINES": {"pipelines.Fate": 300}},
        tells=web.judged_url,
    )
    (result,) = crawl(tmp_path, job)
    assert result.stats["finish_reason"] == "finished"
    assert result.dedup["skip/requests"] == len(others)
    # the page is there when the last of them are looked at
    assert 1 <= result.dedup["skip/released"] <= 200
    assert len(web.asked) == len(lessons) + 2 + result.dedup["skip/released"]
    assert any(path.startswith("/x") for path in result.paths)


def test_a_damaged_queue_stops_the_crawl_with_one_line(tmp_path):
    path = tmp_path / "job/dedup-skipped.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    result = crawl_one(tmp_path, "followers:Links", settings={**ON, "JOBDIR": "job"})
    (trouble,) = result.troubles
    assert trouble.startswith("Can't open the queue of skipped requests job/dedup-skipped.sqlite: ")
    assert result.failure


def test_a_trap_is_demoted_then_left(web, tmp_path):
    web.asked.clear()
    for n in range(400):
        links = f'<a href="/day?n={n + 1}">next</a> <a href="/day?n={n + 7}">week</a>'
        web.put(f"/day?n={n}", f"<h1>Day {n}</h1><p>There are no events on day {n}.</p>{links}")
    others = [f"/other{n}" for n in range(40)]
    for n, path in enumerate(others):
        put(web, path, n + 20, *others[n + 1 : n + 2])
    start_url = put(web, "/start", 19, "/day?n=0", others[0])
    result = crawl_one(tmp_path, "followers:Links", urls=[start_url], settings=ON)
    assert set(others) <= set(web.asked)
    assert len([path for path in web.asked if path.startswith("/day")]) <= 100
    assert result.dedup["sites/trap"] >= 1
    assert result.dedup["skip/demoted"] >= 1
    assert result.dedup["skip/by/trap"] >= 1


def test_a_budget_for_each_shape(web, tmp_path):
    web.asked.clear()
    urls = [put(web, f"/article/{n}", 20 + n) for n in range(10)]
    first = put(web, "/list", 19, *urls)
    result = crawl_one(
        tmp_path, "followers:Links", urls=[first], settings={**ON, "DEDUP_SHAPE_BUDGET": 4}
    )
    assert len(web.asked) == 5
    assert result.dedup["skip/by/budget"] == 6
    assert result.stats["finish_reason"] == "finished"


def test_a_crawl_that_is_swallowed_says_so_once(web, tmp_path):
    urls = [web.put(f"/js/{n}/{n}", "<p>Please enable JavaScript.</p>") for n in range(60)]
    result = crawl_one(tmp_path, "followers:Links", urls=urls)
    warnings = [text for level, text in result.log if level == "WARNING"]
    assert [text for text in warnings if "of" in text and "pages show" in text]
    assert result.dedup["sites/swallowed"] >= 1
    assert result.dedup["sites/wall"] == 1


def test_walls_are_named_in_the_tag(web, tmp_path):
    paths = ["/a/1", "/b/c", "/d?e=f", "/g/h/i", "/j.html", "/k/l-m"]
    form = "<form><input type=password></form><p>Please log in to read on.</p>"
    urls = [web.put(path, f"<html><body>{form}</body></html>") for path in paths]
    steps = [[put(web, "/article", 30)], [web.put("/n/o", form), web.put("/p", form)]]
    job = Job("components:Pages", {"steps": [urls, *steps]}, {})
    (result,) = crawl(tmp_path, job)
    assert [tag.get("cluster") for tag in result.seen[-3:]] == [None, *["a login wall"] * 2]


@pytest.mark.parametrize("place", ["shared", "server"])
def test_a_store_that_crawls_share(web, site, tmp_path, place):
    if place == "server":
        place = f"{shared_server().url}?prefix=s{secrets.token_hex(4)}"
    settings = {**ON, "DEDUP_SCOPE": place, "CONCURRENT_REQUESTS": 1}
    asked = []
    for _ in range(2):
        web.asked.clear()
        result = crawl_one(tmp_path, "followers:Links", urls=[site], settings=settings)
        assert result.troubles == []
        assert len({path.partition("?")[0] for path in web.asked}) == 13, "each page is read"
        asked.append(len(web.asked))
    assert 13 <= asked[1] < asked[0] < 30


@pytest.mark.parametrize("mode", ["suggest", "on"])
@pytest.mark.parametrize("place", ["shared", "server"])
def test_a_store_that_may_have_to_wait_is_never_asked_in_the_event_loop(
    web, lessons, tmp_path, place, mode
):
    if place == "server":
        place = f"{shared_server().url}?prefix=t{secrets.token_hex(4)}"
    step = variants(web, "/x", 40, "c", "d", "e")
    wall = [web.put(f"/{n}/wall?{n}", "<p>Please log in to read on.</p>") for n in range(8)]
    job = Job(
        "followers:Touching",
        {"urls": lessons, "steps": [step[:1], step[1:], wall, [web.url("/gone")]]},
        {**ON, "DEDUP_SKIP": mode, "DEDUP_SCOPE": place, "DEDUP_SHAPE_BUDGET": 50},
    )
    (result,) = crawl(tmp_path, job)
    assert result.stats["finish_reason"] == "finished"
    assert result.dedup["skip/requests" if mode == "on" else "skip/suggested"] == 2
    assert set(result.seen) <= {"dedup", "HttpError", "SkippedRequest"}


def test_without_the_spider_middleware_nothing_is_skipped(web, lessons, tmp_path):
    first, second = variants(web, "/x", 40, "c", "d")
    middlewares = {"dedup_middleware.DedupSpiderMiddleware": None}
    result = run(tmp_path, lessons, [first], [second], SPIDER_MIDDLEWARES=middlewares)
    assert len(web.asked) == len(lessons) + 2
    assert "skip/requests" not in result.dedup


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SKIP", "maybe", "must be one of off, suggest, on, not 'maybe'"),
        ("EXPLORE", 2, "must be from 0 to 1, not 2"),
        ("SHAPE_BUDGET", -1, "must be from 0 to 1e+09, not -1"),
        ("CLOSE_AFTER_NEW", "x", "must be a whole number, not 'x'"),
    ],
)
def test_bad_values_stop_the_crawl(tmp_path, name, value, words):
    result = crawl_one(tmp_path, "followers:Links", settings={f"DEDUP_{name}": value})
    assert result.troubles == [f"DEDUP_{name} {words}"]
    assert result.failure


def test_closed_after_so_many_new_pages(web, tmp_path):
    urls = [put(web, f"/new{n}", 20 + n // 2) for n in range(40)]
    settings = {"DEDUP_CLOSE_AFTER_NEW": 5, "CONCURRENT_REQUESTS": 1}
    result = crawl_one(tmp_path, "followers:Links", urls=urls, settings=settings)
    assert result.stats["finish_reason"] == "dedup_close_after_new"
    assert 5 <= len(result.items) < 10
