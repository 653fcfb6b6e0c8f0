"""Two runs over one store at the same time deliver each page once, and the journals say so."""

from __future__ import annotations

from tests.support.crawling import Job, crawl
from tests.support.patience import PATIENCE
from tests.support.texts import article, html

PAGES = 20


def effective(journal: list[dict]) -> list[dict]:
    """Leave out the decisions that a later line overrules."""
    overruled = {line["overrules"] for line in journal if "overrules" in line}
    return [line for line in journal if line["seq"] not in overruled]


def test_each_page_is_delivered_once(web, tmp_path):
    urls = [web.put(f"/{n}", html(article(n))) for n in range(PAGES)]
    settings = {
        "DEDUP_SCOPE": "shared",
        "DEDUP_COMMIT": "page",
        "DEDUP_PATIENCE": PATIENCE,
        "ITEM_PIPELINES": {"pipelines.SlowFate": 300},
    }
    jobs = [Job("components:Pages", {"steps": [urls]}, settings) for _ in range(2)]
    results = crawl(tmp_path, *jobs, together=True)
    assert sorted(results[0].paths + results[1].paths) == sorted(f"/{n}" for n in range(PAGES))
    drops = 0
    for result in results:
        assert result.troubles == []
        assert "unconfirmed" not in result.dedup
        dropped = [line for line in effective(result.journal) if line["action"] == "drop"]
        assert len(dropped) == result.dedup.get("action/drop", 0) == len(result.dropped)
        drops += len(dropped)
    assert drops == PAGES


def test_a_drop_whose_original_is_not_delivered_in_time_is_overruled(web, tmp_path):
    first = web.put("/first", html(article(1)))
    copy = web.put("/copy", html(article(1)))
    settings = {"ITEM_PIPELINES": {"pipelines.Overtaken": 300}, "DEDUP_PATIENCE": 0.1}
    (result,) = crawl(tmp_path, Job("components:Pages", {"steps": [[first, copy]]}, settings))
    assert len(result.items) == 2
    assert result.dedup["unconfirmed"] == 1
    *_, dropped, passed = result.journal
    assert (dropped["action"], passed["action"]) == ("drop", "pass")
    assert passed["overrules"] == dropped["seq"]
    assert "was not delivered within 0.1 seconds" in passed["reason"]
    assert [line["action"] for line in effective(result.journal)] == ["pass", "pass"]
    assert (result.dedup["action/pass"], result.dedup["action/drop"]) == (2, 0)
