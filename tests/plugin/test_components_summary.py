"""What a crawl says of itself: now and then while it runs, and at its end."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.support.crawling import RUNNERS, Job, Result, Web, crawl, crawl_all, scrapy
from tests.support.texts import article, html

SETTINGS = {"LOGSTATS_INTERVAL": 0.1}
LOGSTATS = "dedup_middleware.plugin.report"


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        web.put("/a", html(article(1)))
        web.put("/a-news", html(article(1), site="news"))
        web.put("/b", html(article(2)))
        web.put("/b-copy", html(article(2)))
        web.put("/data", b"{}", "application/json")
        yield web


def steps(web: Web, *paths: str) -> dict[str, list[list[str]]]:
    return {"steps": [[web.url(path)] for path in paths]}


ALL = ("/a", "/a-news", "/b", "/b-copy", "/data")
COPIES = [
    {"url": f"https://{host}.example/", "html": html(article(1), site=site)}
    for host, site in (("a", "plain"), ("b", "news"), ("c", "plain"), ("www.b", "news"))
]
OTHER_SITES = "kept though they repeat pages of other sites (DEDUP_CROSS_HOST)"


def logged(web: Web) -> Job:
    """Return a crawl that goes on until it has logged all that was judged."""
    until = {"logger": LOGSTATS, "until": "dropped 2 items"}
    return Job("components:Logged", {**steps(web, *ALL), **until}, SETTINGS)


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    def job(*paths, **settings):
        return Job("components:Pages", steps(web, *(paths or ALL)), settings)

    def without_line(**settings):
        return Job("components:Logged", steps(web, *ALL), settings)

    return crawl_all(
        tmp_path_factory.mktemp("summary"),
        {
            "asyncio": logged(web),
            "dry": job(DEDUP_DRY_RUN=True),
            "silent": without_line(LOGSTATS_INTERVAL=0, DEDUP_SUMMARY="DEBUG"),
            "without line": without_line(
                **SETTINGS, EXTENSIONS={f"{LOGSTATS}.DedupLogStats": None}
            ),
            "without Scrapy's": without_line(
                **SETTINGS, EXTENSIONS={"scrapy.extensions.logstats.LogStats": None}
            ),
            "no page": job("/data"),
            "other sites": Job("items:Texts", {"items": COPIES}),
            "other sites dry": Job("items:Texts", {"items": COPIES}, {"DEDUP_DRY_RUN": True}),
            "other sites dropped": Job(
                "items:Texts", {"items": COPIES}, {"DEDUP_CROSS_HOST": '{"near": "drop"}'}
            ),
            "bug": Job("vandals:Bug", steps(web, "/a", "/b")),
        },
    )


def lines(result: Result) -> list[str]:
    """Find the lines on how much was judged so far."""
    return [text for _, text in result.log if re.match("Judged .*pages/min", text)]


def summary(result: Result) -> list[str]:
    (found,) = [
        (level, text.splitlines())
        for level, text in result.log
        if re.match("Judged (no|[\\d,]+) page", text) and "pages/min" not in text
    ]
    assert found[0] == "INFO"
    assert len(found[1]) <= 10
    return found[1]


@pytest.mark.parametrize("runner", RUNNERS)
def test_the_drop_rate_is_logged_again_and_again(runner, web, crawls, tmp_path):
    if runner == "asyncio":
        result = crawls[runner]
    else:
        (result,) = crawl(tmp_path, logged(web), runner=runner)
    pattern = r"Judged (\d+) pages \(at [\d,]+ pages/min\), dropped (\d+) items \((.+)\)"
    counts = [re.fullmatch(pattern, line).groups() for line in lines(result)]
    assert len(counts) > 1
    assert ("4", "2", "50.0%") in counts
    assert [one[:2] for one in counts] == sorted(one[:2] for one in counts)
    assert not result.troubles


@pytest.mark.parametrize("name", ["silent", "without line", "without Scrapy's"])
def test_no_line_where_none_is_wanted(name, crawls):
    assert lines(crawls[name]) == []
    assert crawls[name].dedup["pages"] == 4


def test_the_end_is_summed_up_in_a_few_lines(crawls):
    result = crawls["asyncio"]
    head, passed, dropped, saved, lost, store, drops, report = summary(result)
    assert re.fullmatch(r"Judged 4 pages in [\d.]+ m?s: 50\.0% passed, 50\.0% dropped", head)
    assert passed.split() == ["passed", "2", "unique", "2", "(50.0%)"]
    assert dropped.split("  ")[-1] == "near 1 (25.0%), exact 1 (25.0%)"
    gone = sum(one["bytes"] for one in result.journal if one["action"] == "drop")
    every = sum(one["bytes"] for one in result.journal)
    assert result.dedup["bytes/dropped"] == gone
    assert result.dedup["bytes/judged"] == every
    assert f" {gone / every:.1%} " in saved
    told = [one["lost"] for one in result.journal if one["action"] == "drop" and "lost" in one]
    words, missing = (sum(one[name] for one in told) for name in ("of", "words"))
    assert (result.dedup["dropped/words"], result.dedup["lost/words"]) == (words, missing)
    assert lost.endswith(
        f" 2 pages dropped; {missing} of their {words:,} words are not in the pages kept"
    )
    place = result.dedup["store"]
    assert store.split() == ["store", place]
    assert drops.endswith(f"scrapy dedup drops --store {place}")
    assert report.endswith(f"scrapy dedup report --store {place} --output dedup-report.html")
    assert 0 < result.dedup["seconds"] < result.stats["elapsed_time_seconds"]
    listed = scrapy(result.folder, *shlex.split(drops)[2:])
    assert all(one["url"] in listed.log for one in result.dropped)


def test_a_dry_run_says_what_would_be(crawls):
    head, *others = summary(crawls["dry"])
    assert head.endswith("50.0% passed, 50.0% would be dropped")
    assert not any("saved" in line for line in others)
    assert others[1].split()[:3] == ["would", "drop", "2"]
    assert others[2].split()[:5] == ["lost", "2", "pages", "would", "be"]


@pytest.mark.parametrize("name", ["other sites", "other sites dry"])
def test_one_line_tells_of_pages_that_repeat_other_sites_and_were_kept(crawls, name):
    lines = summary(crawls[name])
    (told,) = [line for line in lines if "other sites" in line]
    assert told == f"  other sites     1  {OTHER_SITES}"
    assert lines[1].endswith("near 1 (25.0%); 1 tagged")
    assert "exact 2 (50.0%)" in lines[2]  # of another site, and of a sub-domain
    assert crawls[name].dedup["other_sites"] == 1
    assert crawls[name].dedup["action/tag"] == 1


def test_who_wants_it_has_near_copies_of_other_sites_dropped(crawls):
    result = crawls["other sites dropped"]
    assert not any("other sites" in line for line in summary(result))
    assert (result.dedup["other_sites"], result.dedup["action/drop"]) == (0, 3)


def test_nothing_is_summed_up_where_it_is_not_wanted(crawls):
    assert not any("dedup report" in text for _, text in crawls["silent"].log)
    assert crawls["silent"].dedup["bytes/dropped"]


def test_without_a_page_there_is_nothing_to_ask(crawls):
    head, store = summary(crawls["no page"])
    assert head.startswith("Judged no page")
    assert store.split()[0] == "store"
    assert "seconds" not in crawls["no page"].dedup


def test_what_was_not_judged_is_told(crawls):
    result = crawls["bug"]
    found = summary(result)
    assert found[1].split()[:2] == ["unjudged", str(result.dedup["unjudged"])]
