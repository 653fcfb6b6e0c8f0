"""What users can say: actions, dry run, meta, links, log, settings, order."""

from __future__ import annotations

import json
import unicodedata

import pytest

from dedup_middleware.inspect.runs import ends_of
from tests.support.crawling import Job, Web, crawl, crawl_all
from tests.support.texts import article, html

SHARED = {"DEDUP_SCOPE": "shared"}
HOSTILE = "http://h.example/\x1b[2J\n\u202egnp.exe\x07" + "x" * 5000


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        web.put("/a", html(article(1)))
        web.put("/a-copy", html(article(1)))
        web.put("/a-news", html(article(1), site="news"))
        # long, so that what is cut off is little, whatever Python's library says
        web.put("/b", html(article(2, 1500)))
        web.put("/b-part", html(article(2, 1500)[:-1]))
        links = {
            "/s": (10, ["/p1"]),
            "/s-copy": (10, ["/p1-copy"]),
            "/p1": (11, []),
            "/p1-copy": (11, ["/deep", "/deeper"]),
            "/deep": (12, []),
            "/deeper": (13, []),
        }
        for path, (seed, hrefs) in links.items():
            anchors = "".join(f'<a href="{href}">more</a>' for href in hrefs)
            web.put(path, html(article(seed)).replace("</body>", anchors + "</body>"))
        web.after["/p1-copy"] = "/p1"
        web.redirects["/moved"] = "/s-copy"
        yield web


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    def steps(*paths):
        return {"steps": [[web.url(path)] for path in paths]}

    odd = ["explode", 0, 7, [], {"near": "explode"}, {"far": "tag"}, {"near": []}, {1: None}]
    copies = [web.put(f"/odd-{n}", html(article(1))) for n in range(len(odd))]
    metas = {
        web.url("/a-copy"): False,
        web.url("/a-news"): {"near": "tag", "exact": "pass"},
        web.url("/b-part"): True,
        **dict(zip(copies, odd, strict=True)),
    }
    text = " ".join(article(30))
    no_pipeline = {"ITEM_PIPELINES": {"dedup_middleware.DedupPipeline": None}}
    keep_first = {
        "ITEM_PIPELINES": {
            "dedup_middleware.plugin.pipeline.DedupPipeline": 800,
            "pipelines.Keep": 100,
        }
    }
    return crawl_all(
        tmp_path_factory.mktemp("control"),
        {
            "tag": Job(
                "components:Pages",
                steps("/a", "/a-copy", "/a-news"),
                {"DEDUP_ACTIONS": {"near": "tag", "exact": "tag"}, "DEDUP_TAG_FIELD": "said"},
            ),
            "drop unique": Job(
                "components:Pages", steps("/a", "/a-copy"), {"DEDUP_ACTIONS": '{"unique": "drop"}'}
            ),
            "shared": Job("components:Pages", steps("/a"), SHARED),
            "dry": Job(
                "components:Pages",
                steps("/b", "/a", "/a-copy", "/b-part"),
                {**SHARED, "DEDUP_DRY_RUN": "true"},
            ),
            "after dry": Job("components:Pages", steps("/b", "/a"), SHARED),
            "meta": Job(
                "components:Pages",
                {
                    "steps": [
                        *steps("/a", "/b", "/a-copy", "/a-news", "/b-part")["steps"],
                        *([url] for url in copies),
                    ],
                    "metas": metas,
                },
            ),
            "follow": Job("components:Follow", steps("/s", "/s-copy"), tells=web.judged_url),
            "not follow": Job(
                "components:Follow",
                {"steps": [[web.url("/s"), web.url("/moved")]]},
                {"DEDUP_FOLLOW_REDUNDANT": False},
                tells=web.judged_url,
            ),
            "not follow list": Job(
                "components:FollowFirst",
                {"steps": [[web.url("/s"), web.url("/s-copy")]]},
                {"DEDUP_FOLLOW_REDUNDANT": False},
                tells=web.judged_url,
            ),
            "warning": Job(
                "components:Pages", steps("/a", "/a-copy"), {"DEDUP_DROP_LOG_LEVEL": "WARNING"}
            ),
            "debug": Job(
                "components:Pages", steps("/a", "/a-copy"), {"DEDUP_DROP_LOG_LEVEL": "DEBUG"}
            ),
            "hostile": Job("items:Texts", {"texts": [(HOSTILE, text), ("x:copy", text)]}),
            "off": Job("components:Pages", steps("/a", "/a-copy"), {"DEDUP_ENABLED": False}),
            "off by text": Job(
                "components:Pages", steps("/a", "/a-copy"), {"DEDUP_ENABLED": "False"}
            ),
            "off without add-on": Job(
                "components:Pages",
                steps("/a", "/a-copy"),
                {
                    "DEDUP_ENABLED": False,
                    "ITEM_PIPELINES": {"dedup_middleware.DedupPipeline": 300},
                    "SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": 300},
                },
                addon=False,
            ),
            "without add-on": Job(
                "components:Pages",
                steps("/a", "/a-copy"),
                {
                    "ITEM_PIPELINES": {"dedup_middleware.DedupPipeline": 300},
                    "SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": 300},
                },
                addon=False,
            ),
            "nothing": Job("components:Pages", steps("/a"), addon=False),
            "no pipeline": Job("components:Pages", steps("/a", "/a-copy"), no_pipeline),
            "keep first": Job("components:Pages", steps("/a", "/a-copy"), keep_first),
            "job 1": Job("components:Pages", steps("/a"), {"JOBDIR": "job"}),
            "job 2": Job("components:Pages", steps("/a", "/a-copy", "/b"), {"JOBDIR": "job"}),
            "folder 1": Job("components:Pages", steps("/a"), {"DEDUP_SCOPE": "my/own store"}),
            "folder 2": Job("components:Full", steps("/a", "/b"), {"DEDUP_SCOPE": "my/own store"}),
        },
    )


def test_no_errors(crawls):
    assert {name: result.troubles for name, result in crawls.items() if result.troubles} == {}
    assert {name: result.failure for name, result in crawls.items() if result.failure} == {}


def test_tag(web, crawls):
    result = crawls["tag"]
    assert result.paths == ["/a", "/a-copy", "/a-news"]
    assert [item.get("said", {}).get("kind") for item in result.items] == [None, "exact", "near"]
    assert result.items[2]["said"]["original"] == web.url("/a")
    assert result.items[2]["said"]["reason"]
    assert result.dedup["items/tagged"] == 2
    assert "items/dropped" not in result.dedup


def test_what_settings_drop_is_no_original(crawls):
    result = crawls["drop unique"]
    assert [drop["class"] for drop in result.dropped] == ["UniquePage", "UniquePage"]
    assert result.dedup["withdrawn"] == 2


def test_dry_run_leaves_the_shared_store_alone(crawls):
    dry, after = crawls["dry"], crawls["after dry"]
    assert dry.paths == ["/b", "/a", "/a-copy", "/b-part"]
    assert [item.get("dedup", {}).get("kind") for item in dry.items] == [
        "unique",
        "unchanged",  # the shared store knows it
        "exact",
        "near",
    ]
    assert "shared" not in dry.dedup["store"]
    assert after.paths == ["/b"]
    assert [drop["class"] for drop in after.dropped] == ["UnchangedPage"]


def test_meta(web, crawls):
    result = crawls["meta"]
    assert result.paths == ["/a", "/b", "/a-copy", "/a-news"]
    assert result.dedup["responses/off"] == 1
    assert "dedup" not in result.items[2]
    assert result.items[3]["dedup"]["kind"] == "near"
    assert result.items[3]["dedup"]["action"] == "tag"
    # rubbish is told and ignored
    warnings = [text for level, text in result.log if level == "WARNING"]
    assert len(warnings) == 8
    assert all("request.meta['dedup']" in text for text in warnings)
    assert len(result.dropped) == 9
    # what callbacks see
    assert [seen and seen["kind"] for seen in result.seen[:5]] == [
        "unique",
        "unique",
        False,
        "near",
        "near",
    ]


def test_signal(web, crawls):
    result = crawls["tag"]
    assert result.judged == [
        {
            "url": web.url(path),
            "kind": kind,
            "original": original and web.url(original),
            "response": web.url(path),
            "spider": "pages",
        }
        for path, kind, original in (
            ("/a", "unique", None),
            ("/a-copy", "exact", "/a"),
            ("/a-news", "near", "/a"),
        )
    ]
    assert [page["response"] for page in crawls["hostile"].judged] == [None, None]


def test_links_of_redundant_pages(crawls):
    assert sorted(crawls["follow"].paths) == ["/deep", "/deeper", "/p1", "/s"]
    assert "links_not_followed" not in crawls["follow"].dedup


@pytest.mark.parametrize("name", ["not follow", "not follow list"])
def test_links_of_redundant_pages_not_followed(web, crawls, name):
    result = crawls[name]
    fetched = {web.path(page["url"]) for page in result.judged}
    assert fetched == {"/s", "/s-copy", "/p1", "/p1-copy"}  # start pages always are
    assert result.dedup["links_not_followed"] == 2
    journal = result.folder / result.dedup["journal"]
    assert ends_of(journal.parent.parent, [journal.stem]) == {journal.stem: ("ended", 2)}


def test_log_level(crawls):
    def levels(name):
        return [level for level, text in crawls[name].log if text.startswith("Dropped: exact copy")]

    assert levels("warning") == ["WARNING"]
    assert levels("debug") == []
    assert levels("job 2") == [], "at DEBUG unless the settings say so"


def test_message_is_short_and_clean(crawls):
    result = crawls["hostile"]
    (drop,) = result.dropped
    assert drop["message"].startswith("exact copy of http://h.example/%1B[2J%0A%E2%80%AEgnp.exe")
    assert len(drop["message"]) < 300
    for _, text in result.log:
        bad = {c for c in text if unicodedata.category(c) in {"Cc", "Cf"}} - {"\n"}
        assert bad == set()
    journal = (result.folder / result.stats["dedup/journal"]).read_bytes()
    assert journal.isascii()
    assert b"\x1b" not in journal


@pytest.mark.parametrize("name", ["off", "off by text", "off without add-on"])
def test_off(crawls, name):
    assert crawls[name].paths == ["/a", "/a-copy"]
    assert crawls[name].dedup == {}


def test_components_without_the_addon(crawls):
    assert crawls["without add-on"].paths == ["/a"]


def test_none_for_the_pipeline(crawls):
    result = crawls["no pipeline"]
    assert result.paths == ["/a", "/a-copy"]
    assert [seen["kind"] for seen in result.seen] == ["unique", "exact"]


def test_own_order(crawls):
    result = crawls["keep first"]
    assert result.paths == ["/a"]
    assert len((result.folder / "kept.txt").read_text().splitlines()) == 2


def test_single_class_settings_stay(crawls):
    assert crawls["tag"].settings == crawls["nothing"].settings


def test_scopes(crawls):
    assert crawls["shared"].paths == ["/a"]
    assert crawls["tag"].dedup["store"] != crawls["meta"].dedup["store"]
    assert crawls["job 1"].paths == ["/a"]
    assert crawls["job 2"].paths == ["/b"]
    assert [drop["class"] for drop in crawls["job 2"].dropped] == [
        "UnchangedPage",
        "ExactDuplicate",
    ]
    assert crawls["job 2"].dedup["store"].startswith("job")
    assert crawls["folder 1"].paths == ["/a"]
    assert crawls["folder 2"].paths == ["/b"]
    folder = crawls["folder 2"].folder
    assert (folder / "my/own store/data.mdb").exists()
    assert len(list((folder / "my/own store/journal").iterdir())) == 2


WRONG = {
    "DEDUP_MAX_LOSS": 7,
    "DEDUP_NEAR": 0.8,
    "DEDUP_MIN_WORDS": "many",
    "DEDUP_ACTIONS": {"near": "explode"},
    "DEDUP_SCOPE": "",
    "DEDUP_DRY_RUN": "perhaps",
    "DEDUP_ENABLED": None,
    "DEDUP_DROP_LOG_LEVEL": "LOUD",
    "DEDUP_ON_STORE_ERROR": "panic",
    "DEDUP_URL_FIELD": 3,
    "DEDUP_FOLLOW_REDUNDNAT": True,
}


def test_wrong_settings_stop_the_crawl(web, tmp_path):
    url = web.url("/a")
    components = {
        "ITEM_PIPELINES": {"dedup_middleware.DedupPipeline": 300},
        "SPIDER_MIDDLEWARES": {"dedup_middleware.DedupSpiderMiddleware": 300},
    }
    (tmp_path / "file").write_text("no store")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "somebody's.txt").write_text("else's")
    jobs = [
        Job("components:Pages", {"steps": [[url]]}, {key: value}) for key, value in WRONG.items()
    ]
    jobs += [
        Job("components:Pages", {"steps": [[url]]}, {**components, "DEDUP_NEAR": 0.8}, addon=False),
        Job("components:Pages", {"steps": [[url]]}, {"DEDUP_SCOPE": "file"}),
        Job("components:Pages", {"steps": [[url]]}, {"DEDUP_SCOPE": "full"}),
    ]
    named = [*WRONG, "DEDUP_NEAR", "file", "full"]
    web.asked.clear()
    for name, result in zip(named, crawl(tmp_path, *jobs), strict=True):
        assert result.failure is not None, name
        assert name in result.failure
        assert result.items == []
    assert web.asked == []


@pytest.mark.parametrize(
    ("settings", "delivered"),
    [
        ({"DEDUP_SCOPE": "run"}, {20}),
        # neither counts for the other until it has ended; one may have a page or two left then
        ({"DEDUP_SCOPE": "shared"}, {*range(15, 21)}),
        ({"DEDUP_SCOPE": "shared", "DEDUP_COMMIT": "page"}, {10}),
        ({"DEDUP_SCOPE": "shared", "DEDUP_RUN": "both"}, {10}),
    ],
    ids=["run", "finish", "page", "one run"],
)
def test_two_spiders_in_one_process(web, tmp_path, settings, delivered):
    urls = [web.put(f"/two/{n}/{copy}", html(article(60 + n))) for n in range(10) for copy in "ab"]
    results = crawl(
        tmp_path,
        Job("components:Pages", {"steps": [urls[::2]]}, settings),
        Job("components:Full", {"steps": [urls[1::2]]}, settings),
        together=True,
    )
    assert [result.troubles for result in results] == [[], []]
    passed = [path.split("/")[2] for result in results for path in result.paths]
    assert set(passed) == {str(n) for n in range(10)}
    assert len(passed) in delivered
    journals = [json.dumps(result.journal) for result in results]
    as_one = "DEDUP_RUN" in settings
    assert (journals[0] == journals[1]) is as_one
    assert all(len(result.journal) == (20 if as_one else 10) for result in results)
