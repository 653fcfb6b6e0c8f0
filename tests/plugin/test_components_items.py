"""What spiders and pipelines do to items: replace, repeat, freeze, drop; and pages in flight."""

from __future__ import annotations

import pytest

from tests.support.crawling import Job, crawl_all
from tests.support.texts import article, html

EARLY = {"ITEM_PIPELINES": {"pipelines.Replace": 10}}
LATE = {"ITEM_PIPELINES": {"pipelines.Fate": 300}}
SLOW = {"ITEM_PIPELINES": {"pipelines.SlowFate": 300}}
DROPPED = {"ITEM_PIPELINES": {"pipelines.DropAll": 10}}
NO_PIPELINE = {"ITEM_PIPELINES": {"dedup_middleware.DedupPipeline": None}}
ALONE = {"SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": None}}


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    seeds = iter(range(1, 50))

    def pair(first, second):
        text = html(article(next(seeds)))
        return [web.put(first, text), web.put(second, text)]

    def apart(urls):
        return {"steps": [[url] for url in urls]}

    silent = pair("/silent", "/copy")
    web.after["/copy"] = "/silent"
    flying = pair("/drop-it", "/good")
    first = pair("/first", "/first-copy")
    mixed = apart(pair("/mixed", "/mixed-copy"))
    told = pair("/told", "/told-copy")
    weighed = [web.put(f"/kept-{n}", html(article(next(seeds)))) for n in range(5)]
    off = dict.fromkeys(weighed, False)
    nowhere = ["http://127.0.0.1:1/", web.url("/no-such-page")]
    tag = {"DEDUP_ACTIONS": {"exact": "tag"}}
    return crawl_all(
        tmp_path_factory.mktemp("items"),
        {
            "silent": Job("components:SlowlySilent", {"steps": [silent]}, tells=web.judged_url),
            "together": Job("components:Pages", {"steps": [flying]}, SLOW),
            "together alone": Job("components:Full", {"steps": [flying]}, {**SLOW, **ALONE}),
            "apart": Job("components:Pages", apart(flying), SLOW),
            "none": Job("items:Nothing", apart(pair("/silent-none", "/spoken"))),
            "replaced": Job("components:Full", apart(first), EARLY),
            "replaced bare": Job("components:Pages", apart(first), EARLY),
            "repeated": Job("items:Twice", apart(pair("/twice", "/twice-copy"))),
            "errback": Job("components:Errback", {"steps": [nowhere]}),
            "frozen": Job("items:Frozen", apart(pair("/ice", "/ice-copy")), tag),
            "dropped before": Job("items:Watched", {"steps": [weighed]}, DROPPED),
            "dropped before, off": Job(
                "items:Watched", {"steps": [weighed], "metas": off}, DROPPED
            ),
            "no pipeline": Job("items:Watched", {"steps": [weighed]}, NO_PIPELINE),
            "mixed": Job("items:Mixed", mixed, LATE),
            "mixed alone": Job("items:Mixed", mixed, {**LATE, **ALONE}),
            "told dry": Job("components:Pages", apart(told), {"DEDUP_DRY_RUN": True}),
            "told meta": Job(
                "components:Pages", {**apart(told), "metas": {told[1]: {"exact": "tag"}}}
            ),
        },
    )


def test_a_page_without_items_never_makes_another_vanish(crawls):
    # the copy is judged before the first callback has ended
    assert crawls["silent"].paths == ["/copy"]
    assert [page["kind"] for page in crawls["silent"].judged] == ["unique", "exact", "unique"]


@pytest.mark.parametrize("name", ["together", "together alone", "apart"])
def test_items_in_flight_give_the_verdicts_of_one_at_a_time(crawls, name):
    # a later pipeline drops the original while its copy is being judged
    assert crawls[name].paths == ["/good"]


def test_none_is_no_item(crawls):
    assert crawls["none"].paths == ["/spoken"]


@pytest.mark.parametrize("name", ["replaced", "replaced bare"])
def test_an_early_pipeline_may_replace_the_item(crawls, name):
    assert crawls[name].paths == ["/first"]
    assert crawls[name].dedup["delivered"] == 1


def test_one_object_may_be_yielded_often(crawls):
    assert crawls["repeated"].paths == ["/twice"] * 3


def test_items_of_errbacks_pass_quietly(crawls):
    assert len(crawls["errback"].items) == 2
    assert crawls["errback"].troubles == []


def test_items_that_cannot_be_tagged_pass(crawls):
    assert crawls["frozen"].paths == ["/ice", "/ice-copy"]
    assert crawls["frozen"].troubles == []


@pytest.mark.parametrize("name", ["dropped before", "dropped before, off", "no pipeline"])
def test_items_are_not_kept_for_the_whole_crawl(crawls, name):
    assert crawls[name].seen[0] <= 5


@pytest.mark.parametrize("name", ["mixed", "mixed alone"])
def test_a_page_is_delivered_if_one_of_its_items_is(crawls, name):
    result = crawls[name]
    assert result.paths == ["/mixed"]
    assert result.dedup["delivered"] == 1
    assert "withdrawn" not in result.dedup


def test_the_journal_tells_what_was_done(crawls):
    # in a dry run, what a real one would do
    for name, actions in (("told dry", ["pass", "drop"]), ("told meta", ["pass", "tag"])):
        assert crawls[name].paths == ["/told", "/told-copy"]
        assert [entry["action"] for entry in crawls[name].journal] == actions
