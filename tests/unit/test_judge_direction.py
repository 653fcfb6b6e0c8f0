"""Which of two pages that share most of their text is kept: nothing new is lost to what is old."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page, Verdict
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article, html

OLD, NEW = "https://a.example/1.html", "https://a.example/2.html"


def judged(first: list[str], second: list[str], **settings: object) -> Verdict:
    """Return the verdict on the second page, with the first known."""
    with Deduplicator(MemoryStore(), **settings) as dedup:
        dedup.process(Page(url=OLD, html=html(first, title="Tides")))
        return dedup.process(Page(url=NEW, html=html(second, title="Tides")))


def share(parts: list[str], of: list[str]) -> float:
    return sum(len(part.split()) for part in parts) / sum(len(part.split()) for part in of)


@pytest.mark.parametrize("words", [90, 140, 200])
@pytest.mark.parametrize("at", [0, 4, None])
def test_a_page_that_has_grown_passes_and_contains_the_earlier_one(words: int, at: int) -> None:
    old, more = article(1, 500), article(2, words)
    new = [*old[:at], *more, *old[at:]] if at is not None else [*old, *more]
    assert 0.12 < share(more, new) < 0.35
    verdict = judged(old, new)
    assert (verdict.kind, verdict.action, verdict.original) == ("contains", "pass", OLD)


@pytest.mark.parametrize("words", [90, 140])
def test_the_shorter_page_is_dropped_if_it_comes_later(words: int) -> None:
    old = article(1, 500)
    verdict = judged([*old, *article(2, words)], old)
    assert verdict.action == "drop"


@pytest.mark.parametrize(("words", "action"), [(1500, "drop"), (300, "tag")])
def test_a_page_is_dropped_only_if_little_of_it_is_new(words: int, action: str) -> None:
    old = article(1, words)
    verdict = judged(old, [*old, article(2, 30)[0]])
    assert (verdict.kind, verdict.action) == ("near", action)


def grown_and_cut() -> tuple[list[str], list[str]]:
    """Make a page, and one that lacks a paragraph of it and has more than a fifth that is new."""
    old = article(1, 600)
    return old, [*old[1:], *article(2, 150)]


def test_a_page_with_much_that_is_new_is_tagged_and_says_how_much() -> None:
    verdict = judged(*grown_and_cut())
    assert (verdict.kind, verdict.action) == ("near", "tag")
    assert verdict.lost
    assert verdict.lost.share > 0.15
    assert "Too much of it would be lost, so it is kept; " in verdict.reason
    assert f"; {verdict.lost.words} of its {verdict.lost.of} words are not in" in verdict.reason


def test_a_page_that_is_kept_for_what_is_new_takes_no_place() -> None:
    """Its URL is the better one, but each page has text that the other lacks."""
    old, new = grown_and_cut()
    with Deduplicator(MemoryStore(), survivor="best") as dedup:
        dedup.process(Page(url=f"{OLD}?utm_source=x", html=html(old, title="Tides")))
        verdict = dedup.process(Page(url=OLD, html=html(new, title="Tides")))
    assert (verdict.kind, verdict.action, verdict.evidence.supersedes) == ("near", "tag", None)


def test_a_page_with_a_frame_that_is_not_known_yet_has_not_grown() -> None:
    """All that is new stands around the main text, which is the same."""
    text = article(1, 240)
    lines = [
        "Sign in or make an account.",
        "Rates are late by an hour.",
        "Weather: dry, 14 degrees.",
        "Most read",
        "Write to us.",
    ]
    frame = "".join(f"<div>{line}</div>" for line in lines)
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url=OLD, html=html(text, title="Tides")))
        framed = html(text, title="Tides").replace("<body>", f"<body><div>{frame}</div>")
        verdict = dedup.process(Page(url=NEW, html=framed))
    assert (verdict.kind, verdict.action, verdict.original) == ("near", "tag", OLD)


def listing(*entries: str) -> str:
    rows = "".join(f"<tr><td>{entry}</td></tr>" for entry in entries)
    return f"<title>List of all members</title><h1>List of all members</h1><table>{rows}</table>"


def test_a_list_with_an_entry_of_its_own_is_kept() -> None:
    """It is a list of members of another class: each entry is a fact."""
    entries = [
        f"{word}{n} inherited from TObject" for n in range(30) for word in ("Assign", "Free")
    ]
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url=OLD, html=listing(*entries)))
        part = dedup.process(Page(url=NEW, html=listing(*entries[:-6])))
        other = listing(*entries[:-1], "Clear inherited from TList")
        verdict = dedup.process(Page(url="https://a.example/3.html", html=other))
    assert verdict.original
    assert verdict.action == "tag"
    assert "so it is kept; " in verdict.reason
    assert part.action == "drop", part.reason  # it has no entry of its own


def test_a_copy_on_the_own_site_goes_before_a_nearer_one_of_another() -> None:
    """For the one of the other site it would be kept, though the crawl has it twice already."""
    text = article(3, 500)
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url=OLD, html=html([*text, article(5, 30)[0]], title="Tides")))
        other = dedup.process(Page(url="https://b.example/", html=html(text, title="Tides")))
        verdict = dedup.process(Page(url=NEW, html=html(text, title="Tides", site="news")))
    assert (other.action, other.original) == ("tag", OLD)
    assert (verdict.action, verdict.original) == ("drop", OLD)
