"""What a commit changes, and what others see meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from dedup_middleware import Deduplicator, Page, SchemeMismatch
from dedup_middleware.read import read
from dedup_middleware.store import Change, Copy, Registration, Seen, Store
from dedup_middleware.store.tables import Tables
from dedup_middleware.urls import url_key
from tests.support.stores import NO_TEXT, Stores, made_up, register
from tests.support.texts import article, html

URL = "https://a.example/"


@pytest.fixture
def store(stores: Stores) -> Any:
    with stores.open(stores.new_place()) as store:
        yield store


def contents(store: Store) -> tuple[Any, ...]:
    with store.snapshot() as view:
        return (
            [(page.number, page.url) for page in view.records(view.numbers())],
            view.url(url_key(URL)),
            view.last_text(url_key(URL)),
            list(view.decisions()),
            view.candidates(made_up(1, [1, 2]), alike=True, cap=9, most=9).alike,
        )


def fail(tables: Tables, number: int) -> None:
    raise KeyError(number)


@pytest.mark.parametrize(
    ("index", "decision", "error"),
    [(fail, {"seq": None}, KeyError), (None, {"seq": None, "url": object()}, TypeError)],
)
def test_a_change_that_fails_is_not_made_in_part(
    store: Store, index: Any, decision: dict[str, Any], error: type[Exception]
) -> None:
    register(store, URL, made_up(1, [1, 2]))
    before = contents(store)
    with store.snapshot() as view:
        page = made_up(1, [1, 2, 3])
        keys = view.candidates(page, alike=True, cap=9, most=9).keys
        seen = Seen(view.last_page, view.url(url_key(URL)))
    new = Registration(URL, page, NO_TEXT, keys, delivered=True, index=index)
    with pytest.raises(error):
        store.commit(Change(url_key(URL), new, decision), seen)
    assert contents(store) == before
    register(store, URL, page)
    assert contents(store) != before


def test_looking_while_others_write(stores: Stores) -> None:
    place, each = stores.new_place(), 150
    errors: list[Exception] = []

    def write(name: str) -> None:
        try:
            with stores.open(place) as store:
                for n in range(each):
                    page = register(store, f"https://{name}.example/{n}", made_up(n, [1, n]))
                    key = url_key(f"https://{name}.example/copies/{n}")
                    copy = Copy(b"\0" * 32, page)
                    store.commit(Change(key, copy, {"seq": None}), Seen(0, None))
                    store.settle(withdrawn=[page // 2], seen_again=[page])
        except Exception as error:  # noqa: BLE001 - shown by the test
            errors.append(error)

    with stores.open(place) as store:
        writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            with store.snapshot() as view:
                numbers = list(view.numbers())
                assert numbers == sorted(numbers)
                assert max(numbers, default=0) <= view.last_page
                shown = [page.number for page in view.records(numbers)]
                assert len(view.outlines(shown)) == len(shown)
                found = view.candidates(made_up(1, [1]), alike=True, cap=9, most=2 * each).alike
                assert max(found, default=0) <= view.last_page
                assert all("started" in run for run in view.runs())
                assert 0 <= view.copies() <= 2 * each
        with store.snapshot() as view:
            assert view.copies() == len(list(view.decisions())) == view.last_page == 2 * each
    assert not errors


def kept(dedup: Deduplicator, url: str) -> Any:
    with dedup.store.snapshot() as view:
        return view.last_text(url_key(url))


def test_what_a_url_shows_now_is_kept_and_not_what_it_showed_before(stores: Stores) -> None:
    original = html(article(1))
    near = html(article(1), site="news")
    with Deduplicator(stores.open(stores.new_place()), cross_host={"near": "drop"}) as dedup:
        dedup.process(Page(url="https://original.example/", html=original))
        for source, kind in ((near, "near"), (near, "unchanged"), (original, "exact")):
            page = Page(url=URL, html=source)
            assert dedup.process(page).kind == kind
            assert kept(dedup, URL) == read(page)
        other = Page(url=URL, html=html(article(2)))
        assert dedup.process(other).kind == "updated"
        assert kept(dedup, URL) == read(other)


def test_pages_that_another_method_has_indexed_are_refused(stores: Stores) -> None:
    place = stores.new_place()
    with Deduplicator(stores.open(place), method="minhash") as dedup:
        dedup.process(Page(url=URL, html=html(article(1))))
    with stores.open(place) as store:
        with pytest.raises(SchemeMismatch, match="minhash, not by cascade"):
            store.check_method("cascade")
        store.check_method("minhash")
