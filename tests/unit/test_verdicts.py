"""The seven verdicts, by their rules, on pages with real text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware import Action, Deduplicator, Kind, Page, Verdict
from tests.support.texts import article, html

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"


@pytest.fixture
def dedup(tmp_path: Path) -> Iterator[Deduplicator]:
    with Deduplicator(tmp_path / "store") as opened:
        yield opened


def see(dedup: Deduplicator, url: str, source: str | bytes) -> Verdict:
    return dedup.process(Page(url=url, html=source))


def test_a_page_like_no_other_is_unique(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1)))
    verdict = see(dedup, B, html(article(2)))
    assert (str(verdict.kind), verdict.original, verdict.redundant) == ("unique", None, False)
    assert str(verdict.action) == "pass"


def test_equal_visible_text_at_another_url_is_exact(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1)))
    verdict = see(dedup, B, html(article(1)).replace("<p>", "<p class=x><!-- 7 -->"))
    assert (verdict.kind, verdict.original, verdict.score) == ("exact", A, 1.0)
    assert str(verdict.action) == "drop"


def test_the_same_article_in_another_template_is_near(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1)))
    verdict = see(dedup, B, html(article(1), site="news"))
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.score > 0.95
    assert verdict.evidence.stage == "sentences"
    assert verdict.evidence.scores.rs == (1.0, 1.0)


def test_an_edited_article_is_near(dedup: Deduplicator) -> None:
    parts = article(1)
    see(dedup, A, html(parts))
    edited = [text.replace(" the ", " that ", 1) for text in parts]
    verdict = see(dedup, B, html(edited))
    assert (verdict.kind, verdict.original) == ("near", A)
    assert 0.75 < verdict.score < 1


def test_an_excerpt_is_contained_and_dropped_only_from_a_page_not_much_longer(
    dedup: Deduplicator,
) -> None:
    parts = article(1, 600)
    see(dedup, A, html(parts))
    most = see(dedup, f"{A}most", html(parts[: len(parts) * 6 // 10]))
    assert (most.kind, most.original, str(most.action)) == ("contained", A, "drop")
    little = see(dedup, f"{A}little", html(parts[: len(parts) // 4]))
    assert (little.kind, little.original, str(little.action)) == ("contained", A, "tag")


def test_a_collection_contains_earlier_pages_and_names_them_all(dedup: Deduplicator) -> None:
    one, two = article(1), article(2)
    known = [dedup.judge(Page(url=A, html=html(one))), dedup.judge(Page(url=B, html=html(two)))]
    verdict = see(dedup, C, html([*one, *two, *article(3, 600)]))
    assert verdict.kind == "contains"
    assert set(verdict.evidence.swallowed) == {A, B}
    assert verdict.original in {A, B}
    dedup.settle()
    with dedup.store.snapshot() as view:
        records = view.pages([one.number for one in known])
    assert [record.superseded for record in records] == [True, True]


def test_the_same_url_again_is_unchanged_or_updated(dedup: Deduplicator) -> None:
    see(dedup, "https://a.example/?b=1&a=2", html(article(1)))
    again = see(dedup, "https://a.example/?a=2&b=1#top", html(article(1)))
    assert (again.kind, str(again.action)) == ("unchanged", "drop")
    changed = see(dedup, "https://a.example/?a=2&b=1", html(article(2)))
    assert (changed.kind, changed.original) == ("updated", None)
    assert see(dedup, B, html(article(1))).kind == "unique", "the old text stands nowhere now"
    assert see(dedup, C, html(article(2))).kind == "exact"


def test_a_small_change_at_the_same_url_is_updated_not_near(dedup: Deduplicator) -> None:
    parts = article(1)
    see(dedup, A, html(parts))
    assert see(dedup, A, html([*parts, "One more sentence at the end."])).kind == "updated"


def test_a_known_url_that_becomes_a_copy_of_another_page_is_a_copy(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1)))
    see(dedup, B, html(article(2)))
    assert see(dedup, B, html(article(1))).kind == "exact"
    assert see(dedup, B, html(article(1))).kind == "unchanged"
    assert see(dedup, B, html(article(3))).kind == "updated"


def test_a_dropped_url_seen_again_is_unchanged_and_names_the_original(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1)))
    assert str(see(dedup, f"{A}news", html(article(1), site="news")).action) == "drop"
    verdict = see(dedup, f"{A}news", html(article(1), site="news"))
    assert (verdict.kind, verdict.original) == ("unchanged", A)


def test_the_best_candidate_wins_then_the_earliest(dedup: Deduplicator) -> None:
    parts = article(1, 400)
    most = [text.replace(" the ", " that ", 1) for text in parts]
    see(dedup, A, html([*most, *article(2, 900)]))
    see(dedup, B, html([*parts, *article(4, 900)]))
    see(dedup, C, html([*parts, *article(6, 900)]))
    verdict = see(dedup, "https://d.example/", html(parts))
    assert (verdict.kind, verdict.original) == ("contained", B)


def test_a_copy_of_a_copy_is_compared_with_the_stored_page_only(tmp_path: Path) -> None:
    """No chains: each step away is near the step before, but the last is not near the first."""
    parts = article(1, 500)
    drift = article(2, 500)
    kinds = []
    requested = {Kind.NEAR: Action.DROP}  # or what is kept would be the next one's original
    with Deduplicator(tmp_path / "store") as dedup:
        see(dedup, A, html(parts))
        for step in range(1, 6):
            keep = len(parts) - step * len(parts) // 8
            text = [*parts[:keep], *drift[: step * len(drift) // 8]]
            page = Page(url=f"https://b.example/{step}", html=html(text))
            kinds.append(dedup.judge(page, requested=requested).verdict.kind)
    assert kinds[0] == "near"
    assert "unique" in kinds


@pytest.mark.parametrize("script", ["zh", "th"])
def test_text_without_spaces_is_compared_too(dedup: Deduplicator, script: str) -> None:
    sentences = {
        "zh": "月球绕着地球转动，海水因此每天两次涨落，沿海的人们自古就知道这个规律，"
        "并且据此安排捕鱼和航行的时间。",
        "th": "ดวงจันทร์โคจรรอบโลกทำให้น้ำทะเลขึ้นและลงวันละสองครั้ง"
        "ชาวประมงรู้จักกฎนี้มาตั้งแต่โบราณและใช้กำหนดเวลาออกเรือ",
    }
    text = sentences[script]
    see(dedup, A, f"<p>{text}</p>")
    edited = see(dedup, B, f"<div><h1>1</h1><p>{text}</p></div>")
    assert (edited.kind, edited.original) == ("near", A)
    other = see(dedup, C, f"<p>{text[::-1]}</p>")
    assert other.kind == "unique"


def test_short_pages_are_exact_only_with_equal_bytes(dedup: Deduplicator) -> None:
    shell = "<noscript></noscript><p>Please enable JavaScript to see this page.</p>"
    assert see(dedup, A, shell).kind == "unique"
    assert see(dedup, B, shell + "<script>page(2)</script>").kind == "unique"
    assert see(dedup, C, shell).kind == "exact"
    assert see(dedup, A, shell).kind == "unchanged"


def test_pages_without_words_are_never_registered(dedup: Deduplicator) -> None:
    for url in (A, B, A):
        receipt = dedup.judge(Page(url=url, html="<html><body><img src=x></body></html>"))
        assert (receipt.verdict.kind, receipt.number) == ("unique", None)
    with dedup.store.snapshot() as view:
        assert list(view.numbers()) == []


def test_boilerplate_does_not_make_pages_alike(dedup: Deduplicator) -> None:
    see(dedup, A, html(article(1, 60), site="news"))
    verdict = see(dedup, B, html(article(2, 60), site="news"))
    assert verdict.kind == "unique"
    assert (verdict.evidence.scores.containment or 0) < 0.2


def test_a_page_that_was_cut_is_equal_only_with_equal_bytes(tmp_path: Path) -> None:
    beginning = html(article(1, 2000))
    with Deduplicator(tmp_path / "store", max_html=4096) as dedup:
        assert see(dedup, A, beginning).kind == "unique"
        assert see(dedup, B, beginning + "<p>Another end</p>").kind == "unique"
        assert see(dedup, C, beginning).kind == "exact"


def test_plain_text_pages(dedup: Deduplicator) -> None:
    parts = article(1)
    see(dedup, A, html(parts))
    verdict = dedup.process(Page(url=B, text="\n\n".join(["A page", *parts])))
    assert (verdict.kind, verdict.original) == ("exact", A)


def test_probe_leaves_no_trace(dedup: Deduplicator) -> None:
    page = Page(url=A, html=html(article(1)))
    assert dedup.probe(page).kind == "unique"
    assert dedup.probe(page).kind == "unique"
    assert dedup.process(page).kind == "unique"
    assert dedup.probe(page).kind == "unchanged"


def test_a_withdrawn_page_matches_no_more_and_passes_again(dedup: Deduplicator) -> None:
    pending = dedup.judge(Page(url=A, html=html(article(1))))
    assert see(dedup, B, html(article(1))).kind == "exact", "pending in a live run counts"
    dedup.settle(withdrawn=[pending.number])
    assert dedup.probe(Page(url=A, html=html(article(1)))).kind == "unique"
    assert see(dedup, B, html(article(1))).kind == "unique", "what it was a copy of is gone"


def test_a_copy_that_was_only_tagged_is_known_unless_it_was_lost(tmp_path: Path) -> None:
    """Whatever passes is registered; if its items are lost it must be able to pass again."""
    with Deduplicator(tmp_path / "store", actions={"near": "tag"}) as dedup:
        see(dedup, A, html(article(1)))
        page = Page(url=B, html=html(article(1), site="news"))
        for _ in range(2):
            tagged = dedup.judge(page)
            assert (tagged.verdict.kind, str(tagged.verdict.action)) == ("near", "tag")
            dedup.settle(withdrawn=[tagged.number])
        dedup.settle(delivered=[dedup.judge(page).number])
        assert dedup.process(page).kind == "unchanged"
        assert see(dedup, C, html(article(1), site="news")).original == B


def archive_and_post() -> tuple[list[str], list[str]]:
    """Make a long page and one of its parts, each a list of paragraphs."""
    parts = article(1, 600)
    return parts, parts[: len(parts) // 4]


def test_a_small_part_of_a_page_is_an_original_for_its_own_copies(dedup: Deduplicator) -> None:
    """It passed although an archive holds it; its copies must not pass with it."""
    archive, post = archive_and_post()
    see(dedup, A, html(archive))
    assert see(dedup, B, html(post)).kind == "contained"
    copy = see(dedup, C, html(post))
    assert (copy.kind, copy.original, str(copy.action)) == ("exact", B, "drop")
    printed = see(dedup, f"{B}printed", html(post, site="news"))
    assert (printed.kind, printed.original, str(printed.action)) == ("near", B, "drop")
    again = see(dedup, B, html(post))
    assert (again.kind, again.original) == ("unchanged", B)


def test_a_part_of_a_small_part_is_measured_by_that(dedup: Deduplicator) -> None:
    archive, post = archive_and_post()
    see(dedup, A, html(archive))
    see(dedup, B, html(post))
    most = see(dedup, f"{B}most", html(post[: len(post) * 2 // 3]))
    assert (most.kind, most.original, str(most.action)) == ("contained", B, "drop")


def test_a_small_part_that_was_lost_passes_again(dedup: Deduplicator) -> None:
    archive, post = archive_and_post()
    see(dedup, A, html(archive))
    for url in (B, B, C):
        receipt = dedup.judge(Page(url=url, html=html(post)))
        lost = receipt.verdict
        assert (lost.kind, lost.original, str(lost.action)) == ("contained", A, "tag")
        dedup.settle(withdrawn=[receipt.number])


def test_a_small_part_that_is_dropped_by_wish_is_no_original(dedup: Deduplicator) -> None:
    archive, post = archive_and_post()
    see(dedup, A, html(archive))
    wish = {Kind.CONTAINED: Action.DROP}
    dropped = dedup.judge(Page(url=B, html=html(post)), requested=wish)
    assert (str(dropped.verdict.action), dropped.number) == ("drop", None)
    copy = see(dedup, C, html(post))
    assert (copy.kind, copy.original, str(copy.action)) == ("contained", A, "tag")


def test_an_original_that_is_pending_in_another_run_is_in_doubt(dedup: Deduplicator) -> None:
    with Deduplicator(dedup.store.path) as other:
        pending = other.judge(Page(url=A, html=html(article(1))))
        copy = dedup.judge(Page(url=B, html=html(article(1))))
        assert (copy.verdict.kind, copy.in_doubt) == ("exact", True)
        assert dedup.status(copy.original) == "pending"
        other.settle(delivered=[pending.number])
        assert dedup.status(copy.original) == "delivered"
        assert not dedup.judge(Page(url=C, html=html(article(1)))).in_doubt


def test_an_original_that_is_pending_in_the_same_run_is_in_doubt(dedup: Deduplicator) -> None:
    pending = dedup.judge(Page(url=A, html=html(article(1))))
    assert dedup.judge(Page(url=B, html=html(article(1)))).in_doubt
    dedup.settle(delivered=[pending.number])
    assert not dedup.judge(Page(url=C, html=html(article(1)))).in_doubt


def test_a_delivered_page_stays(dedup: Deduplicator) -> None:
    pending = dedup.judge(Page(url=A, html=html(article(1))))
    dedup.settle(delivered=[pending.number])
    assert see(dedup, B, html(article(1))).kind == "exact"


def test_actions_are_settings(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "store", actions={"exact": "tag"}) as dedup:
        see(dedup, A, html(article(1)))
        assert str(see(dedup, B, html(article(1))).action) == "tag"


@pytest.mark.parametrize(
    ("values", "actions"),
    [
        ({}, ("drop", "tag", "tag")),
        ({"cross_host": {"near": "drop"}}, ("drop", "drop", "tag")),
        ({"cross_host": {"near": "drop", "contained": "drop"}}, ("drop", "drop", "drop")),
        ({"cross_host": {"exact": "tag", "near": "pass"}}, ("tag", "pass", "tag")),
        # it is the most that is done: what is milder at home is milder elsewhere, too
        ({"cross_host": {"near": "drop"}, "actions": {"near": "tag"}}, ("drop", "tag", "tag")),
    ],
    ids=["default", "near", "all", "milder", "milder at home"],
)
def test_what_is_done_to_copies_of_pages_of_other_sites(
    tmp_path: Path, values: dict[str, Any], actions: tuple[str, str, str]
) -> None:
    parts = article(1, 600)
    copies = {
        "exact": html(parts),
        "near": html(parts, site="news"),
        "contained": html(parts[: len(parts) * 6 // 10]),
    }
    found = []
    with Deduplicator(tmp_path / "store", **values) as dedup:
        see(dedup, A, html(parts))
        for kind, source in copies.items():
            verdict = dedup.probe(Page(url=B, html=source))
            assert (verdict.kind, verdict.original) == (kind, A)
            found.append(str(verdict.action))
            here = dedup.probe(Page(url=f"{A}{kind}", html=source))
            home = "tag" if kind in values.get("actions", {}) else "drop"
            assert (here.kind, str(here.action)) == (kind, home)
            sub_domain = dedup.probe(Page(url="https://www.a.example/", html=source))
            assert sub_domain.action == here.action
    assert tuple(found) == actions


def test_a_near_copy_of_a_page_of_another_site_is_an_original_at_home(dedup: Deduplicator) -> None:
    """It was kept, so copies on its own site are dropped for it."""
    see(dedup, A, html(article(1)))
    kept = see(dedup, B, html(article(1), site="news"))
    assert (kept.kind, kept.original, str(kept.action)) == ("near", A, "tag")
    copy = see(dedup, f"{B}copy", html(article(1), site="news"))
    assert (copy.kind, copy.original, str(copy.action)) == ("exact", B, "drop")
    again = see(dedup, B, html(article(1), site="news"))
    assert (again.kind, again.original, str(again.action)) == ("unchanged", B, "drop")
