"""Rules that a crawl learns, and what it does not fetch because of them."""

from __future__ import annotations

import random
import re

import pytest

from dedup_middleware.sites import Fetched, Rule, Sites, observer
from dedup_middleware.sites.parsed import parse
from dedup_middleware.store.memory import MemoryStore
from tests.support.web import Crawl

HOST = "https://a.example"


def without(*names: str):
    """Return a web in which some parameters make no difference."""
    pattern = re.compile(rf"(?<=[?&])(?:{'|'.join(names)})=[^&]*&?")
    return lambda url: pattern.sub("", url).rstrip("?&")


def rules_of(sites: Sites) -> set[str]:
    sites.flush()
    return {rule.key for site in sites.overview() for rule in site.told_rules() if rule.holds}


def test_session_ids_in_a_parameter(sites):
    urls = [f"{HOST}/x/{n}?sid={v}" for n in range(100) for v in range(5)]
    crawl = Crawl(sites, without("sid")).visit_all(urls)
    assert rules_of(sites) == {"a.example parameter sid"}
    assert len(crawl.fetched) < 110
    assert not crawl.missed
    (notice,) = crawl.told("rule")
    assert notice.reason == (
        "5 pairs of URLs of a.example that differ in the value of the parameter sid show the same "
        "page"
    )


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize(
    "link", ["POST https://a.example/api {}", "https://a.example/{}" + "x" * 3000]
)
def test_links_that_are_more_than_a_url_lead_elsewhere_unless_they_are_equal(sites, link, is_own):
    """Pages of one text, each of which sends a form of its own, or the same."""
    for page in range(10):
        for value in range(5):
            url, first = (f"{HOST}/list/{page}?sid={one}" for one in (value, 0))
            shown = Fetched(url, first, "exact" if value else "unique", 50)
            target = link.format(f"{page}-{value}" if is_own else page)
            sites.observe(sites.followed(shown, [target]))
    assert bool(rules_of(sites)) != is_own


@pytest.mark.parametrize(("others", "is_known"), [(0, True), (15, True), (90, True), (250, False)])
def test_links_are_remembered_for_a_while(sites, monkeypatch, others, is_known):
    monkeypatch.setattr(observer, "MOST_RECENT", 100)
    monkeypatch.setattr(observer, "MOST_IN_SET", 20)

    def followed(link):
        return sites.followed(Fetched(f"{HOST}/", f"{HOST}/", "unchanged", 50), [link])

    assert followed(f"{HOST}/target").known_without is not None
    for number in range(others):
        followed(f"{HOST}/other/{number}")
    assert (followed(f"{HOST}/target").known_without is None) == is_known
    assert followed(f"{HOST}/target").known_without is None


def test_in_any_order(sites):
    urls = [f"{HOST}/x/{n}?id={n}&ref={v}&sid={v % 7}" for n in range(80) for v in range(8)]
    random.Random(3).shuffle(urls)
    crawl = Crawl(sites, without("sid", "ref")).visit_all(urls)
    assert rules_of(sites) == set()  # every two URLs differ in both
    assert not crawl.missed


def test_two_parameters(sites):
    urls = [
        f"{HOST}/x/{n}?id={n}&ref={r}&sid={s}"
        for n in range(60)
        for r in range(3)
        for s in range(3)
    ]
    random.Random(3).shuffle(urls)
    crawl = Crawl(sites, without("sid", "ref")).visit_all(urls)
    assert rules_of(sites) == {"a.example parameter sid", "a.example parameter ref"}
    assert len(crawl.fetched) < 0.45 * len(urls)
    assert not crawl.missed


def test_a_parameter_that_matters(sites):
    urls = [f"{HOST}/item?id={n}" for n in range(500)]
    crawl = Crawl(sites, lambda url: url).visit_all(urls)
    assert len(crawl.fetched) == 500
    assert not rules_of(sites)


def test_a_parameter_that_matters_in_one_script_only():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.0)
    plain = [f"{HOST}/about{n}.php?id={v}" for n in range(3) for v in range(4)]
    items = [f"{HOST}/item.php?id={v}" for v in range(40)]
    crawl = Crawl(sites, lambda url: url if "item" in url else url.partition("?")[0])
    crawl.visit_all([*plain, *items])
    assert not crawl.missed  # the first pair in another script is looked at
    assert crawl.told("refuted")


def test_a_value(sites):
    urls = [f"{HOST}/{n}{query}" for n in "abcdefgh" for query in ("", "?page=1", "?page=2")]
    crawl = Crawl(sites, lambda url: url.removesuffix("?page=1")).visit_all(urls)
    assert rules_of(sites) == {"a.example value page=1"}
    assert not crawl.missed
    assert len(crawl.skipped) == 6


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("slash", f"{HOST}/x/{{}}/"),
        ("index", f"{HOST}/{{}}/index.html"),
        ("case", f"{HOST}/X/{{}}"),
        ("www", "https://www.a.example/x/{}"),
        ("scheme", "http://a.example/x/{}"),
        ("port", f"{HOST}:8443/x/{{}}"),
        ("amp", f"{HOST}/x/{{}}/amp"),
        ("print", f"{HOST}/print/x/{{}}"),
        ("session 2", f"{HOST}/x/9b1deb4d3b7d4ba{{}}/y"),
        ("session 1", f"{HOST}/(S(9b1deb4d3b7d4ba{{}}))/y"),
        ("session ;", f"{HOST}/x/{{}};jsessionid=7"),
    ],
)
def test_ways_to_write_a_url(sites, kind, other):
    crawl = Crawl(sites, str)
    if kind == "session 2":
        urls = [f"{HOST}/x/{v:016x}/page{n}" for n in range(40) for v in range(4)]
        page_of = lambda url: url.rpartition("/")[2]  # noqa: E731 - a web is a function
    elif kind == "session 1":
        ids = [f"(S({v:024x}))/" for v in range(3)]
        urls = [f"{HOST}/{one}page{n}/" for n in range(40) for one in ("", *ids)]
        page_of = lambda url: url.rpartition("/page")[2]  # noqa: E731 - a web is a function
    elif kind == "session ;":
        urls = [f"{HOST}/x/{n};jsessionid=7{v}" for n in range(40) for v in range(4)]
        page_of = lambda url: url.partition(";")[0]  # noqa: E731 - a web is a function
    else:
        first = f"{HOST}/{{}}/" if kind == "index" else f"{HOST}/x/{{}}"
        urls = [form.format(f"page{n}") for n in range(80) for form in (first, other)]
        page_of = lambda url: re.search(r"page\d+", url)[0]  # noqa: E731 - a web is a function
    crawl = Crawl(sites, page_of).visit_all(urls)
    assert rules_of(sites) == {f"a.example {kind}"}
    assert not crawl.missed
    assert len(crawl.skipped) > 0.4 * len(urls)


@pytest.mark.parametrize(
    "other", [f"{HOST}/x/{{}}/", f"{HOST}/X/{{}}", "http://a.example/x/{}", f"{HOST}/x/{{}}/print"]
)
def test_ways_to_write_a_url_that_matter(sites, other):
    urls = [form.format(n) for n in range(50) for form in (f"{HOST}/x/{{}}", other)]
    crawl = Crawl(sites, str).visit_all(urls)
    assert len(crawl.fetched) == 100
    assert not rules_of(sites)


def test_a_parameter_that_has_to_be_there(sites):
    """Without it the page asks to log in; whatever its value is, it shows the page."""
    urls = [f"{HOST}/x/{n}?sid={v}" for n in range(9) for v in range(4)]
    crawl = Crawl(sites, lambda url: url.partition("=")[0]).visit_all(urls)
    assert crawl.skipped
    assert {one.canonical for one in crawl.skipped.values()} <= {
        f"{HOST}/x/{n}?sid=" for n in range(9)
    }
    crawl.visit_all(f"{HOST}/x/{n}" for n in range(9))
    assert not crawl.missed


def test_soft_errors_give_no_rule(sites):
    """Dead items all show one page; the living ones have pages of their own."""
    urls = [f"{HOST}/item?id={n}" for n in range(60)]
    crawl = Crawl(sites, lambda url: "gone" if int(url.partition("=")[2]) < 40 else url)
    crawl.visit_all(urls)
    assert not crawl.missed


def test_short_pages_do_not_vote(sites):
    urls = [f"{HOST}/x/{n}?sid={v}" for n in range(20) for v in range(5)]
    crawl = Crawl(sites, without("sid"), words=3).visit_all(urls)
    assert not rules_of(sites)
    assert len(crawl.fetched) == 100


def test_exploration_refutes_a_poisoned_rule():
    """A site shows the same page for some values, then other pages for the rest."""
    sites = Sites(MemoryStore(), salt="crawl", explore=0.05)
    good = [f"{HOST}/x/{n}?v={v}" for n in range(5) for v in range(3)]
    bad = [f"{HOST}/x/{n}?v={v}" for n in range(5) for v in range(3, 200)]
    elsewhere = [f"https://b.example/x/{n}?v={v}" for n in range(5) for v in range(200)]

    def page_of(url: str) -> str:
        return url if "b.example" in url or int(url.rpartition("=")[2]) > 2 else url[:-1]

    crawl = Crawl(sites, page_of).visit_all([*good, *bad, *elsewhere])
    refuted = [one for one in crawl.told("refuted") if one.rule.key == "a.example parameter v"]
    assert refuted
    assert len(crawl.skipped) < 120  # until the first look
    assert not any("b.example" in url for url in crawl.skipped)
    sites.flush()
    (site,) = sites.overview("a.example")
    assert site.checked > site.wrong > 0
    assert not any(rule.holds for rule in site.told_rules() if rule.kind == "parameter")


def test_the_share_that_is_explored():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.2)
    urls = [f"{HOST}/x/{n}?sid={v}" for n in range(50) for v in range(41)]
    crawl = Crawl(sites, without("sid")).visit_all(urls)
    assert 0.15 < (len(crawl.fetched) - 50) / 2000 < 0.25
    again = [sites.consider(url) for url in urls]
    assert again == [sites.consider(url) for url in urls]


def test_what_is_on_its_way_stands_for_others(sites):
    Crawl(sites, without("sid")).visit_all(f"{HOST}/{n}?sid={v}" for n in "abc" for v in "1234")
    assert sites.consider(f"{HOST}/new?sid=1").action == "send"
    sites.sent(f"{HOST}/new?sid=1")
    assert sites.consider(f"{HOST}/new?sid=1").action == "send"  # it is that one itself
    waiting = sites.consider(f"{HOST}/new?sid=2")
    assert (waiting.action, waiting.canonical) == ("skip", f"{HOST}/new?sid=")
    sites.failed(f"{HOST}/new?sid=1")
    assert sites.consider(f"{HOST}/new?sid=2").action == "send"


def test_a_page_whose_item_was_lost_stands_for_nothing(sites):
    crawl = Crawl(sites, without("sid"))
    crawl.visit_all(f"{HOST}/{n}?sid={v}" for n in "abc" for v in "1234")
    crawl.visit(f"{HOST}/new?sid=1")
    assert sites.consider(f"{HOST}/new?sid=2").action == "skip"
    sites.failed(f"{HOST}/new?sid=1")
    assert sites.consider(f"{HOST}/new?sid=2").action == "send"


def test_the_cleanest_url_is_fetched_though_others_came_first(sites):
    crawl = Crawl(sites, without("sid"))
    crawl.visit_all(
        f"{HOST}/{n}{end}" for n in "abc" for end in ("", *(f"?sid={v}" for v in "567"))
    )
    crawl.visit_all(f"{HOST}/{n}?sid={v}" for n in "def" for v in "123")
    assert {*crawl.skipped} >= {f"{HOST}/{n}?sid={v}" for n in "def" for v in "23"}
    for n in "def":
        assert crawl.visit(f"{HOST}/{n}").action == "send"
        assert crawl.visit(f"{HOST}/{n}?sid=4").action == "skip"


def test_a_better_url_that_takes_the_place_of_a_page(sites):
    """Later copies name the better URL as their page; that is no other page."""
    for n in "abcdefgh":
        first, clean = f"{HOST}/{n}?sid=1", f"{HOST}/{n}"
        sites.observe(Fetched(first, first, "unique", 50))
        sites.observe(Fetched(clean, first, "exact", 50))
        for v in "234":
            found = sites.observe(Fetched(f"{HOST}/{n}?sid={v}", clean, "exact", 50))
            assert not [one for one in found if one.what == "refuted"]
    assert "a.example parameter sid" in rules_of(sites)


def test_pinned_and_withdrawn_by_hand(sites):
    rule = Rule("a.example", "parameter", "q")
    sites.pin(rule)
    crawl = Crawl(sites, str).visit_all([f"{HOST}/x?q={n}" for n in range(9)])
    assert len(crawl.fetched) == 1
    sites.withdraw(rule)
    crawl = Crawl(sites, lambda url: url[:-1]).visit_all(
        f"{HOST}/{n}?q={v}" for n in "abcdef" for v in "123456"
    )
    assert len(crawl.fetched) == 36
    assert [one.state for one in next(sites.overview()).told_rules()] == ["withdrawn"]


def test_an_unchanged_page_says_nothing_against_a_rule(sites):
    for n in "abcdefgh":
        for v in "123":
            url = f"{HOST}/{n}?sid={v}"
            assert not sites.observe(Fetched(url, url, "unchanged", 50))
    sites.flush()
    (site,) = sites.overview()
    assert (site.new, site.redundant, site.told_rules()) == (0, 0, [])


def test_a_young_rule_is_looked_at_more_often():
    """Second pages of small categories show the first one again; those of large ones do not."""
    sites = Sites(MemoryStore(), salt="crawl", explore=0.05)
    crawl = Crawl(sites, lambda url: url.removesuffix("?page=2") if "small" in url else url)
    names = [f"small{n}" for n in range(4)] + [f"large{n}" for n in range(12)]
    crawl.visit_all(f"{HOST}/{name}{page}" for name in names for page in ("", "?page=2"))
    (refuted,) = crawl.told("refuted")
    assert refuted.rule.key == "a.example value page=2"
    assert len(crawl.missed) < 6


def test_a_pinned_rule_is_looked_at_no_more_than_others():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.05)
    sites.pin(Rule("a.example", "parameter", "q"))
    crawl = Crawl(sites, str).visit_all(f"{HOST}/x?q={n}" for n in range(400))
    assert len(crawl.fetched) < 50


def test_parameters_that_come_together_only(sites):
    query = "?utm_source={}&utm_medium=web"
    urls = [f"{HOST}/{n}{end}" for n in "abcdefghij" for end in ("", *map(query.format, "123"))]
    crawl = Crawl(sites, without("utm_source", "utm_medium")).visit_all(urls)
    assert {"a.example parameter utm_source"} <= rules_of(sites)
    assert len(crawl.skipped) > 20
    assert not crawl.missed


def test_a_rule_that_both_urls_follow_need_not_be_verified():
    sites = Sites(MemoryStore(), salt="crawl", explore=0.0)
    crawl = Crawl(sites, lambda url: without("sid")(url).rstrip("/"))
    crawl.visit_all(f"{HOST}/x/{n}{end}" for n in "abcdefgh" for end in ("", "/"))
    crawl.visit_all(f"{HOST}/y/{n}/{end}" for n in "abcdefgh" for end in ("", "?sid=1", "?sid=2"))
    assert rules_of(sites) >= {"a.example slash"}
    crawl.visit(f"{HOST}/y/new/")
    assert sites.consider(f"{HOST}/y/new/?sid=1").action == "skip"  # both have the slash
    sites.sent(f"{HOST}/y/newer/")
    assert sites.consider(f"{HOST}/y/newer/?sid=1").action == "skip"


def test_pages_of_a_folder_are_one_part_of_a_site_with_and_without_a_slash_at_the_end():
    one, other = (parse(f"{HOST}/news/{name}/?sid=1") for name in ("a-title", "another"))
    assert one.scope == other.scope == parse(f"{HOST}/news/a-title?sid=1").scope


def test_a_copy_that_was_kept_does_not_refute(sites):
    urls = [f"{HOST}/{n}?sid={v}" for n in "abc" for v in "1234"]
    Crawl(sites, without("sid")).visit_all(urls)
    url = f"{HOST}/a?sid=9"
    assert not sites.observe(Fetched(url, url, "near", 50))
    assert rules_of(sites) == {"a.example parameter sid"}


def test_a_page_that_is_too_short_to_be_compared_does_not_refute(sites):
    Crawl(sites, without("sid")).visit_all(f"{HOST}/{n}?sid={v}" for n in "abc" for v in "1234")
    url = f"{HOST}/a?sid=9"
    assert not sites.observe(Fetched(url, url, "unique", 50, is_comparable=False))
    assert sites.observe(Fetched(url, url, "unique", 50))[0].what == "refuted"


def test_a_page_like_another_is_not_known_to_be_different(sites):
    """Some copies are kept because they differ a little; others are copies of these."""
    Crawl(sites, without("sid")).visit_all(f"{HOST}/{n}?sid={v}" for n in "abc" for v in "1234")
    kept = f"{HOST}/a?print=1"
    sites.observe(Fetched(kept, kept, "near", 50))
    assert not sites.observe(Fetched(f"{HOST}/a?sid=9", kept, "exact", 50))
    assert rules_of(sites) == {"a.example parameter sid"}


def test_a_request_on_its_way_arrives_though_its_form_has_changed_meanwhile(sites):
    def see(url: str, page: str | None = None) -> None:
        sites.sent(url)
        kind = "exact" if page else "unique"
        sites.observe(Fetched(url, page or url, kind, words=200, size=1000))

    for n in range(4):
        see(f"{HOST}/p{n}?sid=a{n}")
        see(f"{HOST}/p{n}?sid=b{n}", f"{HOST}/p{n}?sid=a{n}")
    sites.sent(f"{HOST}/q?sid=1")
    sites.consider(f"{HOST}/q?sid=2")
    see(f"{HOST}/p1", f"{HOST}/p1?sid=a1")  # from now on, URLs without it have the same form
    see(f"{HOST}/q?sid=1")
    sites.failed(f"{HOST}/q?sid=1")


def test_a_page_of_next_to_no_words_stands_for_no_other(sites):
    for n in range(5):
        for value in "ab":
            url, page = f"{HOST}/p{n}?sid={value}{n}", f"{HOST}/p{n}?sid=a{n}"
            kind = "unique" if url == page else "exact"
            sites.observe(Fetched(url, page, kind, words=200, size=1000))
    wall = f"{HOST}/q?sid=old"
    sites.observe(Fetched(wall, wall, "unique", words=5, size=100))
    assert sites.consider(f"{HOST}/q?sid=new").action == "send"
