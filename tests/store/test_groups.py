"""Pages that are judged together: as if one after another, in fewer round trips."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page
from dedup_middleware.deduplicator import Receipt
from dedup_middleware.group import Case
from dedup_middleware.store.redis import connection, postings
from dedup_middleware.urls import Address
from tests.support.servers import Cut, shared_server
from tests.support.stores import Stores, short_page
from tests.support.texts import article, html, related_pages


def site_pages(seed: int, count: int) -> list[Page]:
    """Return pages of a few hosts, most of them of one, that declare addresses."""
    pages = []
    for number, one in enumerate(related_pages(seed, count, urls=3 * count)):
        canonical = f'<link rel=canonical href="https://0.site0.example/{number // 2}">'
        url = f"{one.url}{number}" if number % 3 else f"https://0.site0.example/{number}"
        text = f"<p>{short_page(number).text}" if number % 2 else ""
        pages.append(Page(url=url, html=f"{canonical}{one.html}{text}"))
    return pages


def judged(
    stores: Stores, pages: list[Page], sizes: list[int], options: dict[str, Any], *, together: bool
) -> tuple[list[Any], list[Any]]:
    """Judge pages, each delivered with the next group; return answers and decisions."""
    answers, delivered, at, place = [], [], 0, stores.new_place()
    with Deduplicator(stores.open(place, run="only"), **options) as dedup:
        while at < len(pages):
            size = sizes[at % len(sizes)]
            first, *rest = pages[at : at + size]
            cases = [Case(first, delivered=delivered), *map(Case, rest)]
            groups = [cases] if together else [[case] for case in cases]
            receipts = [one for group in groups for one in dedup.judge_all(group)]
            assert all(isinstance(one, Receipt) for one in receipts), receipts
            delivered = [one.number for one in receipts if one.number]
            answers += [(one.verdict, one.number, one.original, one.sequence) for one in receipts]
            at += size
        dedup.settle(delivered=delivered)
        with dedup.store.snapshot() as view:
            decisions = [json.loads(line) for line in view.decisions()]
            records = view.records(view.numbers())
    assert all(record.delivered for record in records)
    assert not stores.damages(place)
    for decision in decisions:
        del decision["time"], decision["ms"]
    return answers, decisions


@pytest.mark.parametrize("options", [{}, {"survivor": "best"}, {"method": "minhash"}])
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), sizes=st.lists(st.integers(2, 9), min_size=1, max_size=5))
def test_groups_say_what_single_pages_say(
    stores: Stores, options: dict[str, Any], seed: int, sizes: list[int]
) -> None:
    pages = [*site_pages(seed, 18), *related_pages(seed, 12, urls=8)]
    answers = judged(stores, pages, sizes, options, together=True)
    assert answers == judged(stores, pages, sizes, options, together=False)


def test_groups_learn_what_changes_by_itself_as_single_pages_do(stores: Stores) -> None:
    pages = []
    for time in range(36):  # twelve pages with a clock, three times
        clock = f"It is {time} minutes past nine here, in our time"
        text = html([*article(time % 12, 60), clock], f"Page {time % 12}")
        pages.append(Page(url=f"https://a.example/{time % 12}", html=text))
    answers = judged(stores, pages, [7, 5], {}, together=True)
    assert answers == judged(stores, pages, [7, 5], {}, together=False)
    kinds = [str(verdict.kind) for verdict, *_ in answers[0]]
    assert kinds == ["unique"] * 12 + ["updated"] * 8 + ["unchanged"] * 16


def test_what_comes_meanwhile_costs_one_page_of_a_group(stores: Stores) -> None:
    place, pages = stores.new_place(), [short_page(seed) for seed in range(5)]
    with (
        Deduplicator(stores.open(place, run="one")) as one,
        Deduplicator(stores.open(place, run="other")) as other,
    ):
        one.process(short_page(9))
        commit, judged = one.store.commit_all, []

        def commit_late(changes: Any) -> Any:
            one.store.commit_all = commit
            other.process(Page(url="https://copy.example/", text=pages[2].text))
            return commit(changes)

        one.store.commit_all = commit_late
        judge = one._judge
        one._judge = lambda subject, *rest: (judged.append(subject.url), judge(subject, *rest))[1]
        receipts = one.judge_all(list(map(Case, pages)))
    kinds = [str(receipt.verdict.kind) for receipt in receipts]
    assert kinds == ["unique", "unique", "exact", "unique", "unique"]
    assert judged == [*(page.url for page in pages), pages[2].url]
    assert [receipt.number for receipt in receipts] == [3, 4, None, 5, 6]


def test_a_page_that_fails_costs_no_other(stores: Stores) -> None:
    with Deduplicator(stores.open(stores.new_place(), run="only")) as dedup:
        dedup.process(short_page(9))
        cases = [Case(short_page(1)), Case(None), Case(short_page(2))]  # type: ignore[arg-type]  # a mistake
        first, failed, last = dedup.judge_all(cases)
        assert isinstance(failed, AttributeError)
        assert [first.number, last.number] == [2, 3]
        assert dedup.probe(short_page(2)).kind == "unchanged"


def test_a_group_takes_three_round_trips(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trips: list[int] = []

    def counted(self: Any, commands: Any) -> Any:
        trips.append(len(commands))
        return send(self, commands)

    with Deduplicator(place) as dedup:
        known = dedup.judge(Page(url="https://known.example/", html=html(article(1))))
        send = connection.Server._exchange
        monkeypatch.setattr(connection.Server, "_exchange", counted)
        monkeypatch.setattr(postings, "LONG", 1000)
        cases = [Case(short_page(seed)) for seed in range(7)]
        copy = Page(url="https://copy.example/", html=html(article(1)))
        receipts = dedup.judge_all([Case(copy, delivered=[known.number]), *cases])
        assert len(trips) == 3, "one to look, one for the known page, one to commit"
        assert dedup.status(known.number) == "delivered"
    assert [str(one.verdict.kind) for one in receipts] == ["exact"] + ["unique"] * 7


def test_a_group_whose_answer_was_lost_is_not_committed_twice(place: str) -> None:
    cut = Cut(shared_server().port)
    with Deduplicator(f"{cut.url}?prefix={Address.parse(place).prefix}") as dedup:
        dedup.process(short_page(9))
        cut.word = connection.script()[1].encode()
        receipts = dedup.judge_all([Case(short_page(seed)) for seed in range(4)])
        assert [one.number for one in receipts] == [2, 3, 4, 5]
        assert [one.sequence for one in receipts] == [2, 3, 4, 5]
        with dedup.store.snapshot() as view:
            assert view.last_page == view.last_sequence() == 5
    assert cut.cuts == 1
    cut.close()
