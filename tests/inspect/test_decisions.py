"""Journals: decisions, filters, clusters, tallies, and what they say about a URL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect import journals as journals_module
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.journals import Filter, Journals
from dedup_middleware.inspect.lookup import (
    UnknownPage,
    closest,
    look_up,
    look_up_page,
    possible_urls,
)
from dedup_middleware.inspect.tallies import by_host, clusters, replacements_in, summed, tallies

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


def line(one: dict) -> bytes:
    return json.dumps(one, separators=(",", ":")).encode() + b"\n"


def journal(folder: Path, *lines: bytes, name: str = "run-1") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def urls(found) -> list[str]:
    return [decision.url for decision in found]


# journals


def test_needles_select_lines(tmp_path):
    lines = [line(entry(number, f"https://h{number % 7}.example/{number}")) for number in range(99)]
    journals = Journals([journal(tmp_path, *lines)])
    found = urls(journals.decisions([b"h3.example", b"h5.example"], [b'"pass"']))
    assert found == [f"https://h{n % 7}.example/{n}" for n in range(99) if n % 7 in {3, 5}]
    assert urls(journals.decisions([b'"drop"'], any_case=[b"h3.exa"])) == []
    assert len(urls(journals.decisions(any_case=[b"h3.exa"]))) == 14


@pytest.mark.parametrize("size", [1, 50, 400, 1 << 18])
def test_damage_is_reported_once_with_its_line(tmp_path, monkeypatch, size):
    monkeypatch.setattr(journals_module, "LONGEST_LINE", 2000)
    monkeypatch.setattr("dedup_middleware.files.blocks.__defaults__", (size,))
    good = [line(entry(number, f"https://a.example/{number}")) for number in range(3)]
    path = journal(
        tmp_path,
        good[0],
        b"\xff\xfe{\n",
        good[1],
        b'{"url":"\xff","verdict":"near","action":"drop"}\n',
        b'{"url":"' + b"x" * 5000 + b'"}\n',
        b"\n",
        good[2],
        good[0][:-20],
    )
    reported: list[str] = []
    journals = Journals([path], reported.append)
    for _ in range(2):
        assert urls(journals.decisions()) == [f"https://a.example/{n}" for n in range(3)]
    assert reported == [f"{path}:2: torn or not a decision; skipped, and 4 more lines"]
    assert journals.problems == reported


def test_a_line_without_its_end_is_read_if_nothing_else_is_missing(tmp_path):
    whole = line(entry(1, "https://a.example/1"))
    journals = Journals([journal(tmp_path, whole.rstrip(b"\n"))])
    assert urls(journals.decisions()) == ["https://a.example/1"]
    journals = Journals([journal(tmp_path, whole.replace(b"\n", b"\r\n"), whole)])
    assert len(urls(journals.decisions())) == 2
    assert journals.problems == []


def test_a_missing_journal_is_reported_if_there_are_others(tmp_path):
    first = journal(tmp_path, line(entry(1, "https://a.example/1")))
    gone = tmp_path / "gone.jsonl"
    journals = Journals([gone, first])
    assert urls(journals.decisions()) == ["https://a.example/1"]
    assert journals.problems == [f"Can't read the journal {gone}: No such file or directory"]
    with pytest.raises(StoreError, match=r"gone\.jsonl: No such file"):
        list(Journals([gone]).decisions())


@pytest.mark.parametrize("text", ["", "  ", "[]", "{}{}", "NaN", '"x"', "[" * 100_000])
def test_what_is_no_decision_is_none(text):
    assert Decision.parse(text.encode()) is None


def test_values_of_wrong_types_count_as_missing():
    odd = Decision.of(
        {**entry(1, "u", "near"), **dict.fromkeys(("time", "run", "ms", "bytes", "original"), ())}
    )
    assert (odd.when, odd.run, odd.milliseconds, odd.size, odd.original) == (None, "", 0, 0, None)
    assert Decision.of({**entry(1, "u"), "ms": float("nan")}).milliseconds == 0
    assert Decision.of({**entry(1, "u"), "time": "2026-11-16T08:00:00Z"}).when == START
    assert Decision.of({**entry(1, "u"), "time": "2026-11-16T08:00:00"}).when == START


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"scores": {"containment": 0.5}}, 0.5),
        ({"scores": {"containment": 0.5, "known": [0.75, 0.9]}}, 0.75),
        ({"verdict": "exact", "scores": {}}, 1.0),
        ({"verdict": "unchanged", "scores": None}, 1.0),
        ({"verdict": "unique", "original": None}, None),
        ({"scores": {"containment": "much"}}, None),
    ],
)
def test_the_score_of_a_decision(changes, score):
    assert Decision.of({**entry(1, "u", "near"), **changes}).score == score


def test_lines_are_printed_in_ascii_without_control_characters():
    line = '{"url":"https://a.example/\u202e\x7f","verdict":"near","action":"drop"}\n'.encode()
    decision = Decision.parse(line)
    assert decision.json.isascii()
    assert decision.json.isprintable()
    assert json.loads(decision.json) == json.loads(line)


@pytest.mark.parametrize("text", [b"{}", b"[]", b"{torn}", b'{"url":1,"verdict":"a","action":"b"}'])
def test_a_line_that_is_not_a_decision_is_reported_once(text, tmp_path):
    path = journal(tmp_path, text + b"\n")
    reported: list[str] = []
    journals = Journals([path], reported.append)
    assert list(journals.decisions()) == list(journals.decisions()) == []
    assert reported == journals.problems == [f"{path}:1: torn or not a decision; skipped"]


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
        (Filter(since=START + timedelta(minutes=4)), [4, 5, 6]),
        (Filter(runs={"run-2"}), [6]),
        (Filter(runs={"run-2"}, verdicts={"near"}), []),
    ],
)
def test_filters(tmp_path, wanted, expected):
    path = journal(
        tmp_path,
        line(entry(1, "https://a.example/b.example")),
        line(entry(2, "https://a.example/2", "near")),
        line(entry(3, "https://B.example:80/3", "exact")),
        line(
            entry(
                4,
                "https://www.b.example/4",
                "near",
                original="https://c.example/",
                scores={"known": [0.95, 0.9]},
            )
        ),
        line(entry(5, "https://b\u00fccher.example/5")),
        line(entry(6, "https://WWW.xn--bcher-kva.example/6", run="run-2", time="2026-11-16T08:06")),
    )
    assert [one.sequence for one in wanted.select(Journals([path]))] == expected


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
    path = tmp_path / "run-1.jsonl"
    lines = [
        entry(1, first),
        entry(2, "https://b.example/2", "near", original=first),
        entry(3, second, "exact", original=first, action="pass", supersedes=first),
        entry(4, "https://b.example/4", "near", original=second),
        entry(5, third, "exact", original=second, action="pass", supersedes=second),
        entry(6, first, "exact", original=third),
    ]
    path.write_text("".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in lines))
    journals = Journals([path])
    assert replacements_in(journals) == {first: third, second: third}
    drops = Filter(actions={"drop"}).select(journals)
    (found,) = clusters(drops, replacements_in(journals))
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.example/x", ["https://a.example/x"]),
        ("file:///a.html", ["file:///a.html"]),
        (
            "a.example:80/x",
            ["a.example:80/x", "https://a.example:80/x", "http://a.example:80/x"],
        ),
        ("//a.example/x", ["//a.example/x", "https://a.example/x", "http://a.example/x"]),
        ("a\x00b", ["a\x00b", "https://a\x00b", "http://a\x00b"]),
    ],
)
def test_urls_that_a_user_may_mean(text, expected):
    assert possible_urls(text)[: len(expected)] == expected
    assert len(possible_urls(text)) <= len(expected) + 1


def test_a_file_is_meant_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a page.html").touch()
    assert (tmp_path / "a page.html").resolve().as_uri() in possible_urls("a page.html")


def test_look_up_takes_the_first_url_of_which_something_is_known(tmp_path):
    path = journal(
        tmp_path,
        line(entry(1, "http://a.example/x")),
        line(entry(2, "https://b.example/", "near", original="http://a.example/x")),
        line(entry(3, "http://a.example/x", "unchanged", original="http://a.example/x")),
    )
    known = look_up(Journals([path]), possible_urls("a.example/x"))
    assert known.url == "http://a.example/x"
    assert [one.sequence for one in known.decisions] == [1, 3]
    assert (known.replaced_count, urls(known.replaced)) == (1, ["https://b.example/"])
    nothing = look_up(Journals([path]), ["https://c.example/"])
    assert (nothing.url, nothing.decisions) == ("https://c.example/", [])


def test_a_url_is_looked_up_in_other_spellings(tmp_path):
    journals = Journals([journal(tmp_path, line(entry(1, "https://a.example/x?b=1&a=2")))])
    for text in ("https://A.example/x?a=2&b=1#top", "a.example/x?b=1&a=2"):
        assert look_up_page(journals, text).url == "https://a.example/x?b=1&a=2"
    with pytest.raises(UnknownPage) as raised:
        look_up_page(journals, "https://a.example/y")
    assert raised.value.args == (
        "There is no decision about https://a.example/y",
        "The most similar URLs are:",
        "  https://a.example/x?b=1&a=2",
    )


def test_urls_that_may_be_meant(tmp_path):
    urls = [f"https://a.example/{name}" for name in ("tides", "tides/edited", "Kettle", "boats")]
    path = journal(tmp_path, *(line(entry(number, url)) for number, url in enumerate(urls)))
    journals = Journals([path])
    assert closest(journals, "HTTPS://A.example/tides#top")[0] == urls[0]
    assert closest(journals, "tides")[:2] == (None, urls[:2])
    assert look_up_page(journals, "tides").url == urls[0], "the only one that ends so"
    assert look_up_page(journals, "kettle").url == urls[2]
    with pytest.raises(UnknownPage, match=r"4 URLs have 'a\.example' in them"):
        look_up_page(journals, "a.example")
    assert closest(journals, "/kettel")[2][0] == urls[2]
    assert closest(journals, "ftp://zzz") == (None, [], [])


def test_a_part_of_a_url_is_enough(tmp_path):
    journals = Journals([journal(tmp_path, line(entry(1, "https://a.example/tides/edited")))])
    assert look_up_page(journals, "/tides").url == "https://a.example/tides/edited"
