"""`scrapy dedup report`, in processes of its own, on a store that a real scan has filled."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from tests.support.commands import scrapy, texts
from tests.support.decisions import add_decisions, decision, unpack
from tests.support.texts import article
from tests.support.texts import html as dressed


def report(*args: str | Path, cwd: Path, code: int = 0) -> tuple[str, str]:
    done = scrapy("report", *args, cwd=cwd)
    out, err = texts(done)
    assert done.returncode == code, err
    return out, err


class Read:
    """A report as a browser has it before the script runs."""

    def __init__(self, path: Path) -> None:
        self.page = html.document_fromstring(path.read_text("utf-8"))
        self.data: dict[str, Any] = json.loads(self.page.get_element_by_id("data").text)
        self.rows: Any = unpack(self.page.get_element_by_id("packed-rows").text)
        self.evidence: dict[str, str] = {}
        for number, block in enumerate(self.data["evidence"]):
            content: Any = unpack(self.page.get_element_by_id(f"evidence-{number}").text)
            for row, piece in zip(block, content, strict=True):
                self.evidence[self.rows["columns"]["url"][row]] = piece

    @property
    def urls(self) -> list[str]:
        found: list[str] = self.rows["columns"]["url"]
        return found


def feed() -> str:
    first = [*article(1, 1000)[:-1], "This sentence was read by nobody until it went into print."]
    second = article(90, 300)
    edited = [*first[:-1], "Nobody has ever read this sentence before."]
    pages = {
        "https://a.example/tides": dressed(first, "Tides"),
        "https://a.example/edited": dressed(edited, "Tides"),
        "https://b.example/tides": dressed(first, "Tides"),
        "https://a.example/glass": dressed(second, "Glass"),
    }
    return "".join(json.dumps({"url": url, "html": text}) + "\n" for url, text in pages.items())


@pytest.fixture(scope="module")
def scanned(tmp_path_factory) -> Path:
    """A folder with a store of one scan."""
    place = tmp_path_factory.mktemp("scanned")
    (place / "pages.jsonl").write_text(feed())
    done = scrapy("scan", "pages.jsonl", "--store", "store", cwd=place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def copied(scanned, tmp_path) -> Path:
    shutil.copytree(scanned / "store", tmp_path / "store")
    return tmp_path


def journal(place: Path) -> Path:
    (found,) = (place / "store" / "journal").glob("*.jsonl")
    return found


def test_report_of_a_scan(scanned):
    out, _ = report("--store", "store", "--output", "r.html", cwd=scanned)
    assert out.startswith("r.html: 4 decisions, texts of 2; ")
    assert "KiB, in " in out
    found = Read(scanned / "r.html")
    assert found.urls == [
        json.loads(line)["url"] for line in journal(scanned).read_text().splitlines()
    ]
    kinds = [found.rows["kinds"][kind] for kind in found.rows["columns"]["kind"]]
    assert kinds == ["unique", "near", "exact", "unique"]
    assert set(found.evidence) == {"https://a.example/edited", "https://b.example/tides"}
    assert "Nobody has ever read" in found.evidence["https://a.example/edited"]
    assert found.data["store"] == "store"
    assert found.data["problems"] == []
    assert not list(scanned.glob(".r.html*"))


def test_json_says_what_was_written(scanned):
    args = ("--store", "store", "--output", "j.html", "--evidence", "1", "--json")
    told = json.loads(report(*args, cwd=scanned)[0])
    assert told["bytes"] == (scanned / "j.html").stat().st_size
    assert (told["decisions"], told["evidence"], told["forgotten"]) == (4, 1, 0)
    assert list(Read(scanned / "j.html").evidence) == ["https://a.example/edited"]


def test_thresholds_are_those_of_the_crawl(scanned):
    options = ("--evidence", "0", "-s", "DEDUP_STRICTNESS=strict")
    out, _ = report("--store", "store", "--output", "t.html", *options, cwd=scanned)
    assert "no texts" in out
    found = Read(scanned / "t.html")
    assert found.evidence == {}
    assert found.rows["thresholds"] == {"near": 0.72, "contained": 0.8, "max_loss": 0.05}


def test_hostile_decisions_are_shown(copied):
    hostile = {"url": "https://\x1b[2J\u202e.example/", "verdict": "odd", "action": "\x07"}
    add_decisions(copied / "store", decision(**hostile).entry)
    report("--store", "store", "--all-runs", "--output", "r.html", cwd=copied)
    found = Read(copied / "r.html")
    assert len(found.urls) == 5
    assert hostile["url"] in found.urls


def test_store_that_cannot_be_read(copied):
    (copied / "store" / "data.mdb").write_bytes(b"not a database")
    _, err = report("--store", "store", "--output", "r.html", cwd=copied, code=1)
    assert "store" in err
    assert not (copied / "r.html").exists()


def test_pages_since_forgotten(copied):
    line = json.loads(journal(copied).read_text().splitlines()[1])
    add_decisions(copied / "store", line | {"url": "https://a.example/forgotten"})
    out, _ = report("--store", "store", "--output", "r.html", cwd=copied)
    assert "\n1 more are of pages that the store no longer has\n" in out
    assert "it was removed since" in Read(copied / "r.html").evidence["https://a.example/forgotten"]


def test_several_runs(copied):
    (copied / "more.jsonl").write_text(
        json.dumps({"url": "https://c.example/", "html": dressed(article(20, 200))}) + "\n"
    )
    assert scrapy("scan", "more.jsonl", "--store", "store", cwd=copied).returncode == 0
    first = min(path.stem for path in (copied / "store" / "journal").glob("*.jsonl"))
    counts = []
    for options in ((), ("--all-runs",), ("--run", first)):
        report("--store", "store", "--output", "r.html", *options, cwd=copied)
        counts.append(len(Read(copied / "r.html").urls))
    assert counts == [1, 5, 4]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--output", "."), "is a folder"),
        (("--output", "nowhere/r.html"), "there is no folder"),
        (("--output", "r.html", "--run", "other"), "There is no run other; the newest runs are"),
    ],
)
def test_what_cannot_be_done_is_refused(copied, args, said):
    out, err = report("--store", "store", *args, cwd=copied, code=1)
    assert said in err
    assert out == ""


def test_bad_numbers_and_empty_stores(copied):
    _, err = report("--output", "r.html", "--evidence", "-1", cwd=copied, code=2)
    assert "--evidence must be from 0" in err
    add_decisions(copied / "empty")
    _, err = report("--store", "empty", "--output", "r.html", cwd=copied, code=1)
    assert "There is no decision in empty to report" in err
    assert not (copied / "r.html").exists()


def test_restored_pages_are_marked(copied):
    args = ("https://a.example/edited", "--store", "store")
    assert scrapy("restore", *args, cwd=copied).returncode == 0
    report("--store", "store", "--output", "r.html", cwd=copied)
    pair = ["https://a.example/edited", "https://a.example/tides"]
    assert Read(copied / "r.html").rows["restored"] == [pair]
