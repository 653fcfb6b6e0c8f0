"""The corners of the demo web: linked, with a truth about requests, and judged right."""

from __future__ import annotations

from random import Random
from urllib.parse import urljoin

import pytest
from lxml import html as lxml_html

from crawler.demo import (
    PAGES,
    Server,
    build,
    manifest_of,
    pages_shown,
    score,
    score_requests,
)
from dedup_middleware import Deduplicator, Page
from tests.support.demo import HOSTS, crawl

CORNERS = {
    "session id",
    "session id in the path",
    "print parameter",
    "action",
    "mirror",
    "listing",
    "sorted listing",
    "facet",
    "calendar",
    "soft 404",
    "login wall",
}
COPIES = CORNERS - {"listing", "facet", "calendar", "soft 404", "login wall"}


@pytest.fixture(scope="module", params=[4711, 90210])
def webs(request):
    plain = build(request.param, PAGES, *HOSTS)
    return plain, build(request.param, PAGES, *HOSTS, corners=True)


def added(webs):
    plain, web = webs
    known = {one.url for one in plain.resources}
    return [one for one in web.resources if one.url not in known]


def test_corners_leave_the_rest_of_the_web_as_it_is(webs):
    plain, web = webs
    pages = {one.url: one.versions for one in web.resources if one.judged}
    changed = [one.url for one in plain.resources if one.judged and pages[one.url] != one.versions]
    assert changed == [f"{HOSTS[0]}/"]
    assert len({one.url for one in web.resources}) == len(web.resources)


def test_every_corner_exists_and_is_small(webs):
    corners = added(webs)
    assert {one.what for one in corners} == CORNERS | {"article", "list"}
    assert 100 < len(corners) < 200


def test_links_lead_to_all_corners(webs):
    pages = {one.url: one for one in webs[1].resources}
    seen, queue = set(), [f"{HOSTS[0]}/corners/"]
    while queue:
        url = queue.pop()
        if url in seen or pages[url].what == "empty" or not pages[url].judged:
            continue
        seen.add(url)
        tree = lxml_html.fromstring(pages[url].versions[-1].body)
        base = (tree.xpath("//base/@href") or [url])[0]
        queue += [
            urljoin(base, link)
            for link in tree.xpath("//a/@href")
            if not link.startswith(("#", "//"))
        ]
    assert {one.url for one in added(webs)} <= seen


def test_copies_name_the_page_that_they_show(webs):
    pages = {one.url: one for one in webs[1].resources}
    for one in webs[1].resources:
        if one.what in COPIES:
            assert one.shows
        if one.shows:
            original = pages[one.shows]
            assert not original.shows
            assert original.versions[0].pieces == one.versions[0].pieces
    assert all(not one.shows for one in webs[1].resources if one.what in CORNERS - COPIES)


def test_actions_are_linked_from_the_page_that_they_show_only(webs):
    for action in (one for one in webs[1].resources if one.what == "action"):
        link = f'href="{action.url}"'.encode()
        linking = [one for one in webs[1].resources if link in one.versions[0].body]
        assert {one.shows or one.url for one in linking} == {action.shows}


@pytest.mark.parametrize(("seed", "order"), [(60221, 1), (60223, 2)])
def test_corners_are_judged_right_in_any_order(seed, order, tmp_path):
    web = build(seed, PAGES, *HOSTS, corners=True)
    corners = added((build(seed, PAGES, *HOSTS), web))
    Random(order).shuffle(corners)
    journal = []
    with Deduplicator(tmp_path, on_decision=journal.append) as dedup:
        for one in corners:
            dedup.process(Page(url=one.url, html=one.versions[0].body, encoding="utf-8"))
    result = score(manifest_of(web), journal)
    assert result.due > 80
    assert result.precision == 1, result.disagreements
    assert result.recall >= 0.98, result.disagreements


def test_requests_are_scored_by_what_their_pages_show(webs):
    manifest = manifest_of(webs[1])
    shown = pages_shown(manifest)
    everything = score_requests(shown, shown)
    assert (everything.saved, everything.missed) == (0, ())
    assert everything.entered == everything.empty > 70
    needed = set(shown.values()) - {""}
    best = score_requests(shown, needed)
    assert best.saved == best.redundant > 100
    assert (best.missed, best.entered, best.pages) == ((), 0, len(needed))
    copies = {url: page for url, page in shown.items() if page not in {"", url}}
    assert set(score_requests(shown, copies).missed) == needed - set(copies.values())


def test_the_demo_crawl_counts_requests(tmp_path):
    summary = crawl(tmp_path, "demo", "-a", "seed=57724", "-a", "pages=100")
    with Server(57724, 100, corners=True) as server:
        expected = score_requests(pages_shown(server.manifest), ())
    assert f"of {expected.redundant} redundant ones not sent" in summary
    assert f" 0 of {expected.pages} new pages missed" in summary
