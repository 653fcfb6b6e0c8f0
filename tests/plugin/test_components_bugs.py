"""What was found wrong with the components."""

from __future__ import annotations

import json

from tests.support.crawling import Job, crawl, crawl_one
from tests.support.texts import article, html

ALONE = {"SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": None}}


def test_a_page_whose_item_loses_its_url_is_delivered(tmp_path):
    # else each copy waits until patience ends, and passes
    text = " ".join(article(9))
    result = crawl_one(
        tmp_path,
        "items:Texts",
        settings={"ITEM_PIPELINES": {"pipelines.NoUrl": 300}, "DEDUP_SCOPE": "shared", **ALONE},
        items=[{"url": "x:1", "text": text}],
    )
    assert len(result.items) == 1
    assert result.dedup["delivered"] == 1


def test_items_of_json_pass_though_they_name_a_page(web, tmp_path):
    first, copy = (web.put(path, html(article(10))) for path in ("/p", "/p-copy"))
    api = web.put("/api", json.dumps([first, copy]), "application/json")
    result = crawl_one(tmp_path, "items:Api", steps=[[first], [copy], [api]])
    assert [item["url"] for item in result.items if "rating" in item] == [first, copy]


def test_wishes_hold_when_a_page_is_judged_again(web, tmp_path):
    # it is a copy at first, until its original is lost
    doomed, copy = (web.put(path, html(article(11))) for path in ("/drop-me", "/wish"))
    web.after["/wish"] = "/drop-me"
    (result,) = crawl(
        tmp_path,
        Job(
            "components:Pages",
            {"steps": [[doomed, copy]], "metas": {copy: {"unique": "tag"}}},
            {"ITEM_PIPELINES": {"pipelines.SlowFate": 300}},
            tells=web.judged_url,
        ),
    )
    assert [page["kind"] for page in result.judged] == ["unique", "exact", "unique"]
    assert result.paths == ["/wish"]
    assert result.items[0]["dedup"]["kind"] == "unique"
