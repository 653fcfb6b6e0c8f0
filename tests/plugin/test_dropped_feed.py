"""`DEDUP_DROPPED_FEED`: dropped items are not gone."""

from __future__ import annotations

import json

import pytest

from tests.support.crawling import Job, crawl, scrapy
from tests.support.texts import article, html


@pytest.fixture(scope="module")
def dropped(web, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dropped")
    texts = {name: html(article(seed)) for seed, name in enumerate("abc")}
    pages = [web.put(f"/{name}", text) for name, text in texts.items()]
    copies = [web.put(f"/{name}-copy", texts[name]) for name in "ac"]
    settings = {
        "DEDUP_DROPPED_FEED": "dropped.jsonl",
        "FEEDS": {"kept.jsonl": {"format": "jsonlines"}},
        "ITEM_PIPELINES": {"pipelines.Fate": 300},  # drops what has /drop in its URL
    }
    unwanted = web.put("/drop-it", html(article(9)))
    steps = [[url] for url in (*pages, *copies, unwanted)]
    (result,) = crawl(folder, Job("components:Pages", {"steps": steps}, settings))
    return result, copies


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_dropped_items_and_no_others_stand_in_the_feed_with_their_verdicts(dropped):
    result, copies = dropped
    items = lines(result.folder / "dropped.jsonl")
    assert [item["url"] for item in items] == copies
    for item in items:
        tag = item["dedup"]
        assert (tag["kind"], tag["action"], tag["url"]) == ("exact", "drop", item["url"])
        assert tag["original"] == item["url"].removesuffix("-copy")
        assert tag["reason"]
    assert len(lines(result.folder / "kept.jsonl")) == 3
    assert result.stats["dedup/items/dropped"] == 2


def test_restore_names_the_line_to_take_back(dropped):
    result, copies = dropped
    option = ("-s", "DEDUP_DROPPED_FEED=dropped.jsonl")
    store = ("--store", result.stats["dedup/store"])
    done = scrapy(result.folder, "dedup", "restore", copies[1], *store, *option)
    assert "  its item: line 2 of dropped.jsonl\n" in done.log
