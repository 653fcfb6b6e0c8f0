from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from dedup_middleware.store.redis import connection, postings
from tests.support.servers import ServerProcess, any_program, shared_server
from tests.support.stores import KINDS, Stores


@pytest.fixture(scope="module", params=KINDS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Each kind of store in turn."""
    return KINDS[request.param](lambda: tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session", autouse=True)
def short_log() -> Iterator[None]:
    """Have the log of a store on a server compacted often, as in a crawl of many pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "LONG", 5)
        patch.setattr(postings, "LEFT", 2)
        patch.setattr(postings, "AGAIN", 2)
        yield


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
