"""Better URLs take the places of worse ones, and nothing is lost on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dedup_middleware import Action, Deduplicator, Kind, Page
from dedup_middleware.replacement import Superseded
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.urls import url_key
from tests.support.crawling import scrapy
from tests.support.texts import article, html

SITE = "https://www.source.example"
CLEAN, DIRTY, PRINT = f"{SITE}/tides", f"{SITE}/tides?sessionid=1f3", f"{SITE}/tides?print=1"
TEXT = html(article(1))
NEWS = html(article(1), site="news")


@pytest.fixture(params=["lmdb", "sole", "memory"])
def dedup(request, tmp_path: Path) -> Iterator[Deduplicator]:
    store = MemoryStore() if request.param == "memory" else tmp_path / "store"
    lines: list[dict] = []
    with Deduplicator(
        store,
        is_sole=request.param == "sole",
        journal=tmp_path / "journal.jsonl",
        on_decision=lines.append,
    ) as opened:
        opened.lines = lines
        yield opened
    written = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in written] == json.loads(json.dumps(lines))


def page(url: str, source: str = TEXT, canonical: str = "", **values) -> Page:
    head = f'<link rel=canonical href="{canonical}">' if canonical else ""
    return Page(url=url, html=source.replace("<head>", f"<head>{head}"), **values)


def judged(dedup: Deduplicator, *args, **values) -> tuple[str, str | None, str]:
    verdict = dedup.process(page(*args, **values))
    return str(verdict.kind), verdict.original, str(verdict.action)


def test_a_better_url_passes_and_later_copies_are_dropped_for_it(dedup):
    assert judged(dedup, DIRTY) == ("unique", None, "pass")
    verdict = dedup.process(page(CLEAN))
    assert (verdict.kind, verdict.original, verdict.action) == ("exact", DIRTY, "pass")
    assert verdict.evidence.supersedes == DIRTY
    assert verdict.reason.endswith("takes the place of that page: that URL has a session id.")
    assert [*dedup.superseded] == [Superseded(DIRTY, CLEAN)]
    assert [line.get("supersedes") for line in dedup.lines] == [None, DIRTY]
    assert judged(dedup, PRINT) == ("exact", CLEAN, "drop")
    assert judged(dedup, DIRTY) == ("unchanged", CLEAN, "drop")
    assert judged(dedup, CLEAN) == ("unchanged", CLEAN, "drop")


def test_near_pages_too_and_what_the_worse_one_said_can_still_be_compared(dedup):
    judged(dedup, DIRTY, NEWS)
    assert judged(dedup, CLEAN) == ("near", DIRTY, "pass")
    assert judged(dedup, DIRTY, NEWS) == ("unchanged", CLEAN, "drop")
    with dedup.store.snapshot() as view:
        kept = view.last_text(url_key(DIRTY), own=True)
    assert kept is not None
    assert "Section 3" in kept.text


def test_a_contained_page_takes_no_place(dedup):
    parts = article(1, 600)
    judged(dedup, DIRTY, html(parts))
    assert judged(dedup, CLEAN, html(parts[: len(parts) * 6 // 10])) == ("contained", DIRTY, "drop")


def test_while_the_better_page_is_on_its_way_nobody_is_told_to_delete_the_other(dedup):
    first = dedup.judge(page(DIRTY))
    dedup.settle(delivered=[first.number])
    better = dedup.judge(page(CLEAN))
    assert (better.verdict.action, better.original) == ("pass", first.number)
    assert dedup.judge(page(PRINT)).verdict.original == CLEAN
    assert not dedup.superseded
    assert not any("supersedes" in line for line in dedup.lines)
    dedup.settle(delivered=[better.number])
    assert [*dedup.superseded] == [Superseded(DIRTY, CLEAN)]
    last = dedup.lines[-1]
    assert (last["url"], last["supersedes"], last["overrules"]) == (CLEAN, DIRTY, 2)
    assert (last["verdict"], last["action"], last["seq"]) == ("exact", "pass", 4)
    assert dedup.judge(page(f"{CLEAN}?sid=2")).verdict.original == CLEAN


def test_a_better_page_that_is_lost_leaves_the_place_as_it_was(dedup):
    first = dedup.judge(page(DIRTY))
    dedup.settle(delivered=[first.number])
    better = dedup.judge(page(CLEAN))
    dedup.settle(withdrawn=[better.number])
    copy = dedup.judge(page(PRINT)).verdict
    # it is better than what is left, and takes the place itself
    assert (copy.kind, copy.original, copy.action) == ("exact", DIRTY, "pass")
    assert dedup.judge(page(f"{DIRTY}&sid=2")).verdict.original == PRINT
    assert not dedup.superseded
    assert dedup.judge(page(DIRTY)).verdict.kind is Kind.UNCHANGED


def test_a_page_that_was_lost_before_it_was_replaced_is_not_named(dedup):
    first, better = dedup.judge(page(DIRTY)), dedup.judge(page(CLEAN))
    dedup.settle(withdrawn=[first.number])
    dedup.settle(delivered=[better.number])
    assert not dedup.superseded
    assert not any("supersedes" in line for line in dedup.lines)
    assert judged(dedup, PRINT) == ("exact", CLEAN, "drop")


def test_what_becomes_of_a_text_whose_better_url_shows_something_else(dedup):
    judged(dedup, DIRTY)
    judged(dedup, CLEAN)
    assert judged(dedup, CLEAN, html(article(7)))[0] == "updated"
    # whoever deleted the worse page for the better one gets the text again
    assert judged(dedup, DIRTY) == ("unique", None, "pass")


def test_places_do_not_go_back_and_forth(dedup):
    for edition in range(3):
        text = html([f"Last updated on {edition + 1} May 2024", *article(1)])
        for url in (DIRTY, PRINT, CLEAN):
            judged(dedup, url, text)
    assert [*dedup.superseded] == [Superseded(DIRTY, PRINT), Superseded(PRINT, CLEAN)]


def test_the_first_stays_if_that_is_wanted(tmp_path):
    with Deduplicator(tmp_path / "store", survivor="first") as dedup:
        judged(dedup, DIRTY)
        assert judged(dedup, CLEAN) == ("exact", DIRTY, "drop")


def test_the_longest_takes_the_place_if_that_is_wanted(tmp_path):
    text = article(1, 500)
    longer, longest = [*text, article(2, 30)[0]], [*text, *article(2, 30)[:2]]
    with Deduplicator(tmp_path / "store", survivor="longest", max_loss=0.2) as dedup:
        judged(dedup, CLEAN, html(text))
        verdict = dedup.process(page(DIRTY, html(longer)))
        assert (verdict.kind, verdict.original, verdict.action) == ("near", CLEAN, "pass")
        assert verdict.evidence.supersedes == CLEAN
        assert re.search("takes the place of that page: it has .* words, and .*", verdict.reason)
        assert [*dedup.superseded] == [Superseded(CLEAN, DIRTY)]
        assert judged(dedup, PRINT, html(text)) == ("near", DIRTY, "drop")
        assert judged(dedup, f"{SITE}/copy", html(longer)) == ("exact", DIRTY, "drop")
        other = dedup.process(page("https://other.example/", html(longest)))
        assert (other.action, other.evidence.supersedes) == ("tag", None)
        assert len(dedup.superseded) == 1


def test_a_longer_page_that_states_another_fact_takes_no_place(tmp_path):
    text = article(1, 500)
    known, longer = ([*text, f"The gate opens at {hour} on every day."] for hour in ("7", "9"))
    with Deduplicator(tmp_path / "store", survivor="longest", max_loss=0.2) as dedup:
        judged(dedup, CLEAN, html(known))
        verdict = dedup.process(page(DIRTY, html([*longer, article(2, 30)[0]])))
        assert (verdict.kind, verdict.action) == ("near", "tag")
        assert "A fact differs" in verdict.reason
        assert verdict.evidence.supersedes is None


def test_a_request_that_asks_to_drop_copies_gets_that(dedup):
    judged(dedup, DIRTY)
    verdict = dedup.judge(page(CLEAN), requested={Kind.EXACT: Action.DROP}).verdict
    assert (verdict.action, verdict.evidence.supersedes) == ("drop", None)


def test_a_redirect_moves_a_page_once(dedup):
    old, new = f"{SITE}/old", f"{SITE}/new"
    judged(dedup, old)
    assert judged(dedup, new, redirected_from=(old,)) == ("exact", old, "pass")
    edited = html([*article(1), "One more line."])
    assert judged(dedup, old, edited, redirected_from=(new,)) == ("near", new, "drop")


def test_another_site_takes_a_place_only_if_the_page_there_names_it(dedup):
    copy, source = "https://copy.example/t", "https://source.example/?p=5&sid=7"
    judged(dedup, source)
    assert judged(dedup, copy, canonical=copy) == ("exact", source, "drop")
    confessed = "https://honest.example/t"
    judged(dedup, confessed, html(article(2)), canonical=f"{SITE}/two")
    own = judged(dedup, f"{SITE}/two", html(article(2)), canonical=f"{SITE}/two")
    assert own == ("exact", confessed, "pass")


def test_a_page_that_names_its_source_on_another_site_gives_way_to_it_though_both_are_kept(dedup):
    source, copy = f"{SITE}/two", "https://honest.example/t"
    judged(dedup, copy, NEWS, canonical=source)
    assert judged(dedup, source, canonical=source) == ("near", copy, "pass")
    assert [*dedup.superseded] == [Superseded(copy, source)]


def test_a_canonical_that_lies_is_noticed_and_ignored(dedup):
    home = f"{SITE}/"
    judged(dedup, home, html(article(0), "Home"), canonical=home)
    for number in range(1, 6):
        text = html(article(number), f"Page {number}")
        dirty, clean = f"{SITE}/{number}?sid=1", f"{SITE}/{number}"
        judged(dedup, dirty, text)
        # it names another page, and is taken for the better one all the same
        assert judged(dedup, clean, text, canonical=home) == ("exact", dirty, "pass")
    assert dedup.counts["canonical_refuted"] == 5


def test_a_canonical_that_many_pages_declare_is_ignored_though_it_was_never_seen(dedup):
    for number in range(8):
        judged(dedup, f"{SITE}/{number}", html(article(number), f"No. {number}"), canonical=SITE)
    before = dedup.counts["canonical_refuted"]
    text = html(article(20), "The last one")
    judged(dedup, DIRTY, text)
    assert judged(dedup, CLEAN, text, canonical=SITE) == ("exact", DIRTY, "pass")
    assert dedup.counts["canonical_refuted"] == before + 1


def test_a_canonical_that_tells_the_truth_counts(dedup):
    short = f"{SITE}/t"
    judged(dedup, short, canonical=DIRTY)
    assert judged(dedup, DIRTY, canonical=DIRTY) == ("exact", short, "pass")
    assert judged(dedup, CLEAN, canonical=DIRTY) == ("exact", DIRTY, "drop")
    assert dedup.counts["canonical_refuted"] == 0


def test_show_tells_which_page_stands(tmp_path):
    with Deduplicator(tmp_path / "store") as dedup:
        judged(dedup, DIRTY)
        judged(dedup, CLEAN)
    for url, line in ((DIRTY, f"superseded by {CLEAN}"), (CLEAN, f"supersedes {DIRTY}")):
        shown = scrapy(tmp_path, "dedup", "show", url, "--store", "store").log
        assert line in shown


def test_a_url_that_is_gone_gives_its_place_to_a_page_that_shows_the_same(dedup):
    judged(dedup, CLEAN)
    dedup.note_gone(CLEAN)
    assert judged(dedup, PRINT, NEWS)[0::2] == ("near", "drop"), "it may lack something"
    assert judged(dedup, DIRTY) == ("exact", CLEAN, "pass")
    assert [*dedup.superseded] == [Superseded(CLEAN, DIRTY)]
    assert judged(dedup, f"{DIRTY}4") == ("exact", DIRTY, "drop")


def test_a_url_that_is_there_again_keeps_its_place(dedup):
    judged(dedup, CLEAN)
    dedup.note_gone(CLEAN)
    assert judged(dedup, CLEAN) == ("unchanged", CLEAN, "drop")
    assert judged(dedup, DIRTY) == ("exact", CLEAN, "drop")
