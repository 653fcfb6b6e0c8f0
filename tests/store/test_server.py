"""Stores on a server: what many do at once, what is kept there, and what is changed by hand."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from typing import Any

import numpy as np
import pytest

from dedup_middleware import Deduplicator, Page, StoreError
from dedup_middleware.store import Ending, open_reader, open_store
from dedup_middleware.store.forgetting import Forgotten, older_than
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.store.redis import connection
from dedup_middleware.urls import host_key
from tests.support.patience import PATIENCE
from tests.support.servers import ServerProcess, server_programs
from tests.support.stores import invented
from tests.support.stores import short_page as page
from tests.support.texts import article, html, related_pages


def shared_pages() -> list[Page]:
    """Return related pages, each at a URL of its own."""
    found = related_pages(7, 16)
    return [Page(url=f"{one.url}{n}", html=one.html) for n, one in enumerate(found)]


def work(store: str, seed: int) -> None:
    """Push pages from another process; runs spawned."""
    rng, pages = random.Random(seed), shared_pages()
    with Deduplicator(store) as dedup:
        for one in rng.sample(pages, len(pages)):
            receipt = dedup.judge(one)
            time.sleep(rng.random() / 200)
            dedup.settle(delivered=[receipt.number])


def test_processes_give_the_verdicts_of_some_serial_order(place: str) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(place, seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE)
        assert worker.exitcode == 0
    with open_reader(place) as reader:
        assert not reader.verify(lambda _: None).found
        with reader.snapshot() as view:
            lines = [json.loads(line) for line in view.decisions()]
            known = {record.url for record in view.records(view.numbers())}
    assert [line["seq"] for line in lines] == list(range(1, 49))
    # sequence numbers name the serial order; one at a time in that order says the same
    by_url = {one.url: one for one in shared_pages()}
    with Deduplicator(MemoryStore()) as dedup:
        expected = [dedup.process(by_url[line["url"]]) for line in lines]
        with dedup.store.snapshot() as view:
            assert {record.url for record in view.records(view.numbers())} == known
    said = [(line["verdict"], line["original"]) for line in lines]
    assert said == [(str(verdict.kind), verdict.original) for verdict in expected]


def site_pages(count: int) -> list[Page]:
    return [
        Page(
            url=f"https://site.example/{n}",
            html=f"<title>{n} - Site</title><p>Imprint and terms of the site<p>Contact us"
            + html(article(n, 40)),
        )
        for n in range(count)
    ]


def test_the_memory_of_a_site_is_that_of_other_stores(place: str) -> None:
    host = host_key("https://site.example/")
    with Deduplicator(MemoryStore()) as model, Deduplicator(place) as dedup:
        for number, one in enumerate(site_pages(20)):
            assert model.process(one).kind == dedup.process(one).kind
            with model.store.snapshot() as expected, dedup.store.snapshot() as view:
                assert view.host(host) == expected.host(host)
                assert (
                    view.host(host).generation
                    == [0, 1, 2, 3][sum(number + 1 >= pages for pages in (4, 8, 16))]
                )


def test_a_page_takes_three_round_trips(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = 0

    def counted(self: Any, *arguments: Any) -> Any:
        nonlocal trips
        trips += 1
        return send(self, *arguments)

    send = connection.Server._retried
    monkeypatch.setattr(connection.Server, "_retried", counted)
    taken: dict[str, list[int]] = {}
    with Deduplicator(place) as dedup:
        for one in related_pages(5, 60, urls=40):
            before = trips
            kind = str(dedup.process(one).kind)
            taken.setdefault(kind, []).append(trips - before)
    assert len(taken) > 2
    assert np.median([count for counts in taken.values() for count in counts]) <= 3, taken


@pytest.mark.parametrize("name", ["valkey", "redis"])
def test_each_server_that_is_here_does(name: str) -> None:
    programs = server_programs()
    if name not in programs:
        pytest.skip(f"there is no {name}-server here")
    server = ServerProcess(programs[name])
    try:
        with Deduplicator(server.url) as dedup:
            kinds = [str(dedup.process(one).kind) for one in related_pages(5, 20, urls=10)]
        with Deduplicator(MemoryStore()) as model:
            assert kinds == [str(model.process(one).kind) for one in related_pages(5, 20, urls=10)]
    finally:
        server.close()


# what is changed by hand


def test_pages_and_decisions_are_forgotten(place: str) -> None:
    with Deduplicator(place, run="first") as dedup:
        dedup.process(page(1))
        dedup.process(Page(url="https://copy.example/", text=invented(1)))
    with Deduplicator(place, run="second") as dedup:
        dedup.process(page(2))
    with open_reader(place) as reader:
        with reader.snapshot() as view:
            chosen = older_than(view, view.runs()[1]["started"])
        expected = Forgotten(pages=1, copies=1, decisions=2)
        assert reader.forget(chosen, dry_run=True) == expected
        assert reader.forget(chosen) == expected
        with reader.snapshot() as view:
            assert list(view.numbers()) == [2]
            assert (view.first_sequence(), view.last_sequence(), view.copies()) == (3, 3, 0)
            assert [json.loads(line)["seq"] for line in view.decisions()] == [3]
        assert not reader.verify(lambda _: None).found
    with Deduplicator(place) as dedup:
        assert [str(dedup.process(page(seed)).kind) for seed in (1, 2)] == ["unique", "unchanged"]


def test_runs_are_committed_and_discarded_by_hand(place: str) -> None:
    for seed, run in ((1, "kept"), (2, "lost")):
        dedup = Deduplicator(open_store(place, run=run, commit="finish"))
        dedup.process(page(seed))
        with open_reader(place) as reader:
            with pytest.raises(StoreError, match="is alive"):
                reader.commit_run(run)
            dedup.close(Ending(succeeded=False))
            (reader.commit_run if run == "kept" else reader.discard_run)(run)
    with Deduplicator(place) as dedup:
        assert [str(dedup.probe(page(seed)).kind) for seed in (1, 2)] == ["unchanged", "unique"]


def test_a_page_that_changed_meanwhile_is_compared_with_all_that_came(place: str) -> None:
    first = page(1)
    with Deduplicator(place) as one, Deduplicator(place) as other:
        one.process(first)
        commit = one.store.commit_all

        def commit_late(changes: Any) -> Any:
            one.store.commit_all = commit
            other.process(Page(url=first.url, text=page(2).text))
            other.process(Page(url="https://copy.example/", text=first.text))
            return commit(changes)

        # of a page that is unchanged, for which nothing was found
        one.store.commit_all = commit_late
        verdict = one.process(first)
    assert (str(verdict.kind), verdict.original) == ("exact", "https://copy.example/")
