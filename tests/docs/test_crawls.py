"""Crawls with the spiders and settings of the documentation: they do what it says."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.journal import Tally
from dedup_middleware.plugin.delivery import Delivery
from dedup_middleware.plugin.report import summary
from dedup_middleware.verdict import Evidence, Kind, Verdict
from tests.support.commands import on_terminal
from tests.support.documentation import BLOCKS, PYTHON, first_column, page, run
from tests.support.labelled import SYLLABLES
from tests.support.projects.documented.example.web import SITE, TIDES
from tests.support.shop import visit_shop


def test_every_spider_is_crawled(crawls):
    names = {re.search(r'name = "(.*)"', block.text)[1] for block in PYTHON if block.is_spider}
    assert names == set(crawls)
    assert all(crawl.items for crawl in crawls.values())


def test_enable(articles):
    urls = {item["url"] for item in articles.items}
    assert "https://example.org/tides" in urls
    assert not urls & {"https://example.org/tides?print=1", "https://example.org/tides/edited"}
    assert "https://example.org/a.csv" in urls  # only a dropped page links to it


def test_tag_by_request(crawls):
    untouched, tagged = crawls["mixed"].items
    assert untouched["verdict"] is False
    assert tagged["verdict"]["kind"] == "unique"
    assert crawls["mixed"].stats["dedup/responses/off"] == 1


def test_the_tag_is_as_shown(project, crawl):
    (shown,) = [block.text for block in PYTHON if block.text.startswith("tag = ")]
    names: dict[str, Any] = {}
    exec(shown, names)
    verdict = Verdict(Kind.NEAR, "", 1.0, "", Evidence("sentences"))
    tagged = Delivery(b"", verdict=verdict)
    assert list(names["tag"]) == list(tagged.tag)
    assert [*names["tag"]] == first_column(page("meta"), "key")
    assert "`cluster` says what that looks like" in page("meta")
    (dry,) = crawl("articles DEDUP_DRY_RUN=true DEDUP_SCOPE=./never JOBDIR=dry")
    tags = {item["url"]: item["dedup"] for item in dry.items if "dedup" in item}
    assert tags["https://example.org/tides/edited"]["kind"] == names["tag"]["kind"]
    assert {tag["action"] for tag in tags.values()} == {"drop", "pass"}
    assert not (project / "never").exists()
    assert not (project / "dry" / "dedup").exists()


def test_items_are_judged_by_their_fields(crawls):
    links = [story["link"] for story in crawls["stories"].items]
    assert links == ["https://example.org/stories/1", "https://example.org/stories/3"]


def test_pages(crawls, crawl):
    assert crawls["prices"].stats["dedup/verdict/near"] == 1
    assert "dedup/items/dropped" not in crawls["prices"].stats  # the callback saw it first
    assert "https://example.org/tides is unique: Nothing like it" in crawls["watched"].log
    (short,) = crawl("articles DEDUP_FOLLOW_REDUNDANT=false")
    assert short.stats["dedup/links_not_followed"] == 1


def test_main_text(crawls):
    texts = {item["url"]: item["text"] for item in crawls["passages"].items}
    assert texts["https://example.org/tides"] == "\n\n".join(TIDES)
    assert "https://example.org/tides/edited" not in texts


def test_callbacks_that_return(crawl):
    *returning, ruled = crawl("returning", "async_returning", "ruled")
    for done in returning:
        assert done.stats["early"] == done.stats["dedup/pages"] == 5
        assert done.stats["dedup/items/dropped"] == 2
        assert done.stats["dedup/links_not_followed"] == 1
    assert {item["kind"] for item in ruled.items} == {"unique", None}


def test_what_passes_is_registered(crawl):
    (tagged,) = crawl('articles DEDUP_ACTIONS={"near":"tag","exact":"tag"} DEDUP_SCOPE=./tagged')
    assert tagged.stats["dedup/delivered"] == 5
    (again,) = crawl("articles DEDUP_SCOPE=./tagged")
    assert _verdicts(again) == {"unchanged": 5}


def test_sharing(project, crawl):
    def shell(*command: str) -> None:
        subprocess.run(command, cwd=project, check=True)

    fresh = {"unique": 3, "exact": 1, "near": 1}
    again = {"unchanged": 5}
    first, second, alone = crawl(
        "articles DEDUP_SCOPE=shared",
        "articles DEDUP_SCOPE=shared DEDUP_STRICTNESS=strict",
        "articles DEDUP_SCOPE=run",
    )
    assert _verdicts(first) == fresh
    assert _verdicts(second) == again  # a copy stays one until it changes
    assert _verdicts(alone) == fresh
    (dry,) = crawl("articles DEDUP_SCOPE=shared DEDUP_DRY_RUN=true")
    assert _verdicts(dry) == again
    assert "dedup/items/dropped" not in dry.stats
    shell("cp", "-r", ".scrapy/dedup/shared", "trial")
    shell("rm", "-r", ".scrapy/dedup/shared")
    trial, *others = crawl(
        "articles DEDUP_SCOPE=./trial",
        "articles DEDUP_SCOPE=shared",
        "articles DEDUP_SCOPE=stores/news",
        "articles JOBDIR=jobs/articles",
    )
    assert _verdicts(trial) == again
    assert [_verdicts(other) for other in others] == [fresh] * 3
    for store in ("stores/news", "jobs/articles/dedup"):
        output = run("-m", "scrapy", "dedup", "drops", "--store", store, "--all-runs", cwd=project)
        assert output.count("https://example.org/tides/edited") == 1


def test_nights(project, crawl):
    crawl(*(f"articles DEDUP_SCOPE=./nights DEDUP_RUN=night-{number}" for number in (1, 2)))
    dedup, store = ("-m", "scrapy", "dedup"), ("--store", "nights")
    assert run(*dedup, "runs", "diff", "night-1", "night-2", "--json", *store, cwd=project) == ""
    url = "https://example.org/tides"
    assert (
        run(*dedup, "forget", url, *store, cwd=project) == f"Forgot 1 page, 2 copies at\n  {url}\n"
    )
    run(*dedup, "store", "compact", *store, cwd=project)
    (third,) = crawl("articles DEDUP_SCOPE=./nights")
    assert _verdicts(third) == {"unchanged": 2, "unique": 1, "exact": 1, "near": 1}


def _verdicts(crawl) -> dict[str, int]:
    keys = {str(kind): f"dedup/verdict/{kind}" for kind in Kind}
    return {kind: crawl.stats[key] for kind, key in keys.items() if key in crawl.stats}


@pytest.mark.parametrize(
    ("strictness", "kind"), [("eager", "near"), ("balanced", "near"), ("strict", "unique")]
)
def test_what_strict_keeps(tmp_path, strictness, kind):
    # without digits, which would be facts
    words = [first + last for first in SYLLABLES for last in SYLLABLES][:220]
    words, new = words[:200], words[200:]
    edited = [*words[:165], *new]
    with Deduplicator(tmp_path, strictness=strictness) as dedup:
        dedup.process(Page(url="https://example.org/1", text=" ".join(words)))
        page = Page(url="https://example.net/2", text=" ".join(edited))
        assert dedup.process(page).kind == kind


def as_shown(output: str) -> str:
    """Blank out what differs from run to run, and from one way to learn about sites to another."""
    learned = r"^ *(?:(?:could skip|checked|traps|rule) |holds; ).*"
    output = re.sub(
        learned,
        lambda line: re.sub(r" +\d[\d.%]*", " <number>", line[0]),
        output,
        flags=re.MULTILINE,
    )
    output = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+", "<time>", output)
    output = re.sub(r"\d{8}T\d{6}-[0-9a-f]{6}", "<run>", output)
    return re.sub(r"[\d.]+ ms", "<ms>", output)


def test_output_is_as_shown(project, articles):
    """Each line of an output in the documentation comes; `…` stands for the rest of a line."""
    store = ("--store", articles.stats["dedup/store"])
    on_screen = {"columns": 80, "NO_COLOR": "1"}
    outputs = [articles.log] + [
        on_terminal(project, *command, *store, **on_screen)[0]
        for command in (
            ("drops", "--sort", "doubt"),
            ("drops",),
            ("show", "/tides/edited"),
            ("compare", "/tides/edited"),
        )
    ]
    tally = visit_shop(project / "shop")
    outputs += [
        "\n".join(summary(Tally(), str(project / "shop"), sites=tally)),
        on_terminal(project, "sites", "--store", "shop", **on_screen)[0],
    ]
    lines = {line.strip(" {}") for line in as_shown("\n".join(outputs)).splitlines()}
    shown = "\n".join(block.text for block in BLOCKS if block.language == "text")
    assert shown
    for line in as_shown(shown).splitlines():
        start, cut, _ = line.strip(" {}").partition("…")
        assert start in lines or (cut and any(one.startswith(start) for one in lines)), line


def test_scan_of_a_feed(project):
    pages = [{"url": url, "html": html} for url, html in SITE.items()]
    (project / "pages.jsonl").write_text("".join(json.dumps(one) + "\n" for one in pages))
    scan = ("-m", "scrapy", "dedup", "scan", "pages.jsonl")
    assert "near\tdrop\t1.00" in run(*scan, cwd=project)
    strict = run(*scan, "-s", "DEDUP_STRICTNESS=strict", cwd=project)
    assert "near\ttag\t1.00" in strict
    assert "said in other words, so it is kept" in strict
    assert "near\t" not in run(*scan, "-s", "DEDUP_MIN_WORDS=200", cwd=project)
