"""A run that crashes: what it had not delivered is known no more, what it had stays."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.urls import url_key
from tests.support.stores import Stores
from tests.support.texts import article, html

PENDING = Page(url="https://pending.example/", html=html(article(1)))
DELIVERED = Page(url="https://delivered.example/", html=html(article(2)))
WITHDRAWN = Page(url="https://withdrawn.example/", html=html(article(3)))


def copy_of(page: Page) -> Page:
    return Page(url=page.url.replace("https://", "https://copy-of-"), html=page.html)


@pytest.fixture
def place(stores: Stores) -> Any:
    return stores.new_place()


def begin(stores: Stores, place: Any) -> Deduplicator:
    """Start a run that has a page in each state."""
    dedup = Deduplicator(stores.open(place, run="first"))
    dedup.judge(PENDING)
    delivered, withdrawn = dedup.judge(DELIVERED), dedup.judge(WITHDRAWN)
    dedup.settle(delivered=[delivered.number], withdrawn=[withdrawn.number])
    return dedup


def end(stores: Stores, dedup: Deduplicator, how: str) -> None:
    if how == "closed":
        dedup.close()
    else:
        stores.kill(dedup.store)
        dedup.journal.close()


def kinds(dedup: Deduplicator, pages: list[Page]) -> list[str]:
    return [str(dedup.probe(page).kind) for page in pages]


@pytest.mark.parametrize("how", ["closed", "killed"])
@pytest.mark.parametrize("other", ["open before", "opened after"])
def test_pending_pages_of_a_run_that_has_ended_pass_again(
    stores: Stores, place: Any, how: str, other: str
) -> None:
    first = begin(stores, place)
    later = Deduplicator(stores.open(place)) if other == "open before" else None
    if later:
        assert kinds(later, [PENDING, copy_of(PENDING)]) == ["unchanged", "exact"]
    end(stores, first, how)
    later = later or Deduplicator(stores.open(place))
    with later:
        assert kinds(later, [PENDING, copy_of(PENDING)]) == ["unique", "unique"]
        assert kinds(later, [DELIVERED, copy_of(DELIVERED)]) == ["unchanged", "exact"]
        assert kinds(later, [WITHDRAWN, copy_of(WITHDRAWN)]) == ["unique", "unique"]
        assert later.process(copy_of(PENDING)).kind == "unique"
        assert later.process(PENDING).original == copy_of(PENDING).url


def test_nothing_is_left_of_pending_pages_when_the_next_run_begins(
    stores: Stores, place: Any
) -> None:
    end(stores, begin(stores, place), "killed")
    with stores.open(place) as store, store.snapshot() as view:
        assert list(view.numbers()) == [2]
        assert view.url(url_key(PENDING.url)) is None
        assert view.last_text(url_key(PENDING.url)) is None
        assert view.last_page == 3, "numbers are not given twice"
    assert not stores.damages(place)


def test_a_copy_passes_again_when_the_run_of_its_original_is_killed(
    stores: Stores, place: Any
) -> None:
    first = begin(stores, place)
    with Deduplicator(stores.open(place)) as later:
        dropped = later.judge(copy_of(PENDING))
        assert (dropped.verdict.kind, dropped.in_doubt) == ("exact", True)
        assert later.status(dropped.original) == "pending"
        end(stores, first, "killed")
        assert later.status(dropped.original) == "gone"
        assert later.process(copy_of(PENDING)).kind == "unique"


def test_pending_pages_of_runs_that_go_on_stay(stores: Stores, place: Any) -> None:
    first = begin(stores, place)
    end(stores, Deduplicator(stores.open(place, run="second")), "killed")
    with Deduplicator(stores.open(place, run="third")) as third:
        assert kinds(third, [PENDING, copy_of(PENDING)]) == ["unchanged", "exact"]
        assert third.store.dead_runs() == ([] if stores.has_folder else ["second"])
    first.close()


def test_the_journal_of_a_killed_run_is_completed(stores: Stores, place: Any) -> None:
    if not stores.has_folder:
        pytest.skip("keeps no journals")
    first = begin(stores, place)
    end(stores, first, "killed")
    path = first.journal.path
    path.write_bytes(path.read_bytes()[:-7])
    with Deduplicator(stores.open(place)) as later:
        whole = path.read_bytes()
        with later.store.snapshot() as view:
            assert whole.splitlines() == list(view.decisions())
            assert "finished" in view.runs()[0]
    urls = [json.loads(line)["url"] for line in whole.splitlines()]
    assert urls == [PENDING.url, DELIVERED.url, WITHDRAWN.url]


def test_a_dead_run_is_dead_for_all_who_look_at_once(stores: Stores, place: Any) -> None:
    stores.kill(stores.open(place, run="first"))
    with stores.open(place) as later, ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: later.dead_runs(), range(5000))
        assert {*map(tuple, found)} == {("first",)}
