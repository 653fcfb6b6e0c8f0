"""Fixtures of the unit tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page, Verdict

Judge = Callable[..., list[Verdict]]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Judge pages one after the other: the first at a.example, the second at b.example, …"""

    def run(*pages: str, kind: str = "html", store: str = "store", **settings) -> list[Verdict]:
        with Deduplicator(tmp_path / store, **settings) as dedup:
            return [
                dedup.process(Page(url=f"https://{chr(97 + at)}.example/", **{kind: page}))
                for at, page in enumerate(pages)
            ]

    return run
