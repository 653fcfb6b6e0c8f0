"""What one page costs in calls: counts that a change must not let grow unnoticed."""

from __future__ import annotations

import pytest

from benchmarks.calls.counting import count
from dedup_middleware import Deduplicator, Page
from tests.support.texts import article, html

URL = "https://a.example/{}"
MOST_LIKE_NOTHING = (170, 36)
MOST_NEAR = (560, 50)
"""Own Python calls, and files that they are in."""


@pytest.fixture
def dedup(tmp_path):
    with Deduplicator(tmp_path / "store", is_sole=True) as opened:
        for number in range(3):  # what is loaded once
            opened.process(
                Page(url=URL.format(f"warm-{number}"), html=html(article(1 + number // 2)))
            )
        yield opened


def test_a_page_like_nothing(dedup):
    calls, kind, stage = count(dedup, Page(url=URL.format("new"), html=html(article(40, 300))))
    assert (kind, stage) == ("unique", "lookup")
    assert calls.own.total() <= MOST_LIKE_NOTHING[0], calls.own.most_common()
    assert calls.files <= MOST_LIKE_NOTHING[1]
    assert calls.core <= 6


def test_a_near_copy(dedup):
    parts = article(41, 300)
    dedup.process(Page(url=URL.format("original"), html=html(parts)))
    copy = Page(url=URL.format("copy"), html=html([*parts, "One more sentence is at its end."]))
    calls, kind, stage = count(dedup, copy)
    assert (kind, stage) == ("near", "sentences")
    assert calls.own.total() <= MOST_NEAR[0], calls.own.most_common()
    assert calls.files <= MOST_NEAR[1]
    assert calls.core <= 22


def test_the_core_is_as_it_was(dedup):
    from dedup_middleware import core

    before = core.call, core.call_parts
    count(dedup, Page(url=URL.format("again"), html=html(article(42))))
    assert (core.call, core.call_parts) == before
