"""When the pages of a run count for others: each at once, or all when the run has succeeded."""

from __future__ import annotations

from typing import Any

import pytest

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.store import Ending, open_reader
from tests.support.stores import LmdbStores, Stores
from tests.support.texts import article, html

FIRST = Page(url="https://first.example/", html=html(article(1)))
COPY = Page(url="https://copy.example/", html=html(article(1)))
SECOND = Page(url="https://second.example/", html=html(article(2)))


@pytest.fixture
def place(stores: Stores) -> Any:
    return stores.new_place()


def begin(stores: Stores, place: Any, run: str, *pages: Page, commit: str) -> Deduplicator:
    dedup = Deduplicator(stores.open(place, run=run, commit=commit))
    for page in pages:
        dedup.settle(delivered=[dedup.judge(page).number])
    return dedup


def end(stores: Stores, dedup: Deduplicator, how: str) -> None:
    if how == "killed":
        stores.kill(dedup.store)
        dedup.journal.close()
    else:
        dedup.close(Ending(succeeded=how == "well", revoke=how == "revoked"))


def kinds(dedup: Deduplicator, *pages: Page) -> list[str]:
    return [str(dedup.probe(page).kind) for page in pages]


def test_a_run_notes_the_requests_that_it_saved(stores: Stores, place: Any) -> None:
    begin(stores, place, "first", FIRST, commit="page").close(
        Ending(requests_saved=7, sites={"skipped": {"slash": 3}})
    )
    other = Deduplicator(stores.open(place, run="other"))
    with other.store.snapshot() as view:
        assert [run.get("requests_saved") for run in view.runs()] == [7, None]
        assert [run.get("sites") for run in view.runs()] == [{"skipped": {"slash": 3}}, None]
    other.close()


@pytest.mark.parametrize(
    ("commit", "how", "counts"),
    [
        ("finish", "well", True),
        ("finish", "badly", False),
        ("finish", "killed", False),
        ("finish", "revoked", False),
        ("page", "badly", True),
        ("page", "killed", True),
        ("page", "revoked", False),
    ],
)
def test_who_knows_a_page(stores: Stores, place: Any, commit: str, how: str, counts: bool) -> None:
    known, unknown = ["unchanged", "exact"], ["unique", "unique"]
    first = begin(stores, place, "first", FIRST, commit=commit)
    other = Deduplicator(stores.open(place, run="other"))
    assert kinds(first, FIRST, COPY) == known, "its own run"
    assert kinds(other, FIRST, COPY) == (known if commit == "page" else unknown), "while it is on"
    end(stores, first, how)
    assert kinds(other, FIRST, COPY) == (known if counts else unknown), "when it has ended"
    other.close()
    with Deduplicator(stores.open(place, run="later")) as later:
        assert kinds(later, FIRST, COPY) == (known if counts else unknown), "for a later run"
    assert not stores.damages(place)


def test_what_a_dead_run_has_dropped_passes_again_too(stores: Stores, place: Any) -> None:
    end(stores, begin(stores, place, "first", FIRST, COPY, commit="finish"), "killed")
    with Deduplicator(stores.open(place, run="later", commit="finish")) as later:
        assert later.process(COPY).kind == "unique"
        assert later.process(FIRST).original == COPY.url


def test_an_update_by_a_dead_run_passes_again(stores: Stores, place: Any) -> None:
    end(stores, begin(stores, place, "first", FIRST, commit="finish"), "well")
    new = Page(url=FIRST.url, html=SECOND.html)
    end(stores, begin(stores, place, "second", new, commit="finish"), "killed")
    with Deduplicator(stores.open(place, run="third")) as third:
        assert third.process(new).action == "pass"


@pytest.mark.parametrize("how", ["well", "killed"])
def test_processes_of_one_name_are_one_run(stores: Stores, place: Any, how: str) -> None:
    one = begin(stores, place, "night", FIRST, commit="finish")
    two = begin(stores, place, "night", SECOND, commit="finish")
    assert kinds(one, SECOND) == kinds(two, FIRST) == ["unchanged"]
    end(stores, one, "well")
    other = Deduplicator(stores.open(place, run="other"))
    assert kinds(other, FIRST, SECOND) == ["unique", "unique"], "one still goes on"
    assert kinds(two, FIRST) == ["unchanged"]
    end(stores, two, how)
    other.close()
    with Deduplicator(stores.open(place, run="later")) as later:
        expected = ["unchanged", "unchanged" if how == "well" else "unique"]
        assert kinds(later, FIRST, SECOND) == expected, "what a dead process had passes again"


@pytest.mark.parametrize(("commit", "how"), [("finish", "killed"), ("page", "revoked")])
def test_a_process_that_joins_a_run_does_not_rely_on_one_that_failed(
    stores: Stores, place: Any, commit: str, how: str
) -> None:
    end(stores, begin(stores, place, "night", FIRST, commit=commit), how)
    with begin(stores, place, "night", commit=commit) as again:
        assert kinds(again, FIRST, COPY) == ["unique", "unique"]


@pytest.fixture
def stored(tmp_path) -> tuple[LmdbStores, Any]:
    stores = LmdbStores(lambda: tmp_path)
    return stores, stores.new_place()


def test_by_hand(stored: tuple[LmdbStores, Any]) -> None:
    stores, place = stored
    end(stores, begin(stores, place, "dead", FIRST, commit="finish"), "killed")
    with open_reader(place, write=True) as reader:
        reader.commit_run("dead")
        with pytest.raises(StoreError, match="count already"):
            reader.commit_run("dead")
        with pytest.raises(StoreError, match="no run other"):
            reader.discard_run("other")
    with begin(stores, place, "second", SECOND, commit="page") as second:
        assert kinds(second, FIRST) == ["unchanged"]
        with open_reader(place, write=True) as reader, pytest.raises(StoreError, match="alive"):
            reader.discard_run("second")
    with open_reader(place, write=True) as reader:
        reader.discard_run("second")
    with begin(stores, place, "third", commit="page") as third:
        assert kinds(third, FIRST, SECOND) == ["unchanged", "unique"]


def test_an_error_ends_a_run_badly(stored: tuple[LmdbStores, Any]) -> None:
    _, place = stored
    with pytest.raises(ZeroDivisionError), Deduplicator(place, commit="finish") as dedup:
        dedup.process(FIRST)
        raise ZeroDivisionError
    with Deduplicator(place, commit="finish") as later:
        assert kinds(later, FIRST) == ["unique"]


def test_what_a_killed_process_keeps_from_counting_counts_when_any_run_ends(
    stores: Stores, place: Any
) -> None:
    other = begin(stores, place, "other", commit="page")
    reader = begin(stores, place, "reader", commit="page")
    killed = begin(stores, place, "joined", SECOND, commit="finish")
    well = begin(stores, place, "joined", FIRST, commit="finish")
    end(stores, well, "well")
    assert kinds(reader, FIRST) == ["unique"], "the other process of its run is alive"
    end(stores, killed, "killed")
    end(stores, other, "well")
    assert kinds(reader, FIRST, COPY, SECOND) == ["unchanged", "exact", "unique"]
    reader.close()
