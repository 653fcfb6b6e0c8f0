from __future__ import annotations

import pytest

from dedup_middleware.sites import Fetched, Rule, Sites
from dedup_middleware.sites.mirrors import places
from dedup_middleware.sites.parsed import parse
from dedup_middleware.store.memory import MemoryStore
from tests.support.web import Crawl

PATHS = [f"/docs/{part}/{name}.html" for part in "abcdefgh" for name in ("x", "y", "z")]


def path_of(url: str) -> str:
    return url.partition("/docs/")[2]


def found(sites: Sites) -> list[tuple[str, str]]:
    sites.flush()
    return [one.below() for site in sites.overview() for one in site.found_mirrors()]


def test_a_mirror_within_one_domain(sites):
    crawl = Crawl(sites, path_of)
    crawl.visit_all(f"https://www.a.example{path}" for path in PATHS)
    crawl.visit_all(f"https://mirror.a.example{path}" for path in PATHS)
    assert found(sites) == [("mirror.a.example/docs/", "a.example/docs/")]
    assert len(crawl.told("mirror")) == 1
    fetched = [url for url in crawl.fetched if "mirror" in url]
    assert len(fetched) <= 30
    assert len(crawl.skipped) == len(PATHS) - len(fetched) > 0
    decision = next(iter(crawl.skipped.values()))
    assert decision.canonical.startswith("https://a.example/docs/")
    assert decision.rule.key == "mirror.a.example mirror mirror.a.example/=a.example/"
    (mirror,) = next(sites.overview("mirror.a.example")).found_mirrors()
    assert mirror.pages == len(fetched)
    assert mirror.different == 0
    assert [len(pair) for pair in mirror.examples] == [2, 2]


def test_found_after_ten_pages(sites):
    crawl = Crawl(sites, path_of, skips=False)
    crawl.visit_all(f"https://a.example{path}" for path in PATHS)
    crawl.visit_all(f"https://m.a.example{path}" for path in PATHS[:10])
    assert crawl.told("mirror")


def test_hosts_that_are_crawled_at_the_same_time(sites):
    crawl = Crawl(sites, path_of, skips=False)
    for at, path in enumerate(PATHS):
        hosts = ("a.example", "m.a.example")
        for host in hosts if at % 2 else reversed(hosts):
            crawl.visit(f"https://{host}{path}")
    assert found(sites)


def test_a_stranger_is_named_but_not_skipped_unless_pinned(sites):
    crawl = Crawl(sites, path_of)
    crawl.visit_all(f"https://stranger.example{path}" for path in PATHS)
    crawl.visit_all(f"https://a.other{path}" for path in PATHS)
    assert found(sites) == [("a.other/docs/", "stranger.example/docs/")]
    assert not crawl.skipped
    sites.pin(crawl.told("mirror")[0].rule)
    assert sites.consider(f"https://a.other{PATHS[0]}").action == "skip"
    sites.withdraw(crawl.told("mirror")[0].rule)
    assert sites.consider(f"https://a.other{PATHS[0]}").action == "send"
    assert found(sites) == []


def test_what_the_other_place_lacks_is_fetched(sites):
    crawl = Crawl(sites, path_of)
    crawl.visit_all(f"https://a.example{path}" for path in PATHS)
    crawl.visit_all(f"https://m.a.example{path}" for path in PATHS)
    assert crawl.visit("https://m.a.example/docs/a/new.html").action == "send"
    assert crawl.visit("https://m.a.example/blog/new.html").action == "send"
    assert not crawl.missed


@pytest.mark.parametrize("names", [("14", "15"), ("v1-2", "v1-3"), ("stable", "latest")])
@pytest.mark.parametrize("same", [1.0, 0.7])
def test_versions_of_a_manual_are_no_mirrors(sites, names, same):
    def page_of(url: str) -> str:
        return path_of(url) if PATHS.index(f"/docs/{path_of(url)}") < same * len(PATHS) else url

    crawl = Crawl(sites, page_of)
    for name in names:
        crawl.visit_all(f"https://{name}.a.example{path}" for path in PATHS)
    assert found(sites) == []
    assert not crawl.skipped


def test_places_whose_pages_differ_are_no_mirrors(sites):
    """Most pages of both hosts are the same, a fifth is not."""

    def page_of(url: str) -> str:
        return url if "/a/" in url or "/h/" in url else path_of(url)

    crawl = Crawl(sites, page_of)
    for host in ("a.example", "b.example"):
        crawl.visit_all(f"https://{host}{path}" for path in PATHS)
    assert found(sites) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.a.example/x/y", "https://a.example/x/y"),
        ("http://a.example/x/y", "https://a.example/x/y"),
        ("https://a.example:8080/x/y", "https://a.example/x/y"),
        ("https://a.example/copy/y", "https://a.example/y"),
        ("https://v2.a.example/y", "https://v1.a.example/y"),
        ("https://a.example/x", "https://b.example/y"),
        ("https://a.example/x?a=1", "https://b.example/x?a=2"),
        ("https://a.example/x", "mailto:x"),
    ],
)
def test_what_makes_no_mirror(one, other):
    assert places(parse(one), other) is None


def test_addresses_have_mirrors_too():
    one, other = "http://10.0.0.7/docs/x", "http://10.0.0.8:8080/docs/x"
    assert places(parse(one), other) == ("10.0.0.7/", "10.0.0.8/")


@pytest.mark.parametrize("is_mirror", [True, False])
def test_links_of_a_mirror_lead_to_its_own_pages(sites, is_mirror):
    for begin in ("https://a.example/", "https://m.a.example/"):
        for n in range(12):
            page = f"https://a.example/docs/{n}.html"
            kind = "unique" if begin == "https://a.example/" else "exact"
            linked = n if is_mirror or kind == "unique" else n + 100
            links = [f"{begin}docs/{linked + 1}.html", f"{begin}pictures/{linked}.html"]
            shown = Fetched(f"{begin}docs/{n}.html", page, kind, 50)
            sites.observe(sites.followed(shown, links))
    assert bool(found(sites)) == is_mirror


def test_walls_are_no_mirrors(sites):
    crawl = Crawl(sites, lambda _: "log in", words=12)
    for host in ("a.example", "b.a.example"):
        crawl.visit_all(f"https://{host}{path}" for path in PATHS)
    assert found(sites) == []


def test_a_mirror_that_was_pinned_before_anything_was_seen():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.0)
    sites.pin(Rule("m.example", "mirror", "m.example/", "a.example/"))
    sites.observe(Fetched("https://a.example/x", "https://a.example/x", "unique", 50))
    assert sites.consider("https://m.example/x").canonical == "https://a.example/x"
    assert sites.consider("https://m.example/y").action == "send"
