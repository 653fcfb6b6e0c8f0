from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware import Deduplicator, Page, StoreFull
from dedup_middleware.journal import journal_path, lines_of_run
from dedup_middleware.judge.decide import printable
from dedup_middleware.store import copy_store, open_reader
from tests.support.stores import LmdbStores
from tests.support.texts import article, html

KEYS = (
    "v seq time run spider url verdict action original swallowed stage model scores reason ms bytes"
).split()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_each_decision_is_a_line_with_stable_keys(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", spider="news") as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
        news = Page(url="https://a.example/news", html=html(article(1), site="news"))
        verdict = dedup.process(news)
        path = dedup.journal.path
    first, second = lines(path)
    assert first["bytes"] == len(html(article(1)))
    assert path.parent == tmp_path / "s" / "journal"
    assert list(first) == [*KEYS, "thresholds", "versions"], "what the run depends on"
    assert first["thresholds"] == {"near": 0.72, "contained": 0.8, "max_loss": 0.05}
    assert list(second) == [*KEYS[:11], "lost", *KEYS[11:]]
    assert (first["v"], first["seq"], second["seq"]) == (1, 1, 2)
    assert (second["verdict"], second["action"]) == ("near", "drop")
    assert second["original"] == "https://a.example/"
    assert second["spider"] == "news"
    assert set(second["scores"]) == {
        "simhash_distance",
        "resemblance",
        "containment",
        "contained_by",
        "rs",
        "odds_ratio",
        "tree",
        "covered",
        "aligned",
        "sentence_share",
        "swapped",
        "subject",
        "replaced",
        "words",
        "common",
        "facts",
        "numbers",
        "chain",
        "negated",
        "known",
    }
    assert second["reason"] == verdict.reason
    assert "https://a.example/" in verdict.reason
    assert verdict.reason.count(". ") == 0, "one sentence"


def test_near_misses_and_unique_pages_can_be_left_out(tmp_path: Path) -> None:
    half = article(1, 400)[:5] + article(2, 200)
    for name, settings, expected in (
        ("all", {}, 2),
        ("bare", {"journal_detail": "brief"}, 2),
        ("few", {"journal_detail": "matches"}, 0),
    ):
        with Deduplicator(tmp_path / name, **settings) as dedup:
            dedup.process(Page(url="https://a.example/", html=html(article(1, 400))))
            verdict = dedup.process(Page(url="https://b.example/", html=html(half)))
            assert verdict.kind == "unique"
            written = lines(dedup.journal.path)
        assert len(written) == expected
        if name == "all":
            assert written[1]["closest"] == "https://a.example/"
            assert 0 < written[1]["scores"]["containment"] < 0.8
        if name == "bare":
            assert written[1]["scores"] == {}


def test_a_journal_elsewhere(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", journal=tmp_path / "x" / "mine.jsonl") as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
    assert len(lines(tmp_path / "x" / "mine.jsonl")) == 1


@pytest.mark.parametrize(
    "keep",
    [
        "nothing",
        "torn first line",
        "torn last line",
        "no file",
        "all",
        "odd lines",
        "long odd line",
    ],
)
def test_a_dead_runs_journal_is_repaired_from_the_store(tmp_path: Path, keep: str) -> None:
    dedup = Deduplicator(tmp_path / "s")
    for n in range(4):
        dedup.process(Page(url=f"https://{n}.example/", html=html(article(n))))
    path = dedup.journal.path
    whole = path.read_bytes()
    LmdbStores.kill(dedup.store)
    dedup.journal.close()
    kept = {
        "nothing": b"",
        "torn first line": whole[:20],
        "torn last line": whole[:-9],
        "no file": b"",
        "all": whole,
        "odd lines": whole + b'{"v":1,"seq":2,"ti\n[]\n{"seq":"2"}\n\n',
        "long odd line": whole + b"x" * 200_000 + b"\n",
    }
    path.write_bytes(kept[keep])
    if keep == "no file":
        path.unlink()
    with Deduplicator(tmp_path / "s") as later:
        assert path.read_bytes() == whole
        assert later.store.dead_runs() == [], "it is repaired once"


def test_a_journal_that_cannot_be_written_keeps_nobody_from_judging(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dedup = Deduplicator(tmp_path / "s")
    dedup.process(Page(url="https://a.example/", html=html(article(1))))
    LmdbStores.kill(dedup.store)
    dedup.journal.close()
    dedup.journal.path.unlink()
    dedup.journal.path.mkdir()
    with Deduplicator(tmp_path / "s") as later:
        assert later.process(Page(url="https://a.example/", html=html(article(1)))).redundant
    assert "Can't write the journal " in caplog.text


def test_journals_hold_the_runs_of_a_store_apart(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as one, Deduplicator(tmp_path / "s") as other:
        for n in range(6):
            dedup = (one, other)[n % 2]
            dedup.process(Page(url=f"https://{n}.example/", html=html(article(n))))
    path = journal_path(tmp_path / "s", one.store.run)
    with open_reader(tmp_path / "s") as reader, reader.snapshot() as view:
        lines = list(lines_of_run(view, one.store.run))
    assert b"".join(line + b"\n" for line in lines) == path.read_bytes()


def test_a_copy_of_a_store_gets_no_journals_of_old_runs(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1))))
    copy_store(tmp_path / "s", tmp_path / "copy")
    with Deduplicator(tmp_path / "copy") as copied:
        pass
    assert list((tmp_path / "copy" / "journal").glob("*.jsonl")) == [copied.journal.path]


HOSTILE = [
    "https://a.example/\x1b[2J\x1b]0;owned\x07",
    'https://a.example/"}\n{"v":1,"seq":99,"verdict":"exact"}',
    "https://a.example/\u202egnp.exe",
    "https://a.example/\ud800\x00\u2028",
    "javascript:alert(1)",
    "http://[::1",
    "",
    "https://a.example/" + "x" * 100_000,
]


@pytest.mark.parametrize("url", HOSTILE)
def test_hostile_urls_are_harmless(tmp_path: Path, url: str) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        dedup.process(Page(url=url, html=html(article(1))))
        verdict = dedup.process(Page(url="https://b.example/", html=html(article(1))))
        raw = dedup.journal.path.read_bytes()
    assert verdict.original == url
    assert verdict.reason.isprintable()
    assert raw.isascii()
    assert raw.count(b"\n") == 2
    assert all(0x20 <= byte < 0x7F or byte == 0x0A for byte in raw)
    assert [entry["seq"] for entry in lines(tmp_path / "s" / "journal" / dedup.journal.path.name)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_under_the_journal_is_told(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s") as dedup:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, dedup.journal._file.fileno())
        os.close(full)
        with pytest.raises(StoreFull, match="No space left"):
            dedup.process(Page(url="https://a.example/", html=html(article(1))))
        with dedup.store.snapshot() as view:
            assert len(list(view.decisions())) == 1, "the decision lives in the store"


def test_printable_urls_stay_as_they_are() -> None:
    assert printable("https://ä.example/ö?q=1") == "https://ä.example/ö?q=1"
    assert printable("a\x1bb") == "a%1Bb"
