"""A store that only one run uses: what is learned of hosts is written less often."""

from __future__ import annotations

from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint.site import SiteCounts
from dedup_middleware.store import open_reader
from dedup_middleware.store.lmdb import sites
from dedup_middleware.urls import host_key
from tests.support.texts import article, html

HOST = "https://a.example"


def judged(folder: Path, count: int, *, is_sole: bool, hosts: int = 1) -> Deduplicator:
    dedup = Deduplicator(folder, is_sole=is_sole)
    for number in range(count):
        url = f"https://{'abcdef'[number % hosts]}.example/{number}"
        dedup.process(Page(url=url, html=html(article(number))))
    return dedup


def learned(folder: Path, host: str = HOST) -> int:
    """Return how many pages the stored counts of a host have."""
    with open_reader(folder) as reader, reader.snapshot() as view:
        packed = dict(view.entries("site_counts")).get(host_key(host))
    return SiteCounts.packed_pages(packed) if packed else 0


def test_counts_are_written_with_each_generation_and_at_the_end(tmp_path: Path) -> None:
    dedup = judged(tmp_path / "s", 6, is_sole=True)
    assert learned(tmp_path / "s") == 4
    dedup.close()
    assert learned(tmp_path / "s") == 6


def test_counts_are_written_with_each_page_where_others_write(tmp_path: Path) -> None:
    with judged(tmp_path / "s", 6, is_sole=False), judged(tmp_path / "s", 0, is_sole=True):
        assert learned(tmp_path / "s") == 6


def test_the_same_is_learned_either_way(tmp_path: Path) -> None:
    tables = []
    for is_sole in (True, False):
        folder = tmp_path / str(is_sole)
        judged(folder, 9, is_sole=is_sole).close()
        judged(folder, 12, is_sole=is_sole).close()  # goes on with what it finds
        with open_reader(folder) as reader, reader.snapshot() as view:
            tables.append([dict(view.entries(name)) for name in ("sites", "site_counts")])
    assert tables[0] == tables[1]


def test_counts_that_make_room_for_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "MOST_HOSTS", 2)
    with judged(tmp_path / "s", 3, is_sole=True, hosts=3):
        assert [learned(tmp_path / "s", f"https://{name}.example") for name in "abc"] == [1, 0, 0]
    assert [learned(tmp_path / "s", f"https://{name}.example") for name in "abc"] == [1, 1, 1]
