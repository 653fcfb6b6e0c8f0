"""What changed at a URL since it was last seen, by verdict, journal and commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.similarity.changes import LONGEST, MOST, changes
from tests.support.crawling import scrapy
from tests.support.texts import article, html

A, B = "https://a.example/", "https://b.example/"
PARTS = ["The tide is high at noon. The moon draws it twice a day.", *article(1, 60)]
EDITED = ["The tide is high at nine. The moon draws it twice a day.", *article(1, 60), *article(7)]


def outline(*parts: str):
    from dedup_middleware.read import read

    return read(Page(url=A, html=html(list(parts))))


def test_what_changed_between_two_versions():
    before = outline("It is new. It is old.", "It stays.")
    after = outline("It stays.", "It is old. It was said twice.", "It was said twice.")
    found = changes(before, after)
    assert (found.added, found.removed) == (("It was said twice.",) * 2, ("It is new.",))
    assert found.counts == (2, 1)
    assert found.share == pytest.approx((4 + 4 + 3) / (2 + 8 + 2 + 13))
    assert changes(before, before).share == 0


def test_what_is_kept_of_it_is_bounded():
    found = changes(outline("Old."), outline(*(f"{number} " + "x" * 999 for number in range(99))))
    assert found.counts == (99, 1)
    assert len(found.added) == MOST
    assert {len(text) for text in found.added} == {LONGEST + 1}


def test_the_verdict_and_the_commands_tell(tmp_path: Path):
    with Deduplicator(tmp_path / "store", run="first") as dedup:
        for url, parts in ((A, PARTS), (B, article(5)), (f"{A}stays", article(3))):
            dedup.process(Page(url=url, html=html(parts)))
    with Deduplicator(tmp_path / "store", run="second") as dedup:
        verdict = dedup.process(Page(url=A, html=html(EDITED)))
        dedup.process(Page(url=f"{A}stays", html=html(article(3))))
        dedup.process(Page(url=B, html=html(article(5))))
    assert verdict.kind == "updated"
    share = verdict.evidence.scores.changed
    assert share == pytest.approx(verdict.evidence.changes.share, abs=1e-4)
    assert 0.5 < share < 1
    assert f"{share:.0%} of its main text changed: " in verdict.reason
    assert "1 sentence is gone" in verdict.reason
    shown = scrapy(tmp_path, "dedup", "show", A, "--store", "store").log
    assert f"changed    {share:.1%} of the main text" in shown
    assert "gone: The tide is high at noon." in shown
    assert "new:  The tide is high at nine." in shown
    line = json.loads(scrapy(tmp_path, "dedup", "show", A, "--json", "--store", "store").log)
    assert line["decisions"][0]["changes"]["removed"] == ["The tide is high at noon."]
    stats = scrapy(tmp_path, "dedup", "stats", "--all-runs", "--json", "--store", "store").log
    rounded = pytest.approx(share, abs=1e-3)
    assert json.loads(stats)["recrawled"] == {
        "hosts": {
            "a.example": {"seen": 2, "changed": 1, "share": rounded},
            "b.example": {"seen": 1, "changed": 0, "share": 0.0},
        },
        "pages": {A: {"seen": 1, "changed": 1, "share": rounded}},
    }
    table = scrapy(tmp_path, "dedup", "stats", "--all-runs", "--store", "store").log
    assert f"\n{A}\t1\t1\t100.0%\t{share:.1%}\n" in table
    assert "\nb.example\t1\t0\t0.0%\t\n" in table
