"""Evidence for decisions: for one, for a report, and from a store in use."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from lxml import html as parser

from dedup_middleware.errors import NotAStore
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.settings import Settings
from dedup_middleware.verdict import Lost
from dedup_middleware.viewer.evidence import (
    MOST_SENTENCES,
    evidence,
    evidence_in,
    gather,
    most_doubtful,
)
from dedup_middleware.viewer.report_page import RunThresholds, rows_of
from tests.support.decisions import Pages, decision, near
from tests.support.texts import article, html

PARTS = article(3, 300)
CHANGED = [*PARTS[:-1], "A sentence that nobody has ever written before is here now."]


def show(one: Decision, source: Pages) -> str:
    return evidence(one, source, Settings())[0]


def test_evidence_has_both_texts_and_a_picture():
    texts = Pages(page=html(PARTS, "One"), other=html(CHANGED, "Two"))
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    shown = parser.fromstring(f"<div>{show(one, texts)}</div>")
    titles = shown.xpath("//table[@class='identities']//tr[th='Title']/td")
    assert [title.text_content() for title in titles] == ["One", "Two"]
    assert shown.xpath("//p[contains(@class, 'sentence only')]")
    assert shown.xpath("//p[contains(@class, 'sentence same')][@data-first][@data-second]")
    assert len(shown.xpath("//*[local-name()='svg']")) == 1
    assert "nobody has ever written" in shown.text_content()
    assert "When it was judged" in shown.text_content()  # the figures above are made up


def test_evidence_lists_what_would_be_lost():
    lost = Lost(0.1, 30, 3, 412, ("<b>Only</b> here.",), (("5 mg", "9 mg"),), ("Terms",))
    one = near("https://page.example/", (0.9, 0.9), lost=lost.as_json())
    shown = parser.fromstring(f"<div>{show(one, Pages())}</div>")
    items = [item.text_content() for item in shown.xpath("//section[@class='lost']//li")]
    assert items == ["<b>Only</b> here.", "and 2 more", "Terms"]
    assert shown.xpath("//table[@class='lost-facts']//td/text()") == ["5 mg", "9 mg"]
    nothing = near("https://page.example/", (0.9, 0.9), lost=Lost(of=412).as_json())
    assert "lost" not in show(nothing, Pages())


def test_long_pages_are_cut_to_what_changed():
    long = [f"Sentence {n} tells of the {n}th boat in the harbour." for n in range(600)]
    changed = [
        *long[:300],
        "Here a whale was seen for the first time in living memory.",
        *long[300:],
    ]
    texts = Pages(page=html(long), other=html(changed))
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    shown = parser.fromstring(f"<div>{show(one, texts)}</div>")
    assert (
        len(shown.xpath("//*[starts-with(@id, 'b')][contains(@class, 'sentence')]"))
        <= MOST_SENTENCES
    )
    assert shown.xpath("//li[@class='gap']")
    assert "a whale was seen" in shown.text_content()


def test_equal_pages_are_shown_once():
    texts = Pages(page=html(PARTS, "One"))
    one = near("https://page.example/", (1, 1), verdict="exact", scores={}, stage="digest")
    shown = show(one, texts)
    assert '<details class="counted" open>' in shown
    assert PARTS[0][:40] in shown
    assert "<svg" not in shown


def test_missing_texts_are_reported():
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    half = show(one, Pages(page=html(PARTS)))
    assert "it was removed since" in half
    assert "https://other.example/" in half
    assert "https://page.example/" not in half
    alone = show(decision(url="https://page.example/"), Pages(page=html(PARTS)))
    assert "No known page was similar enough" in alone


def test_notes_and_swallowed_pages():
    swallowed = [f"https://{n}.example/" for n in range(20)]
    one = decision(
        verdict="contains", notes=["cut <b>"], swallowed=swallowed, original="https://0/"
    )
    shown = show(one, Pages())
    assert "cut &lt;b&gt;" in shown
    assert "It contains 20 known pages" in shown
    assert "and 12 more" in shown


def test_the_words_that_differ_are_named_numbers_and_names_first():
    same = article(5, 120)
    sentences = "We were glad to see COMMIT in 1998.", "They were glad to see ROLLBACK in 2003."
    texts = Pages(page=html([*same, sentences[0]]), other=html([*same, sentences[1]]))
    one = near("https://page.example/", (0.9, 0.9), original="https://other.example/")
    for picture in (True, False):
        made, _ = evidence(one, texts, Settings(), picture=picture)
        shown = parser.fromstring(f"<div>{made}</div>")
        changes = [li.text_content() for li in shown.xpath("//section[@class='changes']//li")]
        assert changes == ["1998 → 2003", "COMMIT → ROLLBACK", "We → They"]
        marked = [mark.text for mark in shown.xpath("//ol//mark")]
        assert marked == ["We", "COMMIT", "1998", "They", "ROLLBACK", "2003"]
        assert len(shown.xpath("//*[local-name()='svg']")) == picture


def rows_with(decisions: list[Decision], doubts: list[float]) -> dict[str, Any]:
    rows = rows_of(decisions, RunThresholds(Settings().level))
    rows["columns"]["doubt"] = doubts
    return rows


def test_the_most_doubtful_come_first_with_drops_and_others_in_turn():
    drops = [near(f"https://a.example/{n}", (0.9, 0.9)) for n in range(3)]
    passed = [near(f"https://b.example/{n}", (0.9, 0.9), action="pass") for n in range(2)]
    again, alone = drops[0], decision(url="https://c.example/")
    doubts = [0.1, 0.5, 0.3, 0.7, 0.8, 0.9, 1.0]
    rows = rows_with([*drops, *passed, again, alone], doubts)
    assert [*most_doubtful(rows)] == [5, 4, 1, 3, 2]


def test_pairs_without_texts_are_replaced_by_others():
    texts = Pages(**{name: html(PARTS) for name in ("a", "b", "c")})
    decisions = [
        near(f"https://{name}.example/", (0.9, 0.9), seq=n, original="https://b.example/")
        for n, name in enumerate(("gone", "a", "lost", "c"))
    ]
    rows = rows_with(decisions, [0.4, 0.3, 0.2, 0.1])
    found, forgotten = gather(rows, lambda _, seq: decisions[seq], texts, Settings(), most=1)
    assert ([*found], forgotten) == ([0, 1], 1)
    assert "it was removed since" in found[0]
    found, forgotten = gather(rows, lambda _, seq: decisions[seq], texts, Settings(), most=4)
    assert ([*found], forgotten) == ([0, 1, 2, 3], 2)


def test_a_store_may_be_gone_and_come_back(scanned, tmp_path):
    shutil.copytree(scanned, tmp_path / "store")
    journal = next(iter((scanned / "journal").glob("*.jsonl")))
    decision = Decision.parse(journal.read_bytes().splitlines()[1])
    first = evidence_in(tmp_path / "store", decision, Settings())
    assert "Both texts" in first
    shutil.rmtree(tmp_path / "store")
    with pytest.raises(NotAStore):
        evidence_in(tmp_path / "store", decision, Settings())
    shutil.copytree(scanned, tmp_path / "store")
    assert evidence_in(tmp_path / "store", decision, Settings()) == first
