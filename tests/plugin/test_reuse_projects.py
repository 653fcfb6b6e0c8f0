"""Other people's projects: one line is added, and pages that are already known are dropped."""

from __future__ import annotations

import json
import shutil
from collections import Counter

import pytest

from tests.support.crawling import PROJECTS, Web, scrapy
from tests.support.texts import article, html

LINE = 'ADDONS = {"dedup_middleware.Addon": 500}\n'
PAGES = range(6)


@pytest.fixture(scope="module")
def web():
    """Pages that link to their own copies, one of them in another template."""
    with Web() as web:
        sitemap = []
        for n in PAGES:
            link = f'<nav><a href="/c/{n}">As text</a><a href="/withdrawn/{n}">Old</a></nav></body>'
            page = html(article(n, 500), f"Number {n}").replace("</body>", link)
            sitemap.append(web.put(f"/p/{n}", page))
            site = "plain" if n % 2 else "news"
            sitemap.append(web.put(f"/c/{n}", html(article(n, 500), f"Number {n}", site)))
            if site == "news":  # its sections are no pages
                web.put(f"/c/{n}", web.pages[f"/c/{n}"][0].replace(b"href", b"data-href"))
        links = "".join(f'<a href="/p/{n}">Number {n}</a>' for n in PAGES)
        web.put("/", f"<html><body>{links}</body></html>")
        web.put("/stations.json", "[1, 2, 3]", "application/json")
        locations = "".join(f"<url><loc>{url}</loc></url>" for url in sitemap)
        web.put(
            "/sitemap.xml",
            '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            f"{locations}</urlset>",
            "application/xml",
        )
        yield web


def run(web, folder, project, spider, *options, line=LINE):
    place = folder / project
    shutil.copytree(PROJECTS / project, place)
    with (place / project / "settings.py").open("a") as settings:
        settings.write(line)
    done = scrapy(
        place, "crawl", spider, "-a", f"site={web.url('')}", "-O", "items.jsonl", *options
    )
    feed = place / "items.jsonl"
    lines = feed.read_text().splitlines() if feed.exists() else []
    return done, [json.loads(item) for item in lines]


def numbers(items):
    return Counter(int(item["url"].rpartition("/")[2]) for item in items)


def test_without_the_line(web, tmp_path):
    done, items = run(web, tmp_path, "bookshop", "books", line="")
    assert done.code == 0
    assert numbers(items) == dict.fromkeys(PAGES, 2)
    assert "dedup" not in done.log


def test_crawl_spider(web, tmp_path):
    done, items = run(web, tmp_path, "bookshop", "books")
    assert done.code == 0, done.log
    assert "ERROR" not in done.log
    assert numbers(items) == dict.fromkeys(PAGES, 1)
    assert all("/p/" in item["url"] for item in items)
    assert all(set(item) == {"url", "title"} for item in items)
    assert done.stat("dedup/items/dropped") == 6
    assert (tmp_path / "bookshop/.scrapy/dedup/books").is_dir()


def test_sitemap_spider(web, tmp_path):
    done, items = run(web, tmp_path, "museum", "exhibits")
    assert done.code == 0, done.log
    assert "ERROR" not in done.log
    assert numbers(items) == dict.fromkeys(PAGES, 1)
    assert done.stat("dedup/responses/not_html") == 1
    assert done.stat("dedup/pages") == 12


def test_fifty_items_a_page(web, tmp_path):
    done, items = run(web, tmp_path, "market", "offers")
    assert done.code == 0, done.log
    assert "ERROR" not in done.log
    assert numbers(items) == dict.fromkeys(PAGES, 50)
    assert len({(item["url"], item["number"]) for item in items}) == 300
    assert done.stat("item_dropped_count") == 300


def test_async_callbacks(web, tmp_path):
    done, items = run(web, tmp_path, "weather", "reports")
    assert done.code == 0, done.log
    assert "ERROR" not in done.log
    assert numbers(items) == dict.fromkeys(PAGES, 1)
    assert all(item["stations"] == [1, 2, 3] for item in items)


def test_project_with_parts_of_its_own(web, tmp_path):
    web.asked.clear()
    done, items = run(web, tmp_path, "archive", "records")
    assert done.code == 0, done.log
    # what its pipeline dropped and broke comes from the copies
    assert numbers(items) == dict.fromkeys(PAGES, 1)
    assert {item["url"].partition(web.url(""))[2] for item in items} == {
        "/c/0",
        "/c/1",
        "/p/2",
        "/p/3",
        "/p/4",
        "/p/5",
    }
    assert not any("withdrawn" in path for path in web.asked)
    assert done.stat("own/calls") > 0
    assert done.stat("dedup/withdrawn") == 3  # and the page of links
    assert done.log.count("OWN DROP: near copy of") + done.log.count("OWN DROP: exact copy") == 4
    assert "OwnFingerprinter" in done.log
    assert done.log.count("Traceback") == 1  # of its own pipeline
    assert "KeyError: 'unforeseen'" in done.log


def test_wrong_setting_ends_the_command(web, tmp_path):
    web.asked.clear()
    done, items = run(web, tmp_path, "bookshop", "books", "-s", "DEDUP_MAX_LOSS=7")
    assert done.code != 0
    assert "DEDUP_MAX_LOSS must be from 0 to 1, not 7" in done.log
    assert items == []
    assert web.asked == []
