from __future__ import annotations

from pathlib import Path

import pytest

from .chromium import Chromium
from .pages import ARTICLES, lines, scan


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    try:
        yield chromium
    finally:
        chromium.end()


@pytest.fixture
def chromium(browser):
    """The browser, which must have nothing to complain of at the end."""
    browser.plain()
    browser.console()
    browser.requests()
    yield browser
    assert browser.run("return window.__violations") == []
    assert browser.run("return window.__pwned ?? null") is None
    assert browser.console() == []


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Path:
    """A folder with a store that was scanned into."""
    place = tmp_path_factory.mktemp("scanned")
    scan(place, lines(range(ARTICLES)))
    return place
