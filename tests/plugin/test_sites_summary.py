"""What a crawl says at its end of whole sites: what was or could be saved, and what was found."""

from __future__ import annotations

import json
import re

import pytest

from dedup_middleware.sites import SiteTally
from dedup_middleware.store import open_reader
from tests.support.crawling import Job, Result, Web, crawl_all, scrapy
from tests.support.texts import article, html

PAGES, VISITORS = 12, 5


@pytest.fixture(scope="module")
def site():
    """A site whose links have session ids: each page links to all others, with another id."""

    def page(seed: int, first: int) -> str:
        links = "".join(
            f'<a href="/s{n}?sid={(first + n) % VISITORS}">more</a>' for n in range(PAGES)
        )
        return html(article(seed)).replace("</body>", f"{links}</body>")

    with Web() as web:
        for number in range(PAGES):
            for visitor in range(VISITORS):
                web.put(f"/s{number}?sid={visitor}", page(20 + number, number + visitor + 1))
        web.put("/site", page(19, 0))
        web.put("/alone", html(article(18)))
        yield web


@pytest.fixture(scope="module")
def crawls(site, tmp_path_factory):
    def job(path: str, **settings):
        settings = {"CONCURRENT_REQUESTS": 1, "DEDUP_EXPLORE": 0.2, **settings}
        return Job("followers:Links", {"urls": [site.url(path)]}, settings)

    return crawl_all(
        tmp_path_factory.mktemp("sites"),
        {
            "off": job("/site", DEDUP_SKIP="off"),
            "suggest": job("/site"),
            "on": job("/site", DEDUP_SKIP="on"),
            "dry": job("/site", DEDUP_SKIP="on", DEDUP_DRY_RUN=True),
            "alone": job("/alone"),
        },
    )


def told(result: Result) -> dict[str, tuple[str, str]]:
    """Return the lines of the summary about sites, by their names."""
    (summary,) = [text for _, text in result.log if re.match(r"Judged [\d,]+ pages? in", text)]
    found = re.findall(r"^  ([a-z ]{10}) +([\d,.%]+)  (.*)$", summary, re.MULTILINE)
    usual = {"passed", "dropped", "would drop", "saved", "unjudged"}
    lines = {name.strip(): (figure, text) for name, figure, text in found}
    assert ("  sites  " in summary) == bool({*lines} - usual)
    return {name: line for name, line in lines.items() if name not in usual}


@pytest.mark.parametrize("name", ["off", "alone"])
def test_nothing_is_said_where_nothing_was_found(crawls, name):
    assert told(crawls[name]) == {}


@pytest.mark.parametrize("name", ["suggest", "dry"])
def test_a_crawl_says_what_it_could_save(crawls, name):
    result = crawls[name]
    lines = told(result)
    figure, text = lines["could skip"]
    assert int(figure) == result.dedup["skip/suggested"] > 10
    assert re.fullmatch(r'requests that bring nothing new, about .* \(DEDUP_SKIP = "on"\)', text)
    assert int(lines["checked"][0]) == result.dedup["skip/checked"]
    assert "hold: no new page, 0.0% (95 %: 0.0% to " in lines["checked"][1]
    assert "missed" not in lines


def test_a_crawl_says_what_it_saved_and_may_have_missed(crawls):
    result = crawls["on"]
    lines = told(result)
    figure, text = lines["not sent"]
    assert int(figure) == result.dedup["skip/requests"] > 10
    assert text.endswith(f": parameter {figure}")
    share, text = lines["missed"]
    assert share == "0.0%"
    high = re.fullmatch(r"of all new pages, as estimated \(95 %: 0\.0% to ([\d.]+)%\)", text)[1]
    assert 0 < float(high) < 100


def test_bytes_are_those_of_pages_of_the_same_shape(crawls):
    result = crawls["on"]
    sizes = [one["bytes"] for one in result.journal if "sid=" in one["url"] and one["verdict"]]
    mean = result.dedup["skip/bytes"] / result.dedup["skip/requests"]
    assert min(sizes) <= mean <= max(sizes)


def test_the_store_keeps_it_with_the_run_and_the_command_lists_the_rule(crawls):
    result = crawls["on"]
    place = result.dedup["store"]
    with open_reader(result.folder / place) as reader, reader.snapshot() as view:
        (run,) = view.runs()
    tally = SiteTally.of_json(run["sites"])
    assert tally.skipped.total() == result.dedup["skip/requests"]
    assert tally.new == PAGES + 1
    listed = scrapy(result.folder, "dedup", "sites", "--store", place, "--json")
    rules = [json.loads(line) for line in listed.log.splitlines() if '"what": "rule"' in line]
    assert [rule["name"] for rule in rules] == ["127.0.0.1 parameter sid"]
