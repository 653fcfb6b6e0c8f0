from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.crawling import scrapy
from tests.support.decisions import add_decisions
from tests.support.serving import REMOVED, Server, feed


@pytest.fixture(scope="session")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was scanned into; a decision names a page whose text is gone."""
    folder = tmp_path_factory.mktemp("scanned")
    (folder / "feed.jsonl").write_text(feed(range(3)))
    scan = ("dedup", "scan", "feed.jsonl", "--store", "store", "-s", "DEDUP_MAX_LOSS=0.7")
    done = scrapy(folder, *scan)
    assert done.code == 0, done.log
    (journal,) = (folder / "store" / "journal").glob("*.jsonl")
    last = json.loads(journal.read_bytes().splitlines()[-1])
    add_decisions(folder / "store", {**last, "url": REMOVED, "verdict": "near"})
    return folder / "store"


@pytest.fixture(scope="module")
def folder(scanned: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the store, which a module may change."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(scanned, folder / "store")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    server = Server(folder, "--store", "store")
    try:
        yield server
        assert server.errors == ""
    finally:
        assert server.stop() == 0
