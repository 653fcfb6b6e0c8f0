"""Promises of the threat model that hold over several rooms, tried from outside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from tests.support.commands import BAD, HOSTILE, scrapy, texts
from tests.support.crawling import crawl_one
from tests.support.texts import article, html

ESCAPES = (
    "It ends here.\x1b]0;owned\x07 \u202egnp.exe <img src=x onerror=alert(1)> =cmd|' /C calc'!A0."
)
VICTIM, ATTACKER = "https://victim.example/", "https://attacker.example/"


def test_nothing_that_a_page_says_controls_what_shows_it(tmp_path: Path):
    first, second = ([*article(1), f"{number} {ESCAPES}"] for number in (1, 2))
    pages = [
        {"url": f"{HOSTILE}?sid=1", "html": html(first, ESCAPES)},
        {"url": HOSTILE, "html": html(first, ESCAPES)},  # takes its place
        {"url": HOSTILE, "html": html([*second, *article(9)], ESCAPES)},  # and is updated
        {"url": f"{HOSTILE}/copy", "html": html([*second, *article(9)], ESCAPES)},
    ]
    (tmp_path / "feed.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in pages))
    outputs = [
        texts(scrapy(*words, "--store", "store", cwd=tmp_path))  # which looks for escapes
        for words in (
            ("scan", "feed.jsonl"),
            ("drops",),
            ("drops", "--csv", "-"),
            ("stats",),
            ("drops", "--by", "original"),
            ("show", HOSTILE),
            ("report", "--output", "report.html"),
        )
    ]
    shown = outputs[5][0]
    assert "new:" in shown
    assert "owned" in shown  # it is told, but does nothing
    names = [path.name for path in (tmp_path / "store").rglob("*")]
    assert all(re.fullmatch(r"[\w.-]+", name) for name in names)
    report = (tmp_path / "report.html").read_text()
    assert "<img src=x" not in report


def test_nothing_that_a_page_says_controls_the_log(tmp_path: Path):
    items = [{"url": f"{HOSTILE}{at}", "html": html(article(1), ESCAPES)} for at in range(2)]
    result = crawl_one(
        tmp_path, "items:Texts", settings={"DEDUP_DROP_LOG_LEVEL": "INFO"}, items=items
    )
    lines = [text for _, text in result.log]
    assert any("Dropped" in line for line in lines)
    assert not any(mark in line for mark in BAD for line in lines)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_part_of_a_page_on_another_site_makes_nothing_vanish(tmp_path: Path, share: float):
    parts = article(1, 600)
    with Deduplicator(tmp_path / "store", contained_ratio=100) as dedup:
        stolen = [*parts, *article(20, int(600 / share))]
        dedup.process(Page(url=ATTACKER, html=html(stolen, "All of it")))
        verdict = dedup.process(Page(url=VICTIM, html=html(parts, "All of it")))
    assert (str(verdict.kind), verdict.original) == ("contained", ATTACKER)
    assert str(verdict.action) == "tag"


def test_a_near_copy_on_another_site_makes_nothing_vanish(tmp_path: Path):
    """A copy that lacks a line, or says one thing otherwise, must not stand for its source."""
    parts = article(1, 600)
    stolen = [*parts[:-1], "Call 555-0100 to claim what is yours."]
    with Deduplicator(tmp_path / "store") as dedup:
        dedup.process(Page(url=ATTACKER, html=html(stolen, "All of it")))
        verdict = dedup.process(Page(url=VICTIM, html=html(parts, "All of it")))
        assert (str(verdict.kind), verdict.original) == ("near", ATTACKER)
        assert str(verdict.action) == "tag"
        assert (
            dedup.process(Page(url=f"{VICTIM}?print", html=html(parts, "All of it"))).original
            == VICTIM
        )


def test_a_near_copy_takes_no_place_on_another_site_by_what_it_says_itself(tmp_path: Path):
    text = html(article(1))
    claim = f'<link rel=canonical href="{ATTACKER}tides">'
    with Deduplicator(tmp_path / "store") as dedup:
        dedup.process(Page(url=f"{VICTIM}?p=7&sid=1", html=text))
        copy = dedup.process(
            Page(
                url=f"{ATTACKER}tides",
                html=text.replace("<head>", f"<head>{claim}"),
                redirected_from=(f"{ATTACKER}old",),
            )
        )
        assert (str(copy.kind), str(copy.action)) == ("exact", "drop")
        assert not dedup.superseded
