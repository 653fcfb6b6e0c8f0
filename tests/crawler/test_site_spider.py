"""The `site` spider, in real crawls of the demo web."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from crawler.demo import Server, score
from crawler.spiders.arguments import BadArgument, parse
from tests.support.demo import crawl, items, journal, scrapy
from tests.support.patience import PATIENCE

SETTINGS = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": PATIENCE,
    "RETRY_ENABLED": False,
}
FAST = tuple(chain.from_iterable(("-s", f"{name}={value}") for name, value in SETTINGS.items()))
CONCURRENT = 16  # requests at once, at most, whatever their hosts
ALL = ("-a", "max_pages=0", "-a", "max_depth=0")
PAGES = 100


@pytest.fixture
def server():
    with Server(seed=141421, pages=PAGES) as server:
        yield server


def assert_agreement(server: Server, decisions: list[dict]) -> None:
    result = score(server.manifest, decisions)
    assert result.precision == 1, result.disagreements
    assert result.recall >= 0.98, result.disagreements


def pages(server: Server, *without: str) -> set[str]:
    """Return the pages that a crawl of both hosts brings home."""
    return {page.url for page in server.manifest.pages if page.what not in without}


def test_all_pages_of_a_site_are_fetched(server, tmp_path):
    summary = crawl(tmp_path, "site", "-a", f"url={server.url}", *ALL, *FAST)
    decisions = journal(tmp_path)
    assert {one["url"] for one in decisions} == pages(server, "orphan")
    assert_agreement(server, decisions)
    brought = items(tmp_path)
    assert len(brought) == sum(one["action"] != "drop" for one in decisions)
    kept = {one["url"] for one in decisions if "supersedes" in one or one["action"] == "tag"}
    for item in brought:
        assert list(item) == ["url", "html", "title", "language", "fetched", "verdict"]
        assert item["url"] in kept or item["verdict"]["kind"] in {
            *("unique", "contains", "contained", "updated")
        }
        assert item["fetched"][:2] == "20"
    (start,) = (item for item in brought if item["url"] == server.url)
    assert start["language"] == "en"
    assert start["title"]
    assert start["title"] in start["html"]
    assert "Crawl site: finished after" in summary
    assert f"{len(decisions)} pages judged" in summary
    assert "Truth" not in summary


def test_robots_txt_is_respected_and_files_are_skipped(server, tmp_path):
    crawl(tmp_path, "site", "-a", f"url={server.url}", *ALL, *FAST)
    fetched = server.visits
    assert not any("/private/" in url for url in fetched)
    assert fetched[f"{server.url}robots.txt"] >= 1
    assert f"{server.url}x.png" not in fetched  # recognised by its extension
    brought = {item["url"] for item in items(tmp_path)}
    assert not brought & {url for url, _ in server.manifest.others}


def test_site_maps_lead_to_pages_without_links(server, tmp_path):
    orphan = next(page.url for page in server.manifest.pages if page.what == "orphan")
    crawl(tmp_path, "site", "-a", f"url={server.url}", "-a", "sitemap=yes", *ALL, *FAST)
    assert {one["url"] for one in journal(tmp_path)} == pages(server)
    assert server.visits[orphan] == 1


def test_a_given_site_map_adds_no_depth(server, tmp_path):
    where = f"sitemap={server.url}sitemap.xml"
    options = ("-a", "max_depth=1", "-a", "max_pages=0", *FAST)
    crawl(tmp_path, "site", "-a", f"url={server.url}read.me", "-a", where, *options)
    found = {one["url"] for one in journal(tmp_path)}
    mapped = {page.url for page in server.manifest.pages if page.what in {"article", "orphan"}}
    assert mapped <= found


def test_limits_hold(server, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    summary = crawl(one, "site", "-a", f"url={server.url}", "-a", "max_pages=20", *FAST)
    assert "closespider_pagecount" in summary
    # what is no page counts too; responses that were on their way at the limit are kept, and those
    # to requests that Scrapy sends before it comes to close the spider: a second round at most
    assert 20 <= int(re.search(r"(\d+) responses", summary)[1]) <= 20 + 2 * CONCURRENT
    assert 0 < len(journal(one)) <= 20 + 2 * CONCURRENT
    assert len(server.manifest.pages) > 20 + 2 * CONCURRENT, "else the limit was not needed"
    crawl(two, "site", "-a", f"url={server.url}", "-a", "max_depth=1", *FAST)
    assert {item["url"] for item in journal(two)} == {
        page.url for page in server.manifest.pages if page.what in {"index", "list"}
    }


def test_other_sites_are_not_fetched(server, tmp_path):
    arguments = ("-a", f"url={server.url}", "-a", "allowed=example.org")
    crawl(tmp_path, "site", *arguments, *FAST)
    assert {one["url"] for one in journal(tmp_path)} <= {server.url}


def test_a_stopped_crawl_resumes_where_it_was(server, tmp_path):
    start = ("site", "-a", f"url={server.url}", "-a", "max_depth=0", *FAST, "-s", "JOBDIR=job")
    first = crawl(tmp_path, *start, "-a", "max_pages=40")
    half = len(journal(tmp_path))
    assert "closespider_pagecount" in first
    second = crawl(tmp_path, *start, "-a", "max_pages=0")
    assert "Crawl site: finished" in second
    decisions = journal(tmp_path)
    assert half < len(decisions)
    # as in one run: each page once, judged as if there had been no break, none lost
    urls = [one["url"] for one in decisions]
    assert len(urls) == len(set(urls))
    assert set(urls) == pages(server, "orphan")
    assert_agreement(server, decisions)
    assert len(items(tmp_path)) == sum(one["action"] != "drop" for one in decisions)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "url: none is given; say where to start with -a url=https://example.org/"),
        (("url= , ",), "url: none is given"),
        (("url=example.org",), "did you mean https://example.org?"),
        (("url=ftp://example.org/",), "'ftp://example.org/' is not a URL that starts with http"),
        (("url=http://",), "'http://' is not a URL"),
        (("url=http://[1/",), "'http://[1/' is not a URL"),
        (("url=http://a:b/",), "'http://a:b/' is not a URL"),
        (("url=http://a/", "sitemap=maybe"), "sitemap: 'maybe' is not a URL"),
        (("url=http://a/", "max_pages=many"), "max_pages: 'many' is not a whole number"),
        (("url=http://a/", "max_depth=-1"), "max_depth: '-1' is not a whole number"),
        (("url=http://a/", "allowed=http://a/"), "allowed: 'http://a/' is not a domain"),
        (("url=http://a/", "pages=9"), "pages: no such argument; there are url, sitemap,"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(BadArgument) as caught:
        parse(**dict(one.split("=", 1) for one in arguments))
    assert words in str(caught.value)


def test_wrong_arguments_end_with_one_line(tmp_path):
    result = scrapy(tmp_path, "crawl", "site", "-a", "url=example.org")
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("site: url: 'example.org' is not a URL")
    assert not list(tmp_path.rglob("*.jsonl"))


def test_arguments_are_understood():
    given = parse(
        "https://www.example.org/a, http://b.example:8080", "https://c.example/map.xml", "d.example"
    )
    assert given.urls == ("https://www.example.org/a", "http://b.example:8080")
    assert (given.sitemap, given.sitemaps) == (False, ("https://c.example/map.xml",))
    assert given.domains == ("d.example",)
    assert (given.max_pages, given.max_depth) == (None, None)
    usual = parse("https://www.example.org/a,http://b.example:8080", "yes", max_pages="0")
    assert usual.domains == ("example.org", "b.example")
    assert (usual.sitemap, usual.sitemaps, usual.max_pages) == (True, (), 0)
