from __future__ import annotations

import pytest

from dedup_middleware.sites import Sites
from dedup_middleware.store.memory import MemoryStore
from tests.support.stores import KINDS, Stores


@pytest.fixture(scope="module", params=KINDS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Each kind of store in turn."""
    return KINDS[request.param](lambda: tmp_path_factory.mktemp("store"))


@pytest.fixture
def sites() -> Sites:
    return Sites(MemoryStore(), salt="crawl", explore=0.0)
