"""Stores on a server: what can go wrong there, and what is different from a folder."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from redis.client import Pipeline
from redis.exceptions import ConnectionError as LostConnection

from dedup_middleware import (
    Deduplicator,
    NotAStore,
    Page,
    SchemeMismatch,
    SettingError,
    StoreError,
    StoreFull,
)
from dedup_middleware.address import Address, is_url
from dedup_middleware.store import Change, Seen, open_reader, open_store
from dedup_middleware.store.forgetting import Forgotten, older_than
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.store.redis import connection
from dedup_middleware.urls import host_key, url_key
from tests.support.servers import ServerProcess, any_program, server_programs, shared_server
from tests.support.stores import invented, made_up, register
from tests.support.texts import article, html, related_pages


@pytest.fixture
def place() -> str:
    return f"{shared_server().url}?prefix=p{secrets.token_hex(4)}"


@pytest.fixture
def few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TRIES", 0)


@pytest.fixture
def own_server(request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    """A server with the options that a test gives."""
    server = ServerProcess(any_program(), *getattr(request, "param", ()))
    yield server
    server.close()


def page(seed: int) -> Page:
    return Page(url=f"https://{seed}.example/", text=invented(seed))


def test_what_is_sent_together_is_sent_again_when_the_connection_is_lost(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, lost = Pipeline.execute, []

    def lose_first(pipeline: Pipeline) -> list[Any]:
        if not lost:
            lost.append(pipeline.reset())  # as the library leaves it
            raise LostConnection
        return send(pipeline)

    monkeypatch.setattr(Pipeline, "execute", lose_first)
    server = connection.Server(place)
    assert server.calls([("ECHO", "a"), ("ECHO", "b")]) == [b"a", b"b"]
    assert lost
    server.close()


# addresses


@pytest.mark.parametrize(
    ("url", "library", "name"),
    [
        ("redis://h", "redis://h", "redis://h:6379/0"),
        ("valkey://u:p@h:1/3", "redis://u:p@h:1/3", "redis://h:1/3"),
        ("valkeys://h/1?prefix=a", "rediss://h/1", "rediss://h:6379/1?prefix=a"),
        ("unix:///a.sock?db=2", "unix:///a.sock?db=2", "unix:///a.sock?db=2"),
        ("rediss://h?ssl_ca_certs=c", "rediss://h?ssl_ca_certs=c", "rediss://h:6379/0"),
    ],
)
def test_urls_name_a_server_a_database_and_a_prefix(url: str, library: str, name: str) -> None:
    assert is_url(url)
    address = Address.parse(url)
    assert (address.url, address.name) == (library, name)


@pytest.mark.parametrize("url", ["redis://h/name", "redis://h:x/", "redis://h?prefix=a%20b"])
def test_urls_that_name_nothing_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match="URL"):
        Address.parse(url)


def test_prefixes_are_stores_of_their_own(place: str) -> None:
    with Deduplicator(place) as one, Deduplicator(f"{place}-other") as other:
        assert one.process(page(1)).kind == "unique"
        assert other.process(page(1)).kind == "unique"
    with Deduplicator(place) as again:
        assert again.process(page(1)).kind == "unchanged"


# servers that can't be used


def test_the_client_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(SettingError, match=r"scrapy-dedup\[redis\]"):
        Deduplicator("redis://127.0.0.1:1/0")


@pytest.mark.usefixtures("few_tries")
def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(StoreError, match=r"Can't reach the server redis://127.0.0.1:1/0.*running"):
        Deduplicator("redis://127.0.0.1:1/0")


@pytest.mark.parametrize("own_server", [("--requirepass", "secret")], indirect=True)
def test_a_wrong_password_is_told_and_not_shown(own_server: ServerProcess) -> None:
    for given in ("", ":guess@"):
        with pytest.raises(StoreError, match="refuses the password") as refused:
            Deduplicator(own_server.url.replace("127", f"{given}127", 1))
        assert "guess" not in str(refused.value)
    with Deduplicator(own_server.url.replace("127", ":secret@127", 1)) as dedup:
        assert "secret" not in dedup.store.name


@pytest.mark.parametrize("own_server", [("--cluster-enabled", "yes")], indirect=True)
def test_a_cluster_is_refused(own_server: ServerProcess) -> None:
    with pytest.raises(StoreError, match="cluster"):
        Deduplicator(own_server.url)


def test_a_server_that_throws_entries_away_is_refused(own_server: ServerProcess) -> None:
    own_server.call("CONFIG", "SET", "maxmemory", "100mb")
    own_server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    with pytest.raises(StoreError, match="Set maxmemory-policy to noeviction"):
        Deduplicator(own_server.url)


def test_another_scheme_is_refused_and_left_alone(place: str) -> None:
    Deduplicator(place).close()
    meta = f"{{{Address.parse(place).prefix}}}:meta"
    shared_server().call("HSET", meta, "header", "dedup-0/md5 server-1")
    for opened in (Deduplicator, open_reader):
        with pytest.raises(SchemeMismatch, match=r"dedup-0/md5.*Start a new store"):
            opened(place)
    assert shared_server().call("HGET", meta, "run") == b"1"


def test_keys_of_another_program_are_left_alone(place: str) -> None:
    with pytest.raises(NotAStore, match="no dedup store"):
        open_reader(place)
    shared_server().call("SET", f"{{{Address.parse(place).prefix}}}:meta", "theirs")
    with pytest.raises(NotAStore, match="another program"):
        Deduplicator(place)


# trouble while a run is at it


def test_a_full_server_is_told_and_costs_nothing_that_was_stored(
    own_server: ServerProcess,
) -> None:
    with Deduplicator(own_server.url) as dedup:
        dedup.process(page(0))
        own_server.call("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StoreFull, match=r"maxmemory.*intact"):
            dedup.process(page(1))
        assert dedup.probe(page(0)).kind == "unchanged"
        own_server.call("CONFIG", "SET", "maxmemory", "0")
        assert dedup.process(page(1)).kind == "unique"
    with open_reader(own_server.url) as reader:
        assert not reader.verify(lambda _: None).found


@pytest.mark.parametrize("own_server", [("--appendonly", "yes")], indirect=True)
def test_a_restart_of_a_server_that_keeps_its_data_is_not_noticed(
    own_server: ServerProcess,
) -> None:
    with Deduplicator(own_server.url) as dedup:
        dedup.process(page(1))
        own_server.stop()
        starting = threading.Timer(0.5, own_server.start)
        starting.start()
        assert dedup.process(page(1)).kind == "unchanged"
        starting.join()
        assert dedup.process(page(2)).kind == "unique"


def test_a_restart_of_a_server_that_keeps_nothing_is_told(own_server: ServerProcess) -> None:
    with Deduplicator(own_server.url) as dedup:
        dedup.process(page(1))
        own_server.stop()
        own_server.start()
        with pytest.raises(StoreError, match="has lost the store since this run began"):
            dedup.process(page(2))
    with Deduplicator(own_server.url) as dedup:
        assert dedup.process(page(2)).kind == "unique"


@pytest.mark.usefixtures("few_tries")
def test_a_server_that_comes_back_is_used_again(own_server: ServerProcess) -> None:
    with Deduplicator(own_server.url) as dedup:
        own_server.process.send_signal(signal.SIGSTOP)
        own_server.process.send_signal(signal.SIGCONT)
        own_server.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        with suppress(StoreError):  # a try was lost
            dedup.process(page(1))
        assert dedup.process(page(1)).kind in {"unique", "unchanged"}


class Cut:
    """Stands between a store and its server, and keeps the answer to a command to itself."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listening.getsockname()[1]}/0"
        self.word = b""
        self.cuts = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._server_port))
        with client, server, suppress(OSError):
            while data := client.recv(1 << 20):
                server.sendall(data)
                # a command comes as one piece on this machine, and so does its answer
                answer = server.recv(1 << 20)
                if self.word and self.word in data:
                    self.word = b""
                    self.cuts += 1
                    return
                client.sendall(answer)

    def close(self) -> None:
        self._listening.close()


def test_a_commit_whose_answer_was_lost_is_not_made_twice(place: str) -> None:
    cut = Cut(shared_server().port)
    url = f"{cut.url}?prefix={Address.parse(place).prefix}"
    with open_store(url) as store:
        digest = connection._script("commit")[1].encode()
        for number in (1, 2):
            cut.word = digest if number == 2 else b""
            found = register(store, f"https://{number}.example/", made_up(number, [number]))
            assert found == number
        cut.word = digest
        with store.snapshot() as view:
            done = store.commit(
                Change(url_key("https://3.example/"), decision={"seq": None, "url": "3"}),
                Seen(view.last_page, None),
            )
        assert done.sequence == 1
        with store.snapshot() as view:
            assert view.last_page == 2
            assert list(view.decisions()) == [done.line]
    assert cut.cuts == 2
    cut.close()


def test_a_run_whose_beginning_was_lost_begins_once(place: str) -> None:
    cut = Cut(shared_server().port)
    cut.word = connection._script("begin")[1].encode()
    with open_store(f"{cut.url}?prefix={Address.parse(place).prefix}") as store:
        assert store.run_number == 1
        with store.snapshot() as view:
            assert len(view.runs()) == 1
    assert cut.cuts == 1
    cut.close()


CHILD = """
import sys
from dedup_middleware import Deduplicator, Page
from dedup_middleware.store.redis import lease
from tests.support.stores import invented
lease.SECONDS = 1.0
dedup = Deduplicator(sys.argv[1])
for seed in range(100_000):
    page = Page(url=f"https://{seed}.example/", text=invented(seed))
    dedup.receive(page, pending=bool(seed % 2))
    print(seed, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_process_loses_what_it_had_not_delivered(place: str) -> None:
    command = [sys.executable, "-c", textwrap.dedent(CHILD), place]
    root = Path(__file__).parents[2]
    with Deduplicator(place) as other:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
            for line in process.stdout:
                if int(line) == 20:
                    break
            assert other.probe(page(1)).kind == "unchanged"
            os.kill(process.pid, signal.SIGKILL)
        end = time.monotonic() + 20
        while other.probe(page(1)).kind == "unchanged":
            assert time.monotonic() < end, "its lease must run out"
            time.sleep(0.1)
        assert [str(other.probe(page(n)).kind) for n in range(4)] == ["unchanged", "unique"] * 2
    with open_store(place) as store:
        with store.snapshot() as view:
            records = view.records(view.numbers())
            assert all(record.delivered for record in records)
            assert len(records) >= 10
        assert len(store.dead_runs()) == 1
    with open_reader(place) as reader:
        assert not reader.verify(lambda _: None).found


# many at once


def shared_pages() -> list[Page]:
    """Return related pages, each at a URL of its own."""
    found = related_pages(7, 16)
    return [Page(url=f"{one.url}{n}", html=one.html) for n, one in enumerate(found)]


def work(store: str, seed: int) -> None:
    """Push pages from another process; runs spawned."""
    rng, pages = random.Random(seed), shared_pages()
    with Deduplicator(store) as dedup:
        for one in rng.sample(pages, len(pages)):
            receipt = dedup.receive(one)
            time.sleep(rng.random() / 200)
            dedup.settle(delivered=[receipt.number])


def test_processes_give_the_verdicts_of_some_serial_order(place: str) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(place, seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
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


# what is kept there


def test_postings_are_found_however_many_there_are(place: str) -> None:
    rng = random.Random(3)
    shingles = [[rng.getrandbits(56) for _ in range(40)] for _ in range(400)]
    with open_store(place) as store:
        for number, some in enumerate(shingles):
            register(store, f"https://{number}.example/", made_up(rng.getrandbits(64), some))
        with store.snapshot() as view:
            assert view.counter("buckets") > 200, "buckets were split"
            for number, some in enumerate(shingles):
                found = view.candidates(made_up(0, some[:5]), alike=True, cap=9, most=9)
                assert number + 1 in found.alike


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
            dedup.close(well=False)
            (reader.commit_run if run == "kept" else reader.discard_run)(run)
    with Deduplicator(place) as dedup:
        assert [str(dedup.probe(page(seed)).kind) for seed in (1, 2)] == ["unchanged", "unique"]
