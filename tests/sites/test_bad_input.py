"""Sites that mean harm: bounded, by host, and never reaching other hosts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware.sites import Book, Fetched, Sites
from dedup_middleware.store.memory import MemoryStore
from tests.support.web import Crawl

HOST = "https://a.example"


@pytest.mark.parametrize(
    "url",
    [
        f"{HOST}/{'a' * (2 << 20)}",
        f"{HOST}/x?{'&'.join(f'p{n}={n}' for n in range(1_000_000))}",
        f"{HOST}/x?{'p=1&' * 200_000}",
        f"{HOST}/{'%41' * 600_000}",
        f"https://{'a.' * 100_000}example/",
        "https://a.example:0x50/",
        "http://[::1]:80/x",
        "https:///x",
        "https://\udcff.example/\udcff?\udcff=\udcff",
        "https://xn--.example/x",
        "https://.../x",
    ],
)
def test_urls_that_are_not_looked_at(sites, url):
    sites.sent(url)
    sites.observe(Fetched(url, url, "unique", 50, referrer=url))
    sites.observe(Fetched(f"{HOST}/short", url, "exact", 50, referrer=url))
    assert sites.consider(url).action == "send"
    sites.failed(url)
    sites.flush()
    assert sum(site.fetched for site in sites.overview()) <= 2


def test_percent_encoding_games(sites):
    """However a value is written, it is one value."""
    forms = ["abc", "%61bc", "a%62c", "%61%62%63"]
    crawl = Crawl(sites, str).visit_all(f"{HOST}/x?v={form}" for form in forms)
    assert {sites.consider(f"{HOST}/x?v={form}").action for form in forms} == {"send"}
    sites.flush()
    (site,) = sites.overview()
    assert site.told_rules() == []
    assert len(crawl.fetched) == 4  # it is the dupefilter that knows better


def test_repeated_empty_and_reordered_parameters(sites):
    urls = [
        f"{HOST}/{n}?{query}"
        for n in range(30)
        for query in (
            "a=1&b=2",
            "b=2&a=1",
            "a=1&b=2&s=",
            "s&b=2&a=1",
            "a=1&b=2&s=1&s=2",
            "s=9&a=1&b=2",
        )
    ]
    crawl = Crawl(sites, lambda url: url.partition("?")[0]).visit_all(urls)
    assert not crawl.missed
    assert crawl.skipped


def test_hosts_in_other_scripts_have_one_book(sites):
    crawl = Crawl(sites, str)
    crawl.visit_all(["https://bücher.example/1", "https://xn--bcher-kva.example/2"])
    sites.flush()
    (site,) = sites.overview("xn--bcher-kva.example")
    assert site.fetched == 2


def test_a_host_does_not_reach_another(sites):
    """Copies of another host's pages change nothing about that host."""
    victim = [f"https://victim.example/{n}?id={v}" for n in range(9) for v in range(4)]
    Crawl(sites, str).visit_all(victim)
    for url in victim:
        bad = url.replace("victim", "bad")
        sites.observe(Fetched(bad, victim[0], "exact", 50, referrer=victim[0]))
        sites.observe(Fetched(bad, url, "exact", 50, referrer=url))
    sites.flush()
    (site,) = sites.overview("victim.example")
    assert (site.fetched, site.told_rules(), site.found_mirrors()) == (36, [], [])
    assert all(sites.consider(f"{url}0").action == "send" for url in victim)


def test_a_poisoned_rule_ends_with_the_first_look():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.05)
    crawl = Crawl(sites, lambda url: url if int(url[-3:]) > 2 else url[:-3])
    crawl.visit_all(f"{HOST}/x/{n}?v={v:03}" for n in range(4) for v in range(3))
    assert crawl.told("rule")
    for v in range(3, 1000):
        crawl.visit(f"{HOST}/x/1?v={v:03}")
        if crawl.told("refuted"):
            break
    assert len(crawl.skipped) < 100
    first = len(crawl.skipped)
    crawl.visit_all(f"{HOST}/x/2?v={v:03}" for v in range(3, 1000))
    assert len(crawl.skipped) == first  # it is not learned again


urls = st.builds(
    lambda host, path, query: f"{host}/{path}{query}",
    st.sampled_from(["https://a.example", "http://www.a.example", "https://b.a.example:81"]),
    st.sampled_from(["", "x", "x/", "X", "x/index.html", "x/print", "1/2", "9b1deb4d3b7d4bad/x"]),
    st.sampled_from(["", "?a=1", "?a=2", "?b=1&a=1", "?a=1&a=2", "?a", "?a=%31", "?s=1&a=3"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(urls, st.integers(0, 5), st.booleans()), max_size=60), st.booleans())
def test_any_crawl_skips_only_what_something_stands_for(visits, flushes):
    """Whatever pages show: each request that is skipped by a rule has one that was sent."""
    store = MemoryStore()
    sites = Sites(store, salt="crawl", explore=0.0)
    shown: dict[str, int] = {}
    crawl = Crawl(sites, lambda url: str(shown[url]))
    sent: set[str] = set()
    for url, page, fails in visits:
        shown.setdefault(url, page)
        decision = sites.consider(url)
        if decision.action == "skip":
            assert decision.rule is not None
            assert decision.reason
            if decision.canonical:
                assert sent
            continue
        sent.add(url)
        sites.sent(url)
        if fails:
            sites.failed(url)
        else:
            crawl.fetch(url)
        if flushes:
            sites.flush()
    sites.flush()
    assert sum(site.fetched for site in sites.overview()) == len(crawl.fetched)
    # what is written is all that is known
    again = Sites(store, salt="crawl", explore=0.0)
    known = [opened.book for opened in sites._shelf._books.values() if opened.data]
    assert sorted(map(written, again.overview())) == sorted(map(written, known))


def written(book: Book) -> str:
    return json.dumps({**book.as_json(), "seen": 0})
