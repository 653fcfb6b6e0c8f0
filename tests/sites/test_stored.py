"""What is learned about sites, in each kind of store, across crawls and machines."""

from __future__ import annotations

import pytest

from dedup_middleware.sites import Fetched, Sites, shelf
from dedup_middleware.sites.book import MOST_SHAPES, MOST_THINGS
from dedup_middleware.store import Reader, open_reader
from dedup_middleware.store.engine import Batch
from dedup_middleware.store.forgetting import of_host, older_than
from dedup_middleware.store.hosts import BUCKETS, MOST_FORMS, book_key, bucket_key
from dedup_middleware.store.memory import Memory, MemoryEngine, MemoryStore
from dedup_middleware.store.verify import Damage
from tests.support.stores import Stores
from tests.support.web import Crawl

HOST = "https://a.example"
PAGES = [f"{HOST}/x/{n}?sid={v}" for n in range(20) for v in range(4)]


def page_of(url: str) -> str:
    return url.partition("?")[0]


def sites_of(store, **options) -> Sites:
    return Sites(store, **{"explore": 0.0, **options})


@pytest.fixture
def place(stores: Stores):
    """A place in which one crawl has learned a rule."""
    found = stores.new_place()
    store = stores.open(found, run="first")
    sites = sites_of(store)
    Crawl(sites, page_of).visit_all(PAGES)
    sites.flush()
    store.close()
    return found


def test_the_next_crawl_knows_the_rules(stores: Stores, place) -> None:
    store = stores.open(place, run="second")
    sites = sites_of(store)
    crawl = Crawl(sites, page_of).visit_all(
        f"{HOST}/x/{n}?sid={v}" for n in range(20) for v in "xyz"
    )
    assert len(crawl.fetched) == 20  # each page is read once again
    assert not crawl.missed
    sites.flush()
    (site,) = sites.overview()
    assert [rule.key for rule in site.told_rules()] == ["a.example parameter sid"]
    store.close()
    assert not stores.damages(place)


def test_a_crawl_that_goes_on_knows_what_was_fetched(stores: Stores, place) -> None:
    store = stores.open(place, run="second")
    Crawl(sites_of(store, salt="job"), page_of).visit(f"{HOST}/x/1?sid=a")
    first = sites_of(store, salt="job")
    assert first.consider(f"{HOST}/x/1?sid=b").action == "send"  # nothing was written
    Crawl(first, page_of).visit(f"{HOST}/x/1?sid=a")
    first.flush()
    store.close()
    store = stores.open(place, run="third")
    assert sites_of(store, salt="job").consider(f"{HOST}/x/1?sid=b").action == "skip"
    assert sites_of(store, salt="other").consider(f"{HOST}/x/1?sid=b").action == "send"
    store.close()


def test_machines_that_share_a_store(stores: Stores) -> None:
    """Each sees one URL of every page; together they learn that they are the same."""
    place = stores.new_place()
    if stores.__class__.__name__ == "SoleLmdbStores":
        pytest.skip("it is for one process")
    one, other = (stores.open(place, run="crawl") for _ in range(2))
    here, there = (sites_of(store, salt="crawl") for store in (one, other))
    first: dict[str, str] = {}
    crawls = Crawl(here, page_of), Crawl(there, page_of)
    for crawl in crawls:
        crawl._first = first
    for n in range(9):
        for at, crawl in enumerate(crawls):
            for v in range(2):
                crawl.fetch(f"{HOST}/{n}?sid={at}{v}")
            crawl.sites.flush()
    for sites in (here, there):
        (site,) = sites.overview()
        assert site.fetched == 36
        (rule,) = site.told_rules()
        assert rule.votes >= 9
    assert there.consider(f"{HOST}/0?sid=zz").action == "skip"
    one.close()
    other.close()
    assert not stores.damages(place)


def test_a_book_that_others_have_changed(stores: Stores, place) -> None:
    """What was learned since is added to what the others wrote."""
    if stores.__class__.__name__ == "SoleLmdbStores":
        pytest.skip("it is for one process")
    one, other = (stores.open(place, run="second") for _ in range(2))
    here, there = sites_of(one), sites_of(other)
    (before,) = here.overview()
    for n in range(5):
        Crawl(here, str).fetch(f"{HOST}/here/{n}")
        Crawl(there, str).fetch(f"{HOST}/there/{n}")
    here.flush()
    there.withdraw(before.told_rules()[0])
    there.flush()
    (after,) = here.overview()
    assert after.fetched == before.fetched + 10
    assert {"/here/<number>", "/there/<number>"} <= after.shapes.keys()
    assert after.told_rules()[0].state == "withdrawn"
    one.close()
    other.close()


def reader_of(store) -> Reader:
    return Reader(store.engine)


def test_damaged_books_and_forms_are_found_and_repaired(stores: Stores, place) -> None:
    store = stores.open(place, run="second")
    key = book_key("a.example")
    bad = [("site_books", key, b"no book"), ("site_forms", key + b"\0\1", b"no forms")]
    store.engine.apply([Batch(puts=bad)])
    sites = sites_of(store)
    Crawl(sites, page_of).visit_all(PAGES[:8])  # what can't be read is learned again
    store.close()
    assert stores.damages(place) == {Damage.SITE}
    is_memory = isinstance(place, Memory)
    with Reader(MemoryEngine(place)) if is_memory else open_reader(place, write=True) as reader:
        reader.repair(reader.verify(lambda _: None))
        assert not {*reader.verify(lambda _: None).found}


def test_a_host_is_forgotten(stores: Stores, place) -> None:
    store = stores.open(place, run="second")
    sites = sites_of(store)
    Crawl(sites, page_of).visit_all(["https://b.example/x?y=1"])
    sites.flush()
    reader = reader_of(store)
    with reader.snapshot() as view:
        chosen = of_host(view, "www.a.example")
    assert reader.forget(chosen, dry_run=True).pages == 0
    assert len(list(sites.overview())) == 2
    reader.forget(chosen)
    assert [site.host for site in sites.overview()] == ["b.example"]
    with store.snapshot() as view:
        keys = [key for key, _ in view.snapshot.scan("site_forms")]
    assert {key[:16] for key in keys} == {book_key("b.example")}
    with reader.snapshot() as view:
        assert not older_than(view, 0.0).books
        chosen = older_than(view, 1e12)
    reader.forget(chosen)
    assert not list(sites.overview())
    store.close()


def test_a_reader_shows_and_changes_it(stores: Stores, place) -> None:
    store = stores.open(place, run="second")
    reader = Sites(reader_of(store))
    (site,) = reader.overview("www.a.example")
    assert [rule.state for rule in site.told_rules()] == ["learned"]
    assert not list(reader.overview("nowhere.example"))
    reader.withdraw(site.told_rules()[0])
    assert sites_of(store).consider(PAGES[0]).action == "send"
    (site,) = Sites(reader_of(store)).overview()
    assert [rule.state for rule in site.told_rules()] == ["withdrawn"]
    store.close()


def test_more_hosts_than_are_kept_open(monkeypatch) -> None:
    monkeypatch.setattr(shelf, "MOST_BOOKS", 16)
    store = MemoryStore()
    sites = sites_of(store)
    crawl = Crawl(sites, page_of)
    for n in range(3):
        crawl.visit_all(f"https://h{host}.example/{n}" for host in range(100))
    sites.flush()
    assert [site.fetched for site in sites.overview()] == [3] * 100


def test_more_hosts_than_a_store_keeps(monkeypatch) -> None:
    monkeypatch.setattr(shelf, "MOST_HOSTS", 10)
    sites = sites_of(MemoryStore())
    Crawl(sites, page_of).visit_all(f"https://h{host}.example/" for host in range(100))
    sites.flush()
    assert len(list(sites.overview())) == 10


def test_what_a_host_can_take(sites) -> None:
    """Shapes, names of parameters and forms without end stay within bounds."""
    crawl = Crawl(sites, page_of)
    long = "z" * 900
    for n in range(400):
        crawl.fetch(f"{HOST}/{n % 3}{long}?{n // 3:099}={long}{n % 7}")
    for n in range(2000):
        crawl.fetch(f"{HOST}/{n:x}a/{'bcdef'[n % 5]}x{chr(97 + n % 26)}{n:b}?p{n}={n}")
        crawl.fetch(f"{HOST}/same/{n % 2}?q{n // 8}={n}")
    sites.flush()
    (site,) = sites.overview()
    assert len(site.shapes) <= MOST_SHAPES
    book = sites._shelf.open("a.example")
    assert len(book.book.things) <= MOST_THINGS
    assert len(book.data) < 2000 * len(site.shapes)
    with sites._forms._engine.snapshot() as snapshot:
        buckets = [data for _, data in snapshot.scan("site_forms")]
    assert len(buckets) <= BUCKETS
    assert max(map(len, buckets)) <= MOST_FORMS * 31
    assert bucket_key("a.example", 5) != bucket_key("b.example", 5)


def test_the_store_is_asked_only_where_a_rule_matches(stores: Stores, place, monkeypatch) -> None:
    store = stores.open(place, run="second")
    sites = sites_of(store)
    sites.consider(f"{HOST}/x/1")  # reads the book
    asked: list[object] = []
    snapshot = store.engine.snapshot
    with monkeypatch.context() as patch:
        patch.setattr(store.engine, "snapshot", lambda *args: asked.append(args) or snapshot(*args))
        for n in range(50):
            url = f"{HOST}/y/{n}?q={n}"
            sites.consider(url)
            sites.sent(url)
            sites.observe(Fetched(url, url, "unique", 50, referrer=HOST))
        assert not asked
        sites.consider(f"{HOST}/x/1?sid=7")
        assert len(asked) == 1
    store.close()
