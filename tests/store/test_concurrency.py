"""Many at once give the verdicts of one at a time."""

from __future__ import annotations

import json
import multiprocessing
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.group import TicketOrder
from tests.support.patience import PATIENCE
from tests.support.stores import KINDS, Stores
from tests.support.texts import SITES, article, html, related_pages


def one_at_a_time(stores: Stores, arrived: list[Page]) -> list[tuple[str, str | None]]:
    with Deduplicator(stores.open(stores.new_place())) as dedup:
        return [(str(v.kind), v.original) for v in map(dedup.process, arrived)]


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), workers=st.integers(2, 8))
def test_threads_give_the_verdicts_of_arrival_order(
    stores: Stores, seed: int, workers: int
) -> None:
    arrived = related_pages(seed, 24)
    expected = one_at_a_time(stores, arrived)
    rng = random.Random(seed)
    with Deduplicator(stores.open(stores.new_place())) as dedup:
        tickets = [dedup.take_ticket() for _ in arrived]
        # in any order within a window, as an event loop with a worker pool would start them
        order = list(range(len(arrived)))
        for start in range(0, len(order), workers):
            window = order[start : start + workers]
            rng.shuffle(window)
            order[start : start + workers] = window
        with ThreadPoolExecutor(workers) as pool:
            futures = {
                index: pool.submit(dedup.process, arrived[index], arrival=tickets[index])
                for index in order
            }
            got = [
                (str(verdict.kind), verdict.original)
                for verdict in (futures[index].result() for index in range(len(arrived)))
            ]
    assert got == expected


def test_what_arrives_between_snapshot_and_commit_is_judged_too(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = article(1, 200)
    place = stores.new_place()
    with Deduplicator(stores.open(place)) as dedup, Deduplicator(stores.open(place)) as other:
        judge = dedup._judge
        turns = iter(range(3))

        def judge_while_others_arrive(*args):
            judgement = judge(*args)
            if (turn := next(turns, None)) is not None:
                for n in range(3):  # collections that hold the page, unlike each other
                    source = html([*parts, *article(2 + 3 * turn + n, 900)])
                    # each on a host of its own: what many pages of one share is boilerplate there
                    other.process(Page(url=f"https://o-{turn}-{n}.example/", html=source))
            return judgement

        monkeypatch.setattr(dedup, "_judge", judge_while_others_arrive)
        verdict = dedup.process(Page(url="https://p.example/", html=html(parts)))
    assert next(turns, None) is None, "three times something came in between"
    assert verdict.kind == "contained"
    assert verdict.original == "https://o-0-0.example/"


def test_an_original_that_falls_before_the_write_is_replaced(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Deduplicator(stores.open(stores.new_place())) as dedup:
        source = html(article(1))
        first = dedup.judge(Page(url="https://a.example/", html=source))
        wait = dedup._order.wait

        def withdraw_first(ticket: int) -> None:
            wait(ticket)
            dedup.settle(withdrawn=[first.number])

        monkeypatch.setattr(dedup._order, "wait", withdraw_first)
        assert dedup.process(Page(url="https://b.example/", html=source)).kind == "unique"


def test_a_url_is_new_if_the_page_that_it_copied_has_gone_meanwhile(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, copy = "https://a.example/", "https://b.example/"
    with Deduplicator(stores.open(stores.new_place())) as dedup:
        for url in (original, copy):
            dedup.process(Page(url=url, html=html(article(1))))
        first, second = dedup.take_ticket(), dedup.take_ticket()
        judge = dedup._judge

        def judge_while_the_original_is_replaced(*args):
            monkeypatch.undo()
            judgement = judge(*args)
            dedup.process(Page(url=original, html=html(article(2))), arrival=first)
            return judgement

        monkeypatch.setattr(dedup, "_judge", judge_while_the_original_is_replaced)
        page = Page(url=copy, html=html(article(3)))
        assert dedup.process(page, arrival=second).kind == "unique"


def test_a_page_that_fails_does_not_hold_up_those_behind_it(stores: Stores) -> None:
    with Deduplicator(stores.open(stores.new_place())) as dedup:
        first, second = dedup.take_ticket(), dedup.take_ticket()
        with pytest.raises(AttributeError):
            dedup.process(None, arrival=first)  # type: ignore[arg-type]  # a caller's mistake
        page = Page(url="https://a.example/", html=html(article(1)))
        assert dedup.process(page, arrival=second).kind == "unique"


def test_turns_come_in_order_of_tickets() -> None:
    turns, order = TicketOrder(), []
    tickets = [turns.take() for _ in range(5)]

    def use(ticket: int) -> None:
        turns.wait(ticket)
        order.append(ticket)
        turns.finish(ticket)

    threads = [threading.Thread(target=use, args=(ticket,)) for ticket in reversed(tickets)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert order == tickets


def work(store: str, seeds: list[int]) -> None:
    """Push pages from another process; runs spawned."""
    with Deduplicator(store) as dedup:
        for page in pages_of(seeds):
            dedup.process(page)


def pages_of(seeds: list[int]) -> list[Page]:
    return [
        Page(
            url=f"https://{seed}.site{seed % 4 // 2}.example/",
            html=html(article(seed % 3, 150), site=SITES[seed % 2]),
        )
        for seed in seeds
    ]


def test_processes_give_the_verdicts_of_some_serial_order(tmp_path: Path) -> None:
    store = str(tmp_path / "s")
    shares = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(store, share)) for share in shares]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE)
        assert worker.exitcode == 0
    lines = [
        json.loads(line)
        for path in Path(store, "journal").glob("*.jsonl")
        for line in path.read_bytes().splitlines()
    ]
    lines.sort(key=lambda entry: entry["seq"])
    assert [entry["seq"] for entry in lines] == list(range(1, 13))
    # the sequence numbers name the serial order; one at a time in that order says the same
    by_url = {page.url: page for share in shares for page in pages_of(share)}
    memory = KINDS["memory"](lambda: tmp_path)
    expected = one_at_a_time(memory, [by_url[entry["url"]] for entry in lines])
    assert [(entry["verdict"], entry["original"]) for entry in lines] == expected


def test_exact_copies_in_any_order_leave_one_original(stores: Stores) -> None:
    sources = [html(article(1), site=site) for site in SITES] + [html(article(2))]
    for order in permutations(range(3)):
        arrived = [Page(url=f"https://{n}.site.example/", html=sources[n]) for n in order]
        kinds = sorted(kind for kind, _ in one_at_a_time(stores, arrived))
        assert kinds == ["near", "unique", "unique"]


def test_a_store_is_not_used_after_a_fork(tmp_path: Path) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    with Deduplicator(tmp_path / "s") as dedup:
        page = Page(url="https://a.example/", html=html(article(1)))
        receiver, sender = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(
            target=_use_after_fork, args=(dedup, page, tmp_path / "s", sender)
        )
        child.start()
        child.join(PATIENCE)
        assert receiver.poll(PATIENCE)
        refused, kind = receiver.recv()
        assert "forked" in refused
        assert kind == "unique"


def _use_after_fork(dedup: Deduplicator, page: Page, store: Path, sender) -> None:
    try:
        dedup.process(page)
        refused = ""
    except StoreError as error:
        refused = str(error)
    with Deduplicator(store) as own:
        sender.send((refused, str(own.process(page).kind)))
