from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support import forking

# the same examples in each run, so that a change fails for what it changes; others by RANDOM=1
settings.register_profile("shared machine", deadline=None, derandomize="RANDOM" not in os.environ)
settings.load_profile("shared machine")


@pytest.fixture(scope="session", autouse=True)
def forked_checks() -> Iterator[None]:
    """Fork the process in which stores have their files checked; commands start a new one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dedup_middleware.store.lmdb.checkpoint.subprocess", forking)
        yield


@pytest.fixture(scope="module")
def web():
    """Return a web server without pages; tests put them there."""
    from tests.support.crawling import Web  # brings Scrapy with it

    with Web() as web:
        yield web
