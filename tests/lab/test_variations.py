"""The deduplicator in other orders and without parts, counted whichever page came first."""

from __future__ import annotations

from lab.accuracy import variations
from lab.accuracy.ablation import PARTS
from lab.accuracy.scoring import Judgement, Label
from lab.accuracy.sets import find_sets
from lab.accuracy.variations import ORDERS, as_table, measure, outcomes
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, C, label, page, write_set

NEAR = Label("b", "positive", {"a": ["near"]})
INSIDE = Label("part", "positive", {"whole": ["contained"]})
OPEN = Label("maybe", "negative", {}, ["a"])
LABELS = [NEAR, INSIDE, OPEN, *(Label(url, "negative", {}) for url in ("a", "whole", "other"))]


def counted(url: str, kind: str, original: str, action: str = "drop") -> list[str]:
    found = outcomes(LABELS, {url: Judgement(kind, original, action=action)})
    return [name for name, count in found.items() if count]


def test_what_is_near_is_so_in_any_order():
    assert counted("b", "near", "a") == counted("a", "near", "b") == ["right drops"]
    assert counted("a", "near", "b", "tag") == ["right tags"]
    assert counted("a", "near", "other") == ["wrong drops"]
    assert counted("a", "near", "other", "tag") == ["wrong tags"]


def test_what_is_contained_may_not_stand_for_the_whole():
    assert counted("part", "contained", "whole") == ["right drops"]
    assert counted("whole", "near", "part") == ["wrong drops"]
    assert counted("whole", "contains", "part", "pass") == ["contains"]


def test_what_labels_leave_open_is_neither_right_nor_wrong():
    assert counted("maybe", "near", "a") == counted("b", "near", "maybe") == ["open drops"]
    assert counted("maybe", "unique", "") == []


def test_all_variations_are_measured_once(tmp_path, monkeypatch):
    pages = [page(A, ANIMAL_PAGE), page(B, ANIMAL_PAGE), page(C, TOOL_PAGE)]
    labels = [label(A, "negative"), label(B, "positive", {A: ["exact"]}), label(C, "negative")]
    write_set(tmp_path / "set", "stream", pages, labels)
    sets = find_sets([tmp_path / "set"], [])
    problems: list[str] = []
    found = measure(sets, {"set": "digest"}, tmp_path / "work", problems)
    assert problems == []
    assert [*found] == [*ORDERS, *(part for part in PARTS if part != "nothing")]
    assert all(rows["set"]["right drops"] == 1 for rows in found.values())
    monkeypatch.setattr(variations, "_measured", None)  # nothing is measured again
    assert measure(sets, {"set": "digest"}, tmp_path / "work", problems) == found
    table = as_table(found, ORDERS, "order")
    assert "| as they come | 1 / 0, 0 / 0 |" in table
