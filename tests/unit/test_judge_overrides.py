"""Restored pages: what a person says about a drop applies to every later judgement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware import Action, Deduplicator, Kind, Page, Verdict
from dedup_middleware.judge import overrides
from dedup_middleware.judge.overrides import NAME, OverrideFiles, Restoration, append_restoration
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")
DROPS: dict[str, Any] = {"cross_host": {"near": "drop"}}  # else near copies need not be restored
TEXT = html(article(1))
NEWS = html(article(1), site="news")  # the same text in another template: not exact
EDITED = html([text.replace(" the ", " that ", 1) for text in article(1)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def judge(dedup: Deduplicator, url: str, source: str) -> Verdict:
    return dedup.process(Page(url=url, html=source))


def restore(store: Path, url: str, original: str) -> None:
    store.mkdir(exist_ok=True)
    append_restoration(store / NAME, Restoration(url, original))


def notes(verdict: Verdict) -> str:
    return " | ".join(verdict.evidence.notes)


@pytest.fixture
def opened(store: Path, tmp_path: Path) -> Iterator[Deduplicator]:
    """A new store, where the project's list says that B is not A."""
    (tmp_path / "project").mkdir()
    listed = tmp_path / "project" / NAME
    append_restoration(listed, Restoration(B, A))
    with Deduplicator(store, overrides=listed, **DROPS) as dedup:
        yield dedup


@pytest.mark.parametrize("other", [TEXT, NEWS, EDITED], ids=["exact", "near", "edited"])
@pytest.mark.parametrize("order", [(A, B), (B, A)], ids=["as before", "turned"])
def test_a_restored_page_and_its_original_never_match(
    opened: Deduplicator, order: tuple[str, str], other: str
) -> None:
    first = judge(opened, order[0], TEXT)
    assert (first.kind, first.evidence.notes) == ("unique", ())
    assert opened.probe(Page(url=order[1], html=other)).kind == "unique"
    receipt = opened.judge(Page(url=order[1], html=other))
    second = receipt.verdict
    assert (second.kind, second.action, second.original) == ("unique", "pass", None)
    assert notes(second) == f"a person said it is not {order[0]}"
    assert receipt.number is not None


def test_other_pages_are_not_affected(opened: Deduplicator) -> None:
    judge(opened, A, TEXT)
    judge(opened, B, NEWS)
    copies = judge(opened, C, TEXT), judge(opened, D, NEWS)
    assert [(one.kind, one.original, one.action) for one in copies] == [
        ("exact", A, "drop"),
        ("exact", B, "drop"),  # it stands for its own copies
    ]
    assert not any(one.evidence.notes for one in copies)


def test_a_restored_page_passes_whatever_copy_of_its_original_came_first(
    opened: Deduplicator,
) -> None:
    judge(opened, C, TEXT)
    verdict = judge(opened, B, NEWS)
    assert (verdict.kind, verdict.original, verdict.action) == ("near", C, "pass")
    assert notes(verdict) == f"passes, restored by a person, although it is like {C}"
    assert judge(opened, A, EDITED).action == "drop"  # only one of a pair is restored
    assert judge(opened, D, NEWS).original == B


def test_an_exact_copy_of_another_page_passes_too_if_it_was_restored(opened: Deduplicator) -> None:
    judge(opened, C, TEXT)
    judge(opened, A, NEWS)
    verdict = judge(opened, B, TEXT)
    assert (verdict.kind, verdict.original, verdict.action) == ("exact", C, "pass")
    assert opened.probe(Page(url=B, html=TEXT)).kind == "unchanged"


def test_a_restored_page_is_dropped_while_it_is_unchanged(opened: Deduplicator) -> None:
    judge(opened, A, TEXT)
    judge(opened, B, NEWS)
    again = judge(opened, B, NEWS)
    assert (again.kind, again.original, again.action) == ("unchanged", B, "drop")
    assert judge(opened, B, html(article(2))).kind == "updated"


def test_a_request_can_not_drop_a_restored_page(opened: Deduplicator) -> None:
    judge(opened, C, TEXT)
    receipt = opened.judge(Page(url=B, html=NEWS), requested={Kind.NEAR: Action.DROP})
    assert (receipt.verdict.kind, receipt.verdict.action) == ("near", "pass")
    assert receipt.number is not None


def test_a_tag_stays_a_tag(store: Path, tmp_path: Path) -> None:
    listed = tmp_path / NAME
    append_restoration(listed, Restoration(B, A))
    with Deduplicator(store, overrides=listed, actions={"near": "tag"}, **DROPS) as dedup:
        judge(dedup, C, TEXT)
        assert judge(dedup, B, NEWS).action == "tag"


def test_pages_of_few_words_can_be_restored_too(opened: Deduplicator) -> None:
    few = "<p>Only these five words stand here.</p>"
    judge(opened, A, few)
    assert judge(opened, C, few).kind == "exact"
    verdict = judge(opened, B, few)
    assert (verdict.kind, notes(verdict)) == ("unique", f"a person said it is not {A}")


def test_a_page_does_not_contain_the_one_it_never_matches(opened: Deduplicator) -> None:
    judge(opened, A, TEXT)
    more = html([*article(1), *article(2), *article(3)])
    assert judge(opened, B, more).kind == "unique"
    verdict = judge(opened, C, more + "<p>And a last line.</p>")
    assert (verdict.kind, verdict.original) == ("near", B)


@pytest.mark.parametrize("name", ["shingles", "minhash", "patricia", "codet"])
def test_overrides_hold_for_any_method(name: str, store: Path, tmp_path: Path) -> None:
    listed = tmp_path / NAME
    append_restoration(listed, Restoration(B, A))
    with Deduplicator(store, overrides=listed, method=name, **DROPS) as dedup:
        judge(dedup, A, TEXT)
        for seed in range(2, 8):  # methods that weigh words by rarity need a corpus
            judge(dedup, f"https://example.org/{seed}", html(article(seed)))
        verdict = judge(dedup, B, NEWS)
        assert (verdict.kind, verdict.action) == ("unique", "pass")
        assert f"a person said it is not {A}" in notes(verdict)
        assert judge(dedup, C, EDITED).original in {A, B}


def test_the_next_run_with_the_same_store_judges_it_again(store: Path) -> None:
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, A, TEXT)
        assert judge(dedup, B, NEWS).action == "drop"
    with Deduplicator(store, **DROPS) as dedup:
        assert judge(dedup, B, NEWS).kind == "unchanged"
    restore(store, B, A)
    with Deduplicator(store, **DROPS) as dedup:
        verdict = judge(dedup, B, NEWS)
        assert (verdict.kind, verdict.action) == ("unique", "pass")  # not updated: it is as it was
        assert notes(verdict) == f"a person said it is not {A}"
        again = judge(dedup, B, NEWS)
        assert (again.kind, again.original) == ("unchanged", B)
        assert judge(dedup, A, TEXT).kind == "unchanged"


def test_a_drop_for_another_page_no_longer_counts(store: Path) -> None:
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, C, TEXT)
        assert judge(dedup, B, NEWS).original == C
    restore(store, B, A)
    with Deduplicator(store, **DROPS) as dedup:
        verdict = judge(dedup, B, NEWS)
        assert (verdict.kind, verdict.original, verdict.action) == ("near", C, "pass")


def test_the_original_is_judged_again_if_it_was_the_one_dropped(store: Path) -> None:
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, B, NEWS)
        assert judge(dedup, A, TEXT).original == B
    restore(store, B, A)
    with Deduplicator(store, **DROPS) as dedup:
        assert judge(dedup, A, TEXT).kind == "unique"


def test_an_unchanged_page_can_be_restored_for_good(store: Path) -> None:
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, A, TEXT)
        assert judge(dedup, A, TEXT).action == "drop"
    restore(store, A, A)
    with Deduplicator(store, **DROPS) as dedup:
        for _ in range(2):
            receipt = dedup.judge(Page(url=A, html=TEXT))
            verdict = receipt.verdict
            assert (verdict.kind, verdict.action, receipt.number) == ("unchanged", "pass", None)
        assert judge(dedup, B, TEXT).original == A


def test_a_page_is_dropped_again_after_undo(store: Path) -> None:
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, A, TEXT)
        judge(dedup, B, NEWS)
    restore(store, B, A)
    append_restoration(store / NAME, Restoration(B, A), undo=True)
    with Deduplicator(store, **DROPS) as dedup:
        verdict = judge(dedup, B, NEWS)
        assert (verdict.kind, verdict.original, verdict.action) == ("unchanged", A, "drop")


def test_a_running_deduplicator_sees_new_overrides(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overrides, "LOOK_SECONDS", 0.0)
    with Deduplicator(store, **DROPS) as dedup:
        judge(dedup, A, TEXT)
        assert judge(dedup, B, NEWS).action == "drop"
        restore(store, B, A)
        assert judge(dedup, B, NEWS).kind == "unique"
        append_restoration(store / NAME, Restoration(B, A), undo=True)
        assert judge(dedup, C, EDITED).action == "drop"


def test_files_are_not_looked_at_for_each_page(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overrides, "LOOK_SECONDS", 3600.0)
    store.mkdir()
    files = OverrideFiles(store / NAME)
    restore(store, B, A)
    assert files.now().all == ()
    monkeypatch.setattr(overrides, "LOOK_SECONDS", 0.0)
    assert files.now().pairs == [(B, A)]
