"""What goes wrong while a run uses a store on a server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dedup_middleware import Deduplicator, StoreError, StoreFull
from dedup_middleware.store import Change, Seen, open_reader, open_store
from dedup_middleware.store.redis import connection, engine
from dedup_middleware.urls import Address, url_key
from tests.support.servers import Cut, ServerProcess, shared_server
from tests.support.stores import made_up, register
from tests.support.stores import short_page as page


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
    own_server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = []

    def pause(seconds: float) -> None:
        """Be back when the call has been tried for the third time."""
        pauses.append(seconds)
        if len(pauses) == 3:
            own_server.start()

    with Deduplicator(own_server.url) as dedup:
        dedup.process(page(1))
        own_server.stop()
        monkeypatch.setattr(connection, "time", SimpleNamespace(sleep=pause))
        assert dedup.process(page(1)).kind == "unchanged"
        assert dedup.process(page(2)).kind == "unique"
    assert 3 <= len(pauses) <= connection.TRIES


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


def test_a_commit_whose_answer_was_lost_is_not_made_twice(place: str) -> None:
    cut = Cut(shared_server().port)
    url = f"{cut.url}?prefix={Address.parse(place).prefix}"
    with open_store(url) as store:
        digest = connection.script()[1].encode()
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
    cut.word = connection.script()[1].encode()
    with open_store(f"{cut.url}?prefix={Address.parse(place).prefix}") as store:
        assert store.run_number == 1
        with store.snapshot() as view:
            assert len(view.runs()) == 1
    assert cut.cuts == 1
    cut.close()


CHILD = """
import sys
from dedup_middleware import Deduplicator, Page
from tests.support.stores import invented
dedup = Deduplicator(sys.argv[1])
for seed in range(100_000):
    page = Page(url=f"https://{seed}.example/", text=invented(seed))
    dedup.judge(page, pending=bool(seed % 2))
    print(seed, flush=True)
"""


def let_run_out(store: Any, run: int) -> None:
    """Have the lease of a run expire, after a look at how long it is."""
    with store.snapshot() as view:
        name = store.engine.server.lease_name(view.numbered_runs()[run]["process"])
    assert 0 < shared_server().call("PTTL", name) <= 1000 * engine.LEASE_SECONDS
    shared_server().call("DEL", name)


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
        assert other.probe(page(1)).kind == "unchanged", "its lease has not run out yet"
        let_run_out(other.store, run=2)
        assert [str(other.probe(page(n)).kind) for n in range(4)] == ["unchanged", "unique"] * 2
    with open_store(place) as store:
        with store.snapshot() as view:
            records = view.records(view.numbers())
            assert all(record.delivered for record in records)
            assert len(records) >= 10
        assert len(store.dead_runs()) == 1
    with open_reader(place) as reader:
        assert not reader.verify(lambda _: None).found
