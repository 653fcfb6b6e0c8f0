"""What changed at a URL since it was last seen, by verdict, journal and commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.read import read
from dedup_middleware.similarity.changes import LONGEST, MOST, changes
from tests.support.crawling import scrapy
from tests.support.texts import article, html

A, B = "https://a.example/", "https://b.example/"
PARTS = ["The tide is high at noon. The moon draws it twice a day.", *article(1, 60)]
EDITED = ["The tide is high at nine. The moon draws it twice a day.", *article(1, 60), *article(7)]


def outline(*parts: str):
    return read(Page(url=A, html=html(list(parts))))


def test_what_changed_between_two_versions():
    before = outline("It is new. It is old.", "It stays.")
    after = outline("It stays.", "It is old. It was said twice.", "It was said twice.")
    found = changes(before, after)
    assert (found.added, found.removed) == (("It was said twice.",) * 2, ("It is new.",))
    assert found.counts == (2, 1)
    assert found.share == pytest.approx((4 + 4 + 3) / (2 + 8 + 2 + 13))
    assert changes(before, before).share == 0


STAYS = "<h2>Arrival</h2><p>The quay is next to the old lighthouse on the northern shore.</p>"
FARES = "<h2>Fares</h2><p>A ticket costs 12 euros. Children travel free on all of our boats.</p>"


@pytest.mark.parametrize(
    ("before", "after", "classes"),
    [
        ("A ticket to the island costs 12.", "A ticket to the island costs 14.50.", "numbers"),
        ("It sails on 3 May 2026 at noon.", "It sails on 17 June 2026 at noon.", "dates"),
        ("Le bac part le 3 mai 2026.", "Le bac part le 17 juin 2026.", "dates"),
        ("Updated 2026-11-03, 09:30.", "Updated 2026-11-04, 10:15.", "dates"),
        ("You may bring 2 dogs aboard.", "You may bring 3 dogs aboard.", "numbers"),
        ("船は2026年5月3日に出ます。", "船は2026年5月9日に出ます。", "dates"),
        (
            "Passengers must show a ticket to the crew before they board.",
            "Passengers must show a valid ticket to our crew before they board.",
            "wording",
        ),
        (
            "On 3 May 2026 about 400 passengers took the boat to the island.",
            "On 4 May 2026 nearly 500 passengers took the boat to the island.",
            "wording, numbers, dates",
        ),
        (STAYS, STAYS + FARES, "sections added"),
        (STAYS + FARES, STAYS, "sections removed"),
        (STAYS + FARES, FARES + STAYS, "order"),
        (STAYS, f"{STAYS}<p>Dogs are welcome aboard.", "text added"),
        (f"{STAYS}<ul><li>Dogs are welcome aboard.</ul>", STAYS, "text removed"),
        # another heading alone makes no other section
        (FARES, FARES.replace("Fares", "Prices"), "text added, text removed"),
        (
            STAYS + FARES,
            STAYS.replace("northern", "southern") + FARES.replace("12", "13"),
            "wording, numbers",
        ),
        ("In stock", "Sold out", "text added, text removed"),
    ],
)
def test_the_class_of_a_change(before, after, classes):
    old, new = (
        read(Page(url=A, html=f"<title>Ferries</title><main><h1>Ferries</h1><p>{text}</main>"))
        for text in (before, after)
    )
    assert ", ".join(changes(old, new).classes) == classes


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
    assert f"changed    {share:.1%} of the main text: wording, text added" in shown
    assert "gone: The tide is high at noon." in shown
    assert "new:  The tide is high at nine." in shown
    line = json.loads(scrapy(tmp_path, "dedup", "show", A, "--json", "--store", "store").log)
    told = line["decisions"][0]["changes"]
    assert told["removed"] == ["The tide is high at noon."]
    assert told["classes"] == ["wording", "text added"]
    stats = scrapy(tmp_path, "dedup", "stats", "--all-runs", "--json", "--store", "store").log
    rows = [one for line in stats.splitlines() if (one := json.loads(line))["updated"]]
    assert [(one["host"], one["updated"], one["unchanged"]) for one in rows] == [
        ("a.example", 1, 1)
    ]
