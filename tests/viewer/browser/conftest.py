from __future__ import annotations

from pathlib import Path

import pytest

from .chromium import Chromium
from .pages import crawl, journal, scan, write_report


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    try:
        yield chromium
    finally:
        chromium.quit()


@pytest.fixture
def chromium(browser):
    """The browser; at the end, its console must be empty."""
    browser.reset()
    browser.console()
    browser.requests()
    yield browser
    assert browser.run("return window.__violations") == []
    assert browser.run("return window.__pwned ?? null") is None
    assert browser.console() == []


@pytest.fixture(scope="session")
def crawl_folder(tmp_path_factory) -> Path:
    """A folder with a store that was scanned into."""
    crawl_folder = tmp_path_factory.mktemp("scanned")
    scan(crawl_folder, crawl())
    return crawl_folder


@pytest.fixture(scope="session")
def decisions(crawl_folder):
    return journal(crawl_folder / "store")


@pytest.fixture(scope="session")
def address(crawl_folder):
    return write_report(crawl_folder).as_uri()


@pytest.fixture
def page(chromium, address):
    chromium.open(address)
    return chromium
