"""URLs of stores on servers, and servers that can't be used."""

from __future__ import annotations

import sys

import pytest

from dedup_middleware import Deduplicator, NotAStore, SchemeMismatch, SettingError, StoreError
from dedup_middleware.store import open_reader
from dedup_middleware.store.engine import NUMBER
from dedup_middleware.store.redis import connection
from dedup_middleware.urls import Address, is_url
from tests.support.servers import ServerProcess, shared_server
from tests.support.stores import short_page as page


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


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@h/0",
        "redis://:secret#more@h:1/0",
        "redis://user:x/secret@h:1/0",
        "redis://h:1/0?prefix=a&socket_timeout=secret",
        "redis://:secret@h:notaport/0",
    ],
)
def test_passwords_are_in_no_error(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        Deduplicator(url)
    shown: BaseException | None = refused.value
    assert "secret" not in str(shown)


@pytest.mark.usefixtures("few_tries")
def test_tls_on_a_port_without_it_is_told_soon(
    own_server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connection.CONNECT_SECONDS <= 5
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with pytest.raises(StoreError, match=r"Can't reach the server rediss://.*TLS on that port"):
        Deduplicator(own_server.url.replace("redis://", "rediss://"))


def test_prefixes_are_stores_of_their_own(place: str) -> None:
    with Deduplicator(place) as one, Deduplicator(f"{place}-other") as other:
        assert one.process(page(1)).kind == "unique"
        assert other.process(page(1)).kind == "unique"
    with Deduplicator(place) as again:
        assert again.process(page(1)).kind == "unchanged"


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
    assert shared_server().call("HGET", meta, "run") == NUMBER.pack(1)


def test_keys_of_another_program_are_left_alone(place: str) -> None:
    with pytest.raises(NotAStore, match="no dedup store"):
        open_reader(place)
    shared_server().call("SET", f"{{{Address.parse(place).prefix}}}:meta", "theirs")
    with pytest.raises(NotAStore, match="another program"):
        Deduplicator(place)
