from __future__ import annotations

from dedup_middleware.sites import Fetched, Sites
from dedup_middleware.sites.book import LEFT, STEPS
from dedup_middleware.store.memory import Memory, MemoryStore
from tests.support.web import Crawl

HOST = "https://a.example"


def test_a_trap_is_demoted_step_by_step_and_left(sites):
    crawl = Crawl(sites, lambda _: "empty")
    decisions = [crawl.visit(f"{HOST}/calendar/{n}") for n in range(10_000)]
    assert len(crawl.fetched) <= 100
    steps = [one.steps for one in decisions[: LEFT + 1]]
    # the first page was new
    assert [steps.index(step) for step in (1, 2, 3)] == [least + 1 for least in STEPS]
    assert [one.action for one in decisions[LEFT : LEFT + 3]] == ["demote", "send", "skip"]
    looks = [at for at, one in enumerate(decisions) if one.explored]
    assert looks == [LEFT + wait for wait in (1, 100, 200, 400, 800, 1600, 3200, 6400)]
    assert {one.rule.key for one in crawl.skipped.values()} == {"a.example trap /calendar/<number>"}
    assert not any(one.canonical for one in crawl.skipped.values())
    assert [one.reason for one in crawl.told("trap")] == [
        "The last 10 pages of /calendar/<number> showed nothing new",
        "The last 50 pages of /calendar/<number> showed nothing new",
    ]


def test_other_shapes_are_fetched(sites):
    crawl = Crawl(sites, lambda url: "empty" if "calendar" in url else url)
    crawl.visit_all(f"{HOST}/calendar/{n}" for n in range(200))
    crawl.visit_all(f"{HOST}/news/{n}" for n in range(500))
    assert not crawl.missed
    assert len([url for url in crawl.fetched if "news" in url]) == 500


def test_a_new_page_brings_a_shape_back(sites):
    crawl = Crawl(sites, lambda url: url if url >= f"{HOST}/calendar/200" else "empty")
    for n in range(1000):
        crawl.visit(f"{HOST}/calendar/{n:03}")
        if crawl.told("back"):
            break
    (notice,) = crawl.told("back")
    assert notice.rule.key == "a.example trap /calendar/<number>"
    assert sites.consider(f"{HOST}/calendar/5000").action == "send"


def test_a_new_page_brings_a_shape_back_that_was_demoted_only(sites):
    crawl = Crawl(sites, lambda url: url if url >= f"{HOST}/calendar/020" else "empty")
    crawl.visit_all(f"{HOST}/calendar/{n:03}" for n in range(30))
    (trap,), (back,) = crawl.told("trap"), crawl.told("back")
    assert trap.rule.key == back.rule.key
    assert sites.consider(f"{HOST}/calendar/5000").action == "send"


def test_a_look_that_is_on_its_way_is_the_same_when_it_is_asked_again(sites):
    crawl = Crawl(sites, lambda _: "empty")
    crawl.visit_all(f"{HOST}/c/{n}" for n in range(60))
    looks = [url for n in range(90) if sites.consider(url := f"{HOST}/c/1{n:03}").explored]
    assert looks == []
    looks = [url for n in range(90) if sites.consider(url := f"{HOST}/c/2{n:03}").explored]
    sites.sent(looks[0])
    assert sites.consider(looks[0]).explored


def test_pages_that_differ_in_digits_only(sites):
    """They are new to whoever judges them, and show nothing."""
    for n in range(51):
        url = f"{HOST}/day/{n}"
        sites.observe(Fetched(url, url, "unique", 30, text=bytes([n]), pattern=b"day"))
    assert [sites.consider(f"{HOST}/day/9{n}").action for n in range(3)] == ["send", "skip", "skip"]


def test_short_pages_of_their_own_are_demoted_but_not_left(sites):
    for n in range(200):
        url = f"{HOST}/photo/{n}"
        sites.observe(Fetched(url, url, "unique", 3, text=bytes([n]), pattern=bytes([n])))
    decision = sites.consider(f"{HOST}/photo/999")
    assert (decision.action, decision.steps) == ("demote", 3)


def test_links_that_only_lead_deeper(sites):
    crawl = Crawl(sites, lambda url: url)
    url = f"{HOST}/a/b/a/b/a/b"
    for _ in range(25):
        deeper = f"{url}/a/b"
        crawl.visit(deeper, url)
        url = deeper
    assert sites.consider(f"{url}/a/b").steps == 2
    assert crawl.told("trap")[0].reason == "The last 10 pages of /a/b/<repeated> only led deeper"


def test_articles_with_numbers_are_no_trap(sites):
    crawl = Crawl(sites, str).visit_all(f"{HOST}/article/{n}" for n in range(2000))
    assert len(crawl.fetched) == 2000
    assert not crawl.notices


def test_an_unchanged_site_is_no_trap(sites):
    for n in range(500):
        url = f"{HOST}/article/{n}"
        assert not sites.observe(Fetched(url, url, "unchanged", 50))
    assert sites.consider(f"{HOST}/article/7").action == "send"


def test_a_trap_withdrawn_by_hand(sites):
    crawl = Crawl(sites, lambda _: "empty").visit_all(f"{HOST}/c/{n}" for n in range(100))
    rule = next(iter(crawl.skipped.values())).rule
    sites.withdraw(rule)
    assert sites.consider(f"{HOST}/c/7777").action == "send"


def test_a_budget():
    sites = Sites(MemoryStore(), salt="crawl", shape_budget=20)
    crawl = Crawl(sites, str).visit_all(f"{HOST}/article/{n}" for n in range(100))
    assert len(crawl.fetched) == 20
    assert {one.rule.key for one in crawl.skipped.values()} == {
        "a.example budget /article/<number>"
    }
    assert sites.consider(f"{HOST}/about").action == "send"


def test_a_second_crawl_is_no_trap():
    """With new session ids, all pages are copies of those that the first crawl has read."""
    memory = Memory()
    first = {n: f"{HOST}/x/{n}?sid=0" for n in range(60)}
    for crawl in range(12):
        sites = Sites(MemoryStore(memory), salt=str(crawl), explore=0.0)
        skipped = 0
        for n in range(60):
            for v in range(3):
                url = f"{HOST}/x/{n}?sid={crawl}-{v}"
                kind = "exact" if crawl or v else "unique"
                first[n] = first[n] if crawl or v else url
                skipped += sites.consider(url).action != "send" and v == 0
                found = sites.observe(Fetched(url, first[n], kind, 50))
                assert not [one for one in found if one.what in ("trap", "refuted")]
        sites.flush()
        assert skipped == 0


def test_the_next_crawl_looks_at_a_trap_first():
    memory = Memory()
    first = Sites(MemoryStore(memory), salt="1", explore=0.0)
    Crawl(first, lambda _: "empty").visit_all(f"{HOST}/c/{n}" for n in range(100))
    first.flush()
    second = Sites(MemoryStore(memory), salt="2", explore=0.0)
    decisions = [second.consider(f"{HOST}/c/{n}") for n in range(3)]
    assert [one.action for one in decisions] == ["send", "skip", "skip"]
    url = f"{HOST}/c/0"
    found = second.observe(Fetched(url, url, "unique", 50, text=b"new", pattern=b"new"))
    assert [one.what for one in found] == ["back"]
