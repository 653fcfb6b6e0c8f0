"""Stages of a batch job against judging one page after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Action, Kind, Page
from dedup_middleware.batch.spark_stages import join
from dedup_middleware.judge.overrides import Restoration, append_restoration
from dedup_middleware.settings import STRICTNESS, Settings
from tests.support.batch import archive, by_stages, in_order

SETTINGS = Settings.of(min_words=8)
DROPS = replace(SETTINGS, cross_host={**SETTINGS.cross_host, Kind.NEAR: Action.DROP})
EXACT_TAGGED = {**SETTINGS.actions, Kind.EXACT: Action.TAG}


def _same(pages, settings, overrides=None) -> Counter[str]:
    expected = in_order(pages, settings, overrides)
    found = by_stages(pages, settings, overrides)
    for page, one, other in zip(pages, expected, found, strict=True):
        verdict = [str(one.kind), str(one.action), one.original, one.score]
        verdict += [one.evidence.supersedes, one.evidence.suspect]
        names = ("kind", "action", "original", "score", "supersedes", "suspect")
        assert [page.url, *verdict] == [page.url, *(other[name] for name in names)]
    return Counter(str(one.kind) for one in expected)


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        replace(SETTINGS, survivor="first"),
        replace(SETTINGS, survivor="longest"),
        replace(SETTINGS, actions=EXACT_TAGGED),
        DROPS,
        replace(SETTINGS, max_candidates=10_000, **STRICTNESS["eager"]._asdict()),
    ],
    ids=["default", "first survives", "longest survives", "copies stay", "other sites", "eager"],
)
def test_verdicts_are_those_of_one_page_after_the_other(settings):
    kinds = sum((_same(archive(seed, 120), settings) for seed in range(3)), Counter())
    assert {*kinds} == {*map(str, Kind)}, kinds


def test_what_a_person_restored_stays_restored(tmp_path):
    pages = archive(1, 80)
    dropped = [
        (page.url, one.original)
        for page, one in zip(pages, in_order(pages, DROPS), strict=True)
        if one.action is Action.DROP and one.original != page.url
    ]
    path = tmp_path / "restored.jsonl"
    for url, original in dropped[::2]:
        append_restoration(path, Restoration(url, original))
    kept = _same(pages, DROPS, path)
    assert kept != _same(pages, DROPS)


def test_urls_need_not_be_text_that_arrow_takes():
    text = "Half of a pair of surrogates is no character, but a line of JSON can have one. " * 3
    urls = ["https://a.example/\ud800", "https://b.example/\udfff"]
    first, second = by_stages([Page(url=url, text=text) for url in urls], SETTINGS)
    assert (first["kind"], second["kind"]) == ("unique", "exact")
    assert second["original"] == first["url"] == "https://a.example/\ufffd"


def test_clusters_are_named_by_the_page_that_all_others_repeat():
    found = by_stages(archive(2, 80), SETTINGS)
    latest: dict[str, str] = {}  # what a URL shows may have changed since it was repeated
    repeats = 0
    for row in sorted(found, key=itemgetter("arrival")):
        if row["kind"] in {"exact", "near", "unchanged"}:
            repeats += 1
            assert row["url"] == row["original"] or row["cluster"] == latest[row["original"]]
        latest[row["url"]] = row["cluster"]
    assert repeats


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=60))
def test_components_join_what_a_walk_reaches(pairs):
    found = dict(join(iter(pairs)))
    assert found.keys() == {page for pair in pairs for page in pair}
    for node, first in found.items():
        reached, wave = {node}, {node}
        while wave:
            wave = {b for a, b in [*pairs, *((b, a) for a, b in pairs)] if a in wave} - reached
            reached |= wave
        assert first == min(reached)
