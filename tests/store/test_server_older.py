"""A server that comes back with older data, and what the script that applies batches touches."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dedup_middleware import Deduplicator, StoreError
from dedup_middleware.store import open_reader
from dedup_middleware.store.redis import connection, postings
from tests.support.servers import ServerProcess, shared_server
from tests.support.stores import short_page as page


def saved(server: ServerProcess) -> bytes:
    server.call("SAVE")
    return (server.folder / "dump.rdb").read_bytes()


def put_back(server: ServerProcess, data: bytes) -> None:
    """Restart a server with the data of an earlier moment."""
    server.stop(kill=True)
    (server.folder / "dump.rdb").write_bytes(data)
    server.start()


@pytest.mark.parametrize("asked", ["process", "probe"])
def test_older_data_are_told_at_the_next_page(own_server: ServerProcess, asked: str) -> None:
    with Deduplicator(own_server.url) as dedup:
        dedup.process(page(1))
        before = saved(own_server)
        dedup.process(page(2))
        put_back(own_server, before)
        with pytest.raises(StoreError, match=r"older data than this run has seen.*Start the run"):
            getattr(dedup, asked)(page(3))
        with pytest.raises(StoreError, match="older data"):
            dedup.process(page(4))
    with Deduplicator(own_server.url) as dedup:
        kinds = [str(dedup.process(page(seed)).kind) for seed in (1, 2)]
    assert kinds == ["unchanged", "unique"]


def test_no_number_is_given_twice_that_a_run_was_given(own_server: ServerProcess) -> None:
    """Another run goes on first, so that the store seems to be as new as before."""
    with Deduplicator(own_server.url) as one, Deduplicator(own_server.url) as other:
        one.process(page(1))
        before = saved(own_server)
        given = one.judge(page(2)).number
        put_back(own_server, before)
        for seed in range(3, 9):
            other.process(page(seed))
        with pytest.raises(StoreError, match="older data"):
            one.process(page(9))
        with pytest.raises(StoreError, match="older data"):
            one.settle(withdrawn=[given])


@pytest.mark.parametrize("asked", ["process", "probe"])
def test_older_data_are_told_to_a_run_that_has_only_looked(
    own_server: ServerProcess, asked: str
) -> None:
    """What it has seen since the snapshot was others', and others have gone on in its place."""
    with Deduplicator(own_server.url) as one:
        one.process(page(1))
        before = saved(own_server)
        with Deduplicator(own_server.url) as lost:
            for seed in range(2, 5):
                lost.process(page(seed))
            assert str(one.probe(page(3)).kind) == "unchanged"
            put_back(own_server, before)
            with Deduplicator(own_server.url) as other:
                for seed in range(10, 30):
                    other.process(page(seed))
            with pytest.raises(StoreError, match="older data"):
                getattr(one, asked)(page(3))
            with pytest.raises(StoreError, match="older data"):
                one.process(page(10))


def test_all_keys_are_declared(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    send = connection.Server.apply

    def noted(self: Any, leases: Any, arguments: Any) -> Any:
        used.update((*self.names.values(), *leases))
        return send(self, leases, arguments)

    monkeypatch.setattr(connection.Server, "apply", noted)
    with Deduplicator(place) as one, Deduplicator(place) as other:
        one.judge(page(1))
        for seed in range(20):
            other.process(page(seed))
            other.judge(page(1))
    prefix = place.rpartition("=")[2]
    there = {name.decode() for name in shared_server().call("KEYS", f"{{{prefix}}}*")}
    assert there <= used
    source = connection.script()[0]
    assert not re.search(r"call\(\s*'\w+',\s*'", source), "no key is written into the script"
    assert {f"{{{prefix}}}:{key}" for key in connection.KEYS} <= used


def test_a_run_whose_lease_has_expired_is_marked_dead_by_whoever_finds_it(place: str) -> None:
    with Deduplicator(place, run="paused") as paused, Deduplicator(place, run="other") as other:
        paused.judge(page(1))
        assert str(other.probe(page(1)).kind) == "unchanged"
        shared_server().call("DEL", paused.store.engine.lease.key)
        assert str(other.probe(page(1)).kind) == "unique"
        paused.store.engine.lease._renew()  # it goes on, too late
        assert str(other.probe(page(1)).kind) == "unique"
        assert str(paused.probe(page(1)).kind) == "unchanged", "for itself it is there"
        with other.store.snapshot() as view:
            assert ["died" in run for run in view.runs()] == [True, False]


def test_withdrawn_pages_leave_the_buckets(place: str) -> None:
    with Deduplicator(place) as dedup:
        for seed in range(12):
            number = dedup.judge(page(seed)).number
            dedup.settle(withdrawn=[number] if seed % 2 else [], delivered=[number])
    with open_reader(place) as reader, reader.snapshot() as view:
        entries = [data for _, data in reader.engine.server.entries("postings")]
        pages = np.frombuffer(b"".join(entries), postings.ENTRY)["page"]
        posted = {*pages[pages <= view.last_page - 6].tolist()}
    assert posted <= set(range(1, 13, 2))
