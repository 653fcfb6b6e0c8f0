from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.crawling import Web
from tests.support.much import PAGES
from tests.support.stores import invented
from tests.support.texts import html


@pytest.fixture(scope="module")
def much_web() -> Iterator[Web]:
    """Pages with so much text that a small store gets full."""
    with Web() as web:
        for number in range(PAGES):
            web.put(f"/{number}", html([invented(100 * number + part) for part in range(24)]))
        yield web
