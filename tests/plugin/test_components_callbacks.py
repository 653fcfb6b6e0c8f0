"""Whatever reactor, callback and item type: the same drops."""

from __future__ import annotations

import pytest

from tests.support.crawling import RUNNERS, Job, Web, crawl, crawl_all, crawl_one
from tests.support.texts import article, html

ALONE = {"SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": None}}


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        web.put("/a", html(article(1)))
        web.put("/a-copy", html(article(1)))
        web.put("/a-news", html(article(1), site="news"))
        web.put("/b", html(article(2)))
        web.put("/c", html(article(3)))
        web.put("/c-part", html(article(3)[:-2]))
        yield web


def steps_of(web):
    paths = [["/a", "/b"], ["/a-copy", "/c"], ["/a-news", "/c-part"]]
    return [[web.url(path) for path in step] for step in paths]


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    steps = {"steps": steps_of(web)}
    fields = {"DEDUP_URL_FIELD": "address", "DEDUP_HTML_FIELD": "source"}
    text = " ".join(article(1))
    odd = [
        {"url": "x:4"},
        {"text": text, "url": None},
        {"url": 5, "text": text},
        {"url": "x:6", "text": ["not", "text"]},
        {"url": "", "text": ""},
    ]
    texts = [("x:1", text), ("x:2", text), ("x:3", " ".join(article(2)))]
    named = [{"url": f"x:{n}", "story": text} for n in range(3)]
    return crawl_all(
        tmp_path_factory.mktemp("callbacks"),
        {
            **{name: Job(f"components:{name}", steps) for name in CALLBACKS},
            "types": Job("items:Typed", steps),
            "tagged types": Job(
                "items:Typed", steps, {"DEDUP_ACTIONS": {"exact": "tag", "near": "pass"}}
            ),
            "many": Job("items:Many", steps),
            "many alone": Job("items:ManyFull", steps, {**ALONE, **fields}),
            "alone without pages": Job("components:Pages", steps, ALONE),
            "texts": Job("items:Texts", {"texts": texts, "items": odd}),
            "named texts": Job("items:Texts", {"items": named}, {"DEDUP_TEXT_FIELD": "story"}),
            "no html": Job("components:AnyType", {"steps": [no_html(web)]}),
        },
    )


def no_html(web):
    png = b"\x89PNG\r\n\x1a\n" + bytes(1000)
    return [
        *(web.put(path, b'{"a": 1}', "application/json") for path in ("/j1", "/j2")),
        *(web.put(path, png, "image/png") for path in ("/p1.png", "/p2.png")),
        *(web.put(path, " ".join(article(1)), "text/plain") for path in ("/t1", "/t2")),
        web.put("/rss", b"<rss/>", "text/xml"),
        web.put("/empty", b""),
    ]


CALLBACKS = ("Pages", "AsyncGenerator", "List", "AsyncList", "Single")
DROPS = {"/a-copy": "ExactDuplicate", "/a-news": "NearDuplicate", "/c-part": "NearDuplicate"}


def drops(web, result):
    return {web.path(drop["url"]): drop["class"] for drop in result.dropped}


@pytest.mark.parametrize("runner", RUNNERS)
def test_reactors(web, tmp_path, runner):
    (result,) = crawl(tmp_path, Job("components:Pages", {"steps": steps_of(web)}), runner=runner)
    assert result.troubles == []
    assert result.failure is None
    assert sorted(result.paths) == ["/a", "/b", "/c"]
    assert drops(web, result) == DROPS
    assert result.stats["item_dropped_reasons_count/ExactDuplicate"] == 1
    assert result.stats["item_dropped_reasons_count/NearDuplicate"] == 2
    assert result.dedup["pages"] == 6
    assert result.dedup["items/dropped"] == result.dedup["action/drop"] == 3
    assert result.dedup["delivered"] == 3
    assert result.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("name", CALLBACKS)
def test_callbacks(web, crawls, name):
    result = crawls[name]
    assert result.troubles == []
    assert sorted(result.paths) == ["/a", "/b", "/c"]
    assert drops(web, result) == DROPS
    if name in {"Pages", "AsyncGenerator"}:  # the body runs after the judgement
        kinds = ["exact", "near", "near", "unique", "unique", "unique"]
        assert sorted(seen["kind"] for seen in result.seen) == kinds
    if name == "List":  # has run before
        assert result.seen == [None] * 6


TYPES = ["DataItem", "AttrsItem", "FieldItem", "BareItem", "dict"]


def test_item_types(crawls):
    result = crawls["types"]
    assert result.troubles == []
    assert sorted(item["type"] for item in result.items) == sorted(TYPES * 3)
    assert len(result.dropped) == 15
    assert result.dedup["pages"] == 6


def test_item_types_tagged(web, crawls):
    result = crawls["tagged types"]
    assert result.troubles == []
    assert result.dropped == []
    copies = [item for item in result.items if item["url"].endswith("/a-copy")]
    assert sorted(item["type"] for item in copies) == sorted(TYPES)
    for item in copies:
        if item["type"] != "BareItem":  # has no field for it
            assert item["dedup"]["kind"] == "exact"
            assert item["dedup"]["original"] == web.url("/a")
            assert item["dedup"]["score"] == 1.0
            assert item["dedup"]["action"] == "tag"
    assert not any(item.get("dedup") for item in result.items if item not in copies)


@pytest.mark.parametrize("name", ["many", "many alone"])
def test_fifty_items_share_a_judgement(crawls, name):
    result = crawls[name]
    assert result.troubles == []
    assert result.dedup["pages"] == 6
    assert len(result.judged) == len(result.journal) == 6
    assert len(result.items) == 150
    assert set(result.paths) == {"/a", "/b", "/c"}
    assert len(result.dropped) == result.dedup["items/dropped"] == 150
    assert result.dedup["delivered"] == 3


def test_plain_text(crawls):
    default, named = crawls["texts"], crawls["named texts"]
    assert default.troubles == named.troubles == []
    assert [drop["url"] for drop in default.dropped] == ["x:2"]
    assert [drop["url"] for drop in named.dropped] == ["x:1", "x:2"]


def test_items_without_content_pass_and_are_counted(crawls):
    result = crawls["texts"]
    urls = [str(item["url"]) for item in result.items]
    assert sorted(urls) == ["", "5", "None", "x:1", "x:3", "x:4", "x:6"]
    assert result.dedup["items/without_content"] == 4
    assert result.dedup["without_words"] == 1
    alone = crawls["alone without pages"]
    assert len(alone.items) == alone.dedup["items/without_content"] == 6
    assert "pages" not in alone.dedup


def test_what_is_no_html_passes_untouched(crawls):
    result = crawls["no html"]
    assert result.troubles == []
    assert len(result.items) == 8
    assert result.dedup["responses/not_html"] == 7
    assert result.dedup["pages"] == result.dedup["without_words"] == 1


def test_hundreds_in_flight(web, tmp_path):
    # each text three times: as it is, with a date of edit, and once more; some arrive together
    urls = []
    for number in range(25):
        parts = article(100 + number, 400)
        urls += [
            web.put(f"/flight/{number}", html(parts)),
            web.put(f"/flight/{number}/news", html([*parts, "Last updated on 9 June 2026."])),
            web.put(f"/flight/{number}/copy", html(parts)),
        ]
    many = {"CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 64}
    (flight,) = crawl(tmp_path, Job("items:Many", {"steps": [urls]}, many))
    assert flight.troubles == []
    arrived = [page["url"] for page in flight.judged]
    assert sorted(arrived) == sorted(urls)
    text = {url: url.split("/")[4] for url in urls}
    originals: dict[str, str] = {}
    for page in flight.judged:
        first = originals.setdefault(text[page["url"]], page["url"])
        assert page["original"] == (first if first != page["url"] else None)
    assert len(originals) == flight.dedup["verdict/unique"] == 25
    assert len(flight.items) == 25 * 50
    assert len(flight.dropped) == 50 * 50
    # one at a time, in the order in which they arrived, without a crawl
    from dedup_middleware import Deduplicator, Page

    with Deduplicator(tmp_path / "one-at-a-time") as dedup:
        alone = [
            dedup.process(Page(url=url, html=web.pages[web.path(url)][0], encoding="utf-8"))
            for url in arrived
        ]
    assert [(page["kind"], page["original"]) for page in flight.judged] == [
        (str(verdict.kind), verdict.original) for verdict in alone
    ]


def test_huge_and_hostile_pages_do_no_harm(web, tmp_path):
    paragraph = "".join(f"<p>{text}</p>" for text in article(1, 2000))
    hostile = {
        "/huge": "<html><body>" + paragraph * (3_000_000 // len(paragraph)),
        "/deep": "<div>" * 100_000 + "deep",
        "/wide": "<p>" + "a " * 50_000,
        "/one-word": "<p>" + "x" * 300_000,
        "/nul": "<p>" + "\x00".join(article(1)),
        "/entities": "<p>" + "&#x1F4A9;&#0;&#xD800;&nbsp;" * 10_000,
        "/attributes": "<p " + " ".join(f"a{n}='<'" for n in range(5_000)) + ">text",
        "/comment": "<!--" + "-" * 100_000,
        "/script": "<script>" + "var a = '</p>';" * 10_000,
    }
    urls = [web.put(path, body) for path, body in hostile.items()]
    urls += [
        web.put("/not-utf8", b"<p>" + bytes(range(128, 256)) * 300),
        web.put("/wrong-charset", "<p>Grüße</p>".encode("utf-16"), "text/html; charset=utf-8"),
        web.put("/no-such-charset", b"<p>text</p>", "text/html; charset=klingon"),
        web.put("/plain", html(article(9))),
    ]
    result = crawl_one(tmp_path, "components:Pages", steps=[urls, [web.url("/huge")]])
    assert result.troubles == []
    assert sorted(result.paths) == sorted(web.path(url) for url in urls)
    assert [web.path(drop["url"]) for drop in result.dropped] == ["/huge"]  # the second time
    assert result.dropped[0]["class"] == "UnchangedPage"
