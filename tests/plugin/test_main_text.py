"""Main text in callbacks of real crawls: without what the host repeats, and read once."""

from __future__ import annotations

import secrets

import pytest

from tests.support.crawling import Job, Web, crawl_all, crawl_one
from tests.support.servers import shared_server
from tests.support.texts import article

PAGES = 12
OFFER = "Our spring sale has begun, and whoever buys two of anything pays for one of them."
OFF = {"ADDONS": {}}


def page_of(number: int) -> str:
    """Return a page with an offer that only other pages tell to be boilerplate."""
    body = "".join(f"<p>{part.replace('&', '').replace('<', '')}" for part in article(number, 120))
    name = f"Page number {number}"
    return f"<title>{name}</title><div><h1>{name}</h1>{body}<p>{OFFER}</div>"


@pytest.fixture(scope="module")
def web():
    with Web() as web:
        for number in range(PAGES):
            web.put(f"/{number}", page_of(number))
        yield web


@pytest.fixture(scope="module")
def crawls(web, tmp_path_factory):
    steps = {"steps": [[web.url(f"/{number}")] for number in range(PAGES)]}
    server = f"{shared_server().url}?prefix=t{secrets.token_hex(4)}"
    return crawl_all(
        tmp_path_factory.mktemp("texts"),
        {
            "after": Job("components:OwnText", steps),
            "before": Job("components:OwnTextList", steps),
            "server": Job("components:OwnText", steps, {"DEDUP_SCOPE": server}),
            "before, server": Job("components:OwnTextList", steps, {"DEDUP_SCOPE": f"{server}b"}),
            "off": Job("components:OwnTextList", steps, OFF),
        },
    )


def have_offer(result):
    assert result.troubles == []
    assert all(item["text"].startswith("Page number") for item in result.items)
    assert all(item["markdown"].startswith("# Page number") for item in result.items)
    return [OFFER in item["text"] for item in result.items]


@pytest.mark.parametrize("name", ["after", "before", "server", "before, server"])
def test_what_the_host_repeats_is_left_out_once_that_is_known(crawls, name):
    repeated = have_offer(crawls[name])
    assert repeated == [True] * repeated.count(True) + [False] * repeated.count(False)
    assert repeated.count(False) > PAGES / 2


def test_without_the_plugin_nothing_is_known_of_the_host(crawls):
    assert have_offer(crawls["off"]) == [True] * PAGES


@pytest.mark.parametrize("name", ["after", "before", "server", "before, server"])
def test_a_page_is_read_once(crawls, name):
    assert crawls[name].seen == [PAGES]
    assert crawls[name].dedup["pages"] == PAGES


def test_the_tag_has_the_same_text(crawls):
    assert all(item["same"] for item in crawls["after"].items)


def test_nobody_keeps_the_responses(web, tmp_path):
    steps = {"steps": [[web.url(f"/{number}")] for number in range(PAGES)]}
    result = crawl_one(tmp_path, "components:KeptTags", **steps)
    assert result.troubles == []
    *alive, readings = result.seen
    assert readings == len(alive) == PAGES
    assert max(alive) <= 2
