"""Scoring of journals made by hand."""

from __future__ import annotations

import pytest

from crawler.demo import Manifest, Relation, Truth, score

EXACT, NEAR = ("exact",), ("near",)


def relation(original, *kinds, version=0, dropped=None):
    return Relation(original, version, kinds, dropped)


PAGES = (
    Truth(
        "a",
        0,
        "article",
        relations=(relation("b", "near"), relation("c", "near"), relation("all", "contained")),
    ),
    Truth(
        "b",
        0,
        "print",
        relations=(relation("a", "near"), relation("c", "exact"), relation("all", "contained")),
    ),
    Truth(
        "c",
        0,
        "print",
        relations=(relation("a", "near"), relation("b", "exact"), relation("all", "contained")),
    ),
    Truth("all", 0, "collection", relations=tuple(relation(one, "contains") for one in "abc")),
    Truth("x", 0, "article"),
    Truth("y", 0, "changing"),
    Truth("y", 1, "changing"),
    Truth("z", 0, "unchanged"),
    Truth("z", 1, "unchanged", same=True),
)
MANIFEST = Manifest(1, "a", PAGES, (("gone", "error"),))


def judged(*lines):
    """Read lines such as `b near a`, `all contains a a,b` or `b contained:tag all`."""
    journal = []
    for line in lines:
        url, verdict, original, swallowed = (*line.split(), None, None)[:4]
        verdict, _, action = verdict.partition(":")
        entry = {"url": url, "verdict": verdict, "original": original, "action": action or "drop"}
        journal.append({**entry, "swallowed": swallowed.split(",") if swallowed else []})
    return score(MANIFEST, journal)


@pytest.mark.parametrize(
    "lines",
    [
        ["a unique", "b near a", "c near a", "all contains a a"],
        ["b unique", "c exact b", "a near b", "all contains b b"],
        ["all unique", "a contained all", "b contained all", "c contained all"],
        ["a unique", "all contains a a", "b near a", "c contained all"],
        # a small part of a page passes, and is an original for others
        ["all unique", "b contained:tag all", "c exact b", "a near b", "b unchanged b"],
        # so is a near copy of a page of another site
        ["a unique", "b near:tag a", "c exact b", "all contains a a,b", "b unchanged b"],
        ["x unique", "y unique", "y updated", "z unique", "z unchanged z"],
        ["y unique", "y updated", "y unchanged y", "a unique", "b near a", "b unchanged a"],
    ],
)
def test_any_order_can_be_right(lines):
    result = judged(*lines)
    assert result.disagreements == ()
    assert (result.precision, result.recall) == (1, 1)
    assert result.right == result.claimed == result.due
    assert result.judged == len(lines)


@pytest.mark.parametrize(
    ("lines", "right", "claimed", "due", "words"),
    [
        (["a unique", "b unique"], 0, 0, 1, "b (print) was judged unique, but is near (a)."),
        (["a unique", "x near a"], 0, 1, 0, "x (article) was judged near (a), but is unique."),
        # the right kind with the wrong original is neither precise nor found
        (["a unique", "x unique", "b near x"], 0, 1, 1, "near (x), but is near (a)."),
        # an original that was dropped itself can't be one
        (["a unique", "b near a", "c exact b"], 1, 2, 2, "exact (b), but is near (a)."),
        (["all unique", "b contained all", "c exact b"], 1, 2, 2, "but is contained (all)."),
        (["a unique", "b exact a"], 0, 1, 1, "exact (a), but is near (a)."),
        (["a unique", "all unique"], 0, 0, 1, "but is contains (a)."),
        (["a unique", "x unique", "all contains a a,x"], 0, 1, 1, "but does not contain x."),
        (["all unique", "a unique", "b near a"], 1, 1, 2, "a (article) was judged unique"),
        (["y unique", "y unchanged y"], 0, 1, 0, "unchanged (y), but is updated."),
        (["z unique", "z updated"], 0, 0, 1, "updated, but is unchanged (z)."),
        (["x updated"], 0, 0, 0, "updated, but is unique."),
        (["gone near a"], 0, 1, 0, "gone is no page (error), but was judged near."),
        (["nowhere unique"], 0, 0, 0, "nowhere is no page (unknown to the manifest)"),
    ],
)
def test_mistakes_are_counted_and_described(lines, right, claimed, due, words):
    result = judged(*lines)
    assert (result.right, result.claimed, result.due) == (right, claimed, due)
    (sentence,) = result.disagreements
    assert words in sentence


def test_later_pages_are_scored_against_what_was_kept():
    # b should have been dropped; as it was kept, c is its copy as much as a's
    assert len(judged("a unique", "b unique", "c exact b").disagreements) == 1
    assert len(judged("a unique", "b unique", "c near a").disagreements) == 1


def test_pages_that_were_not_judged_are_missing():
    result = judged("a unique", "b near a", "y unique")
    assert result.missing == ("c", "all", "x", "y (visit 2)", "z", "z (visit 2)")


@pytest.mark.parametrize(
    ("dropped", "action", "words"),
    [
        (True, "drop", ""),
        (False, "tag", ""),
        (True, "tag", "b (copy) was kept, but must be dropped: a."),
        (False, "drop", "b (copy) was dropped, but must be kept: a."),
        (None, "tag", ""),
    ],
)
def test_what_must_be_dropped_or_kept(dropped, action, words):
    copy = Truth("b", 0, "copy", relations=(relation("a", "near", dropped=dropped),))
    manifest = Manifest(1, "a", (Truth("a", 0, "article"), copy), ())
    journal = [{"url": "a", "verdict": "unique", "action": "pass"}]
    journal.append({"url": "b", "verdict": "near", "original": "a", "action": action})
    result = score(manifest, journal)
    assert result.disagreements == ((words,) if words else ())
    assert result.right == (not words)


@pytest.mark.parametrize(("what", "claimed"), [("list", 0), ("article", 1)])
def test_a_list_may_contain_another(what, claimed):
    manifest = Manifest(1, "a", (Truth("a", 0, what), Truth("b", 0, "list")), ())
    found = {"url": "b", "verdict": "contains", "original": "a", "swallowed": ["a"]}
    result = score(manifest, [{"url": "a", "verdict": "unique"}, {**found, "action": "pass"}])
    assert (result.claimed, result.right, len(result.disagreements)) == (claimed, 0, claimed)


def test_an_empty_journal():
    result = judged()
    assert (result.precision, result.recall, result.judged) == (1, 1, 0)
