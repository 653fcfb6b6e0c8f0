"""What would be lost: from the judge to the journal and back, and in sum."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dedup_middleware import Deduplicator, Lost, Page
from dedup_middleware.fingerprint.subject import read_subject
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.tallies import summed, tallies
from dedup_middleware.journal import decision as line_of
from dedup_middleware.judge.decide import Finding, with_action
from dedup_middleware.settings import Settings
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.verdict import LONGEST, MOST_FACTS, MOST_LOST, MOST_MOVED, Evidence, Kind
from tests.support.decisions import decision, near
from tests.support.texts import article, html

LOST = Lost(0.0123, 6, 1, 412, ("It is 5 miles long.",), (("5 mg", "9 mg"),), ("Terms",), 0.05)
URL = "https://a.example/"


def verdict_of(kind: Kind, lost: Lost | None):
    subject = read_subject(Page(url=URL, html=html(article(1))), max_html=1 << 20, max_text=1 << 20)
    finding = Finding(kind, "It is so.", Evidence("sentences"), lost=lost)
    return with_action(finding, subject, Settings(), {})


@pytest.mark.parametrize("kind", [Kind.NEAR, Kind.CONTAINED])
def test_the_reason_says_what_would_be_lost(kind):
    assert verdict_of(kind, LOST).lost is LOST
    assert verdict_of(kind, LOST).reason == (
        "It is so; 6 of its 412 words are not in that page, and a fact differs, "
        "and a part of it is in another place there."
    )
    assert verdict_of(kind, Lost(of=412)).reason == "It is so; nothing would be lost."
    assert verdict_of(kind, None).reason == "It is so."


def test_while_few_pages_of_a_host_are_known_less_may_be_lost():
    text, few = article(1, 160), "while few pages of its host are known"
    for known, bound, action in ((1, 0.01, "tag"), (10, 0.05, "drop")):
        with Deduplicator(MemoryStore()) as dedup:
            for number in range(known):
                page = html(article(20 + number, 60), f"Notice {number}")
                dedup.process(Page(url=f"{URL}notice/{number}", html=page))
            dedup.process(Page(url=URL, html=html(text)))
            found = dedup.process(Page(url=f"{URL}new", html=html([*text, "Nobody said so."])))
        assert (found.kind, found.action, found.lost.bound) == ("near", action, bound)
        assert (few in found.reason) == (action == "tag")


def test_texts_are_bounded():
    long = "word " * 1000
    lost = Lost(1.0, sentences=(long,) * 99, facts=((long, long),) * 99, moved=(long,) * 99)
    assert (len(lost.sentences), len(lost.facts)) == (MOST_LOST, MOST_FACTS)
    assert len(lost.moved) == MOST_MOVED
    texts = [*lost.sentences, *lost.moved, *(text for pair in lost.facts for text in pair)]
    assert {len(text) for text in texts} == {LONGEST + 1}


def test_equal_pages_lose_nothing(tmp_path):
    entries = []
    page = html(article(1))
    with Deduplicator(tmp_path, on_decision=entries.append) as dedup:
        found = [dedup.process(Page(url=URL + name, html=page)) for name in ("a", "b", "b", "a")]
    assert [one.kind for one in found] == ["unique", "exact", "unchanged", "unchanged"]
    assert found[0].lost is None
    assert {one.lost for one in found[1:]} == {Lost(of=found[1].lost.of)}
    assert found[1].lost.of > 100
    assert "lost" not in entries[0]
    keys = list(entries[1])
    assert keys[keys.index("stage") + 1] == "lost"
    assert entries[1]["lost"] == {"share": 0.0, "words": 0, "units": 0, "of": found[1].lost.of}


@pytest.mark.parametrize("lost", [LOST, Lost(of=9), None])
def test_the_journal_keeps_it(lost):
    written = line_of(
        verdict_of(Kind.NEAR, lost),
        url=URL,
        run="r",
        spider="",
        milliseconds=1,
        settings=Settings(),
    )
    assert Decision.of(written).lost == lost


def test_words_are_summed_up():
    dropped = [near(URL + str(n), (0.9, 0.9), lost=LOST.as_json()) for n in range(3)]
    kept = near(URL, (0.9, 0.9), lost=replace(LOST, words=99).as_json(), action="tag")
    tally = summed(run.total for run in tallies([*dropped, kept, decision()]))
    assert (tally.drops, tally.words, tally.lost) == (3, 3 * 412, 18)
    assert tally.loss() == "3 pages dropped; 18 of their 1,236 words are not in the pages kept"
    tally.add("near", "drop", "sentences", lost=LOST, times=-1)
    tally.add("near", "drop", "sentences", lost=LOST, times=-1)
    assert tally.loss(dry_run=True) == (
        "1 page would be dropped; 6 of its 412 words are not in the page kept"
    )
