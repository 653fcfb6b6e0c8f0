"""Decisions of stores: filters, clusters, tallies, and what they say about a URL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.runs import runs_of
from dedup_middleware.inspect.stored_decisions import (
    Filter,
    StoredDecisions,
    UnknownPage,
    look_up,
    look_up_page,
    means,
)
from dedup_middleware.inspect.tallies import by_host, clusters, replacements_in, summed, tallies
from dedup_middleware.viewer.api import LiveDecisions
from tests.support.decisions import add_decisions
from tests.support.texts import article, html

START = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


def entry(number: int, url: str, verdict: str = "unique", **changes) -> dict:
    redundant = verdict in {"exact", "near", "contained", "unchanged"}
    return {
        "v": 1,
        "seq": number,
        "time": (START + timedelta(minutes=number)).isoformat(timespec="milliseconds"),
        "run": "run-1",
        "spider": "news",
        "url": url,
        "verdict": verdict,
        "action": "drop" if redundant else "pass",
        "original": "https://a.example/original" if redundant else None,
        "swallowed": [],
        "stage": "sentences" if redundant else "lookup",
        "model": 0,
        "scores": {"known": [0.75, 0.9]} if verdict == "near" else {},
        "reason": "One sentence.",
        "ms": 2.5,
        "bytes": 1000,
        **changes,
    }


def stored(folder: Path, *entries: dict) -> StoredDecisions:
    add_decisions(folder / "store", *entries)
    return StoredDecisions(folder / "store")


def urls(found) -> list[str]:
    return [decision.url for decision in found]


# decisions


def test_needles_select_lines(tmp_path):
    every = [entry(number, f"https://h{number % 7}.example/{number}") for number in range(99)]
    found = urls(stored(tmp_path, *every).holding(b"h3.example", b"h5.example"))
    assert found == [f"https://h{n % 7}.example/{n}" for n in range(99) if n % 7 in {3, 5}]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which a copy was to be dropped, and passed after all."""
    with Deduplicator(tmp_path / "store") as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
        copy = Page(url="https://b.example/", html=html(article(1)))
        taken_back = dedup.overrule(copy.url, dedup.judge(copy), "It passes.", copy.size)
        assert (str(taken_back.verdict.action), taken_back.sequence) == ("pass", 3)
        assert dedup.journal.path
        lines = [json.loads(line) for line in dedup.journal.path.read_bytes().splitlines()]
        assert [line.get("overrules") for line in lines] == [None, None, 2]
        assert [line["action"] for line in lines] == ["pass", "drop", "pass"]
    return tmp_path / "store"


def test_decisions_that_a_later_one_overrules_are_left_out(store: Path):
    found = list(StoredDecisions(store))
    assert [(one.sequence, one.action) for one in found] == [(1, "pass"), (3, "pass")]
    assert list(StoredDecisions(store).holding(b'"action":"drop"')) == []
    tally = summed(run.total for run in tallies(found))
    assert (tally.pages, tally.drops, tally.saved) == (2, 0, 0)
    (run,) = runs_of(store)
    assert (run.judged, run.drops) == (2, 0)
    new = LiveDecisions(store).after(0)
    assert [one.sequence for one in new.decisions] == [1, 3]


@pytest.mark.parametrize("text", ["", "  ", "[]", "{}{}", "NaN", '"x"', "[" * 100_000])
def test_what_is_no_decision_is_none(text):
    assert Decision.parse(text.encode()) is None


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"scores": {"containment": 0.5}}, 0.5),
        ({"scores": {"containment": 0.5, "known": [0.75, 0.9]}}, 0.75),
        ({"verdict": "exact", "scores": {}}, 1.0),
        ({"verdict": "unchanged", "scores": None}, 1.0),
        ({"verdict": "unique", "original": None}, None),
    ],
)
def test_the_score_of_a_decision(changes, score):
    assert Decision.of({**entry(1, "u", "near"), **changes}).score == score


# filters


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(), [1, 2, 3, 4, 5, 6]),
        (Filter(verdicts={"near"}), [2, 4]),
        (Filter(actions={"drop"}), [2, 3, 4]),
        (Filter(verdicts={"near", "exact"}, actions={"drop"}), [2, 3, 4]),
        (Filter(host="b.example"), [3, 4]),
        (Filter(host="xn--bcher-kva.example"), [5, 6]),
        (Filter(original="https://a.example/o"), [2, 3]),
    ],
)
def test_filters(tmp_path, wanted, expected):
    decisions = stored(
        tmp_path,
        entry(1, "https://a.example/b.example"),
        entry(2, "https://a.example/2", "near"),
        entry(3, "https://B.example:80/3", "exact"),
        entry(4, "https://www.b.example/4", "near", original="https://c.example/"),
        entry(5, "https://b\u00fccher.example/5"),
        entry(6, "https://WWW.xn--bcher-kva.example/6", run="run-2", time="2026-11-16T08:06+00:00"),
    )
    assert [one.sequence for one in wanted.select(decisions)] == expected


# clusters, tallies


def test_clusters_count_urls_once_and_the_largest_come_first():
    found = clusters(
        Decision.of(one)
        for one in (
            entry(1, "https://b.example/1", "near", original="https://o.example/small"),
            entry(2, "https://b.example/2", "near"),
            entry(3, "https://c.example/3", "exact"),
            entry(4, "https://b.example/2", "unchanged"),
            entry(5, "https://o.example/", "unchanged", original="https://o.example/"),
            entry(6, "https://o.example/new"),
        )
    )
    assert [(one.original, one.copies) for one in found] == [
        ("https://a.example/original", 2),
        ("https://o.example/small", 1),
    ]
    assert found[0].hosts == {"b.example": 1, "c.example": 1}
    assert found[0].verdicts == {"near": 1, "exact": 1}
    assert (found[0].example, found[0].size) == ("https://b.example/2", 2000)


def test_a_page_and_the_one_that_took_its_place_have_one_cluster(tmp_path):
    first, second, third = (f"https://a.example/{name}" for name in ("first", "second", "third"))
    entries = [
        entry(1, first),
        entry(2, "https://b.example/2", "near", original=first),
        entry(3, second, "exact", original=first, action="pass", supersedes=first),
        entry(4, "https://b.example/4", "near", original=second),
        entry(5, third, "exact", original=second, action="pass", supersedes=second),
        entry(6, first, "exact", original=third),
    ]
    decisions = stored(tmp_path, *entries)
    assert replacements_in(decisions) == {first: third, second: third}
    drops = Filter(actions={"drop"}).select(decisions)
    (found,) = clusters(drops, replacements_in(decisions))
    assert (found.original, found.copies) == (third, 3)


def test_tallies_by_run_and_host():
    runs = tallies(
        Decision.of(one)
        for one in (
            entry(1, "https://a.example/1"),
            entry(2, "https://a.example/2", "near"),
            entry(3, "https://b.example/3", "exact", run="run-2", spider="shop"),
            entry(4, "https://b.example/4", "near", action="tag", bytes=None),
        )
    )
    assert [(run.run, run.spider, sorted(run.hosts)) for run in runs] == [
        ("run-1", "news", ["a.example", "b.example"]),
        ("run-2", "shop", ["b.example"]),
    ]
    total = summed(run.total for run in runs)
    assert (total.pages, total.drops, total.saved, total.size) == (4, 2, 2000, 3000)
    assert total.dropped == {"near": 1, "exact": 1}
    assert total.stages == {"lookup": 1, "sentences": 3}
    assert total.milliseconds == 10
    assert runs[0].hosts["a.example"].drop_rate == 0.5
    assert [(host, one.pages) for host, one in by_host(runs).items()] == [
        ("a.example", 2),
        ("b.example", 2),
    ]


# a URL


def test_look_up_finds_decisions_and_copies(tmp_path):
    decisions = stored(
        tmp_path,
        entry(1, "http://a.example/x"),
        entry(2, "https://b.example/", "near", original="http://a.example/x"),
        entry(3, "http://a.example/x", "unchanged", original="http://a.example/x"),
    )
    known = look_up(decisions, "http://a.example/x")
    assert known.url == "http://a.example/x"
    assert [one.sequence for one in known.decisions] == [1, 3]
    assert (known.replaced_count, urls(known.replaced)) == (1, ["https://b.example/"])
    nothing = look_up(decisions, "https://c.example/")
    assert (nothing.url, nothing.decisions) == ("https://c.example/", [])


def test_a_url_is_looked_up_in_other_spellings(tmp_path):
    decisions = stored(tmp_path, entry(1, "https://a.example/x?b=1&a=2"))
    for text in ("https://A.example/x?a=2&b=1#top", "a.example/x?b=1&a=2"):
        assert look_up_page(decisions, text).url == "https://a.example/x?b=1&a=2"
    with pytest.raises(UnknownPage) as raised:
        look_up_page(decisions, "https://a.example/y")
    assert raised.value.args[0] == "There is no decision about https://a.example/y"
    assert raised.value.is_unknown


def test_urls_that_may_be_meant(tmp_path):
    urls = [f"https://a.example/{name}" for name in ("tides", "tides/edited", "Kettle", "boats")]
    decisions = stored(tmp_path, *(entry(number, url) for number, url in enumerate(urls)))
    assert look_up_page(decisions, "HTTPS://A.example/tides#top").url == urls[0]
    assert look_up_page(decisions, "tides").url == urls[0], "the only one that ends so"
    assert look_up_page(decisions, "kettle").url == urls[2]
    with pytest.raises(UnknownPage, match=r"4 URLs have 'a\.example' in them"):
        look_up_page(decisions, "a.example")
    assert means("/kettle", urls[2])
    assert means("a.example/tides#top", urls[0])
    assert not means("kettel", urls[2])


def test_a_part_of_a_url_is_enough(tmp_path):
    decisions = stored(tmp_path, entry(1, "https://a.example/tides/edited"))
    assert look_up_page(decisions, "/tides").url == "https://a.example/tides/edited"
