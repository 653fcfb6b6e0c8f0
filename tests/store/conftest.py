from __future__ import annotations

import pytest

from tests.support.stores import KINDS, Stores


@pytest.fixture(scope="module", params=KINDS)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Each kind of store in turn."""
    return KINDS[request.param](lambda: tmp_path_factory.mktemp("store"))
