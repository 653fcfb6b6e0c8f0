"""Facts weigh: falsified copies are found and kept, so are revisions and rewordings."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.settings import STRICTNESS
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article, html

CONTACT = "Write to the office or call {phone} on working days; pay to account {account} by {date}."
FACTS = {"phone": "030 5550 1234", "account": "7391 5520 84", "date": "12 May 2024"}
PLAIN = [
    "The harbour is open in every season of the year. The pilots are on duty by night.",
    "Small boats can enter through the northern gate. The tide is high enough at noon.",
    "The keeper does answer letters from the islands. His reports are printed each month.",
    "Sailors were allowed to sleep in the old warehouse. Its roof was mended last winter.",
    "Fish is sold on the quay before sunrise. Visitors are welcome to watch the auction.",
    "The museum has a model of the first lighthouse. Children can climb its wooden stairs.",
]
DENIED = [
    "The harbour is not open in every season of the year. The pilots are not on duty by night.",
    "Small boats cannot enter through the northern gate. The tide is not high enough at noon.",
    "The keeper does not answer letters from the islands. His reports are not printed each month.",
    "Sailors were not allowed to sleep in the old warehouse. Its roof was not mended last winter.",
    "Fish is not sold on the quay before sunrise. Visitors are not welcome to watch the auction.",
    "The museum has no model of the first lighthouse. Children cannot climb its wooden stairs.",
]
REWORDED = [
    "In every season of the year the harbour stays open. By night there are pilots on duty.",
    "Through the northern gate small vessels can enter. At noon the tide is sufficiently high.",
    "Letters from the islands get an answer from the keeper. Each month his reports are printed.",
    "In the old warehouse sailors were permitted to sleep. Last winter its roof was repaired.",
    "Before sunrise fish is sold on the quay. Visitors are invited to watch the auction.",
    "A model of the first lighthouse stands in the museum. Children climb its wooden stairs.",
]


def judged(first: list[str], second: list[str]):
    with Deduplicator(MemoryStore(), cross_host={"near": "drop"}) as dedup:
        dedup.process(Page(url="https://a.example/", html=html(first)))
        return dedup.process(Page(url="https://b.example/", html=html(second)))


@pytest.mark.parametrize("words", [150, 600, 1500])
@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("phone", "030 5550 1243"),
        ("phone", "01.42.68.53.00"),
        ("account", "7391 5250 84"),
        ("account", "DE89 3704 0044 0532 0130 57"),
    ],
)
def test_a_page_with_another_number_is_never_dropped(words, fact, other):
    text = article(3, words)
    pages = ([*text, CONTACT.format(**FACTS)], [*text, CONTACT.format(**{**FACTS, fact: other})])
    verdict = judged(*pages)
    assert (verdict.kind, verdict.action) == ("near", "tag")
    assert "A fact differs, so it is kept; " in verdict.reason
    assert verdict.lost
    assert [*verdict.lost.facts] == [(pages[1][-1], pages[0][-1])]


def test_a_page_that_denies_the_other_is_a_suspect():
    verdict = judged(PLAIN, DENIED)
    assert verdict.kind == "unique"
    assert verdict.evidence.suspect == "https://a.example/"
    assert "but facts differ in 12 places" in verdict.reason


@pytest.mark.parametrize(
    "change",
    [
        {"date": "14 June 2025"},
        {"date": "12 May 2024, if you can"},
        {"date": "2025-06-14, as in 2001-2024"},
    ],
)
def test_a_revision_with_a_new_date_is_the_same_page_and_kept(change):
    text = article(3, 300)
    verdict = judged(
        [*text, CONTACT.format(**FACTS)], [*text, CONTACT.format(**{**FACTS, **change})]
    )
    assert (verdict.kind, verdict.original) == ("near", "https://a.example/")


def test_a_page_in_other_words_is_found_by_its_sentences():
    verdict = judged(PLAIN, REWORDED)
    assert (verdict.kind, verdict.original) == ("near", "https://a.example/")
    assert verdict.action == "tag", "that is never enough to drop a page"
    assert verdict.evidence.stage == "sentences"
    assert "Too much of it is said in other words, so it is kept; " in verdict.reason
    assert verdict.evidence.scores.containment < 0.2, "not by its words"


def test_other_pages_on_the_same_subject_are_not_in_other_words():
    other = [
        "A harbour needs pilots. Theirs is a hard trade, and the town pays them badly.",
        "Boats came here from the islands when the old gate was still made of wood.",
        "After the great storm the warehouse stood empty, and sailors went elsewhere to sleep.",
        "The auction on the quay began a century ago, at first only for herring.",
        "Of the lighthouse nothing is left but a stair and what the museum has saved.",
        "Who wants to see it must ask the keeper, who opens in summer and seldom in winter.",
    ]
    assert judged(PLAIN, other).kind == "unique"


@pytest.mark.parametrize("words", [60, 150, 600])
@pytest.mark.parametrize("places", [1, 3, 6, 12])
def test_what_is_known_decides_alone(words, places):
    text = article(3, words)
    pages = (
        [*text, *(f"Ring the office at 030 5550 {number}{place}." for place in range(places))]
        for number in (123, 987)
    )
    verdict = judged(*pages)
    is_known = min(verdict.evidence.scores.known) >= STRICTNESS["balanced"].near
    assert (verdict.kind == "near") == is_known
