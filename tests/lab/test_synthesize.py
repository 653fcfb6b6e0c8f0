"""The real `python -m lab.synthesize`, in a process of its own."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware import Page, SettingError
from dedup_middleware.settings import Settings
from lab import synthesize
from lab.synthesis import Range, SeriesPlan, read_manifest, source_of
from tests.support.commands import HOSTILE, lab, scrapy, texts
from tests.support.patience import PATIENCE
from tests.support.terminal import with_bar
from tests.support.texts import article, html

ROOT = Path(__file__).parents[2]
PAGES = 20
EDITED = ("--count", "12", "--own", "0-0.3", "--edits", "0-0.1", "--seed", "5")
FILES = ["labels.jsonl.gz", "manifest.jsonl.gz", "meta.json", "pages.jsonl.gz"]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def plan(args: str) -> SeriesPlan:
    parser = ArgumentParser()
    synthesize.add_arguments(parser)
    options = parser.parse_args(["pages", "--output", "made", *args.split()])
    return synthesize._plan(options, Settings())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder of pages, some of them alike, short or damaged, and a feed of texts."""
    place = tmp_path_factory.mktemp("synthesis")
    pages = place / "pages"
    pages.mkdir()
    for seed in range(PAGES):
        (pages / f"{seed:02}.html").write_text(html(article(seed), f"Page {seed}", "news"))
    (pages / "again.html").write_text(html(article(3), "Page 3", "news"))
    (pages / "short.html").write_text("<p>Too short to be made anything of.")
    (pages / "latin.html").write_bytes(
        html(["Müßiggang ist aller Laster Anfang, hieß es früher überall.", *article(40)]).encode(
            "latin-1"
        )
    )
    (pages / "torn.html.gz").write_bytes(gzip.compress(html(article(50)).encode())[:-20])
    feed = [
        {"url": HOSTILE, "text": "\n\n".join(article(60))},
        {"url": HOSTILE, "html": html(article(61))},
    ]
    (place / "feed.jsonl").write_text("\n".join([*map(json.dumps, feed), '{"url"', ""]))
    return place


@pytest.fixture(scope="module")
def made(place: Path) -> tuple[Path, str, str]:
    done = lab("synthesize", "pages", "feed.jsonl", "--output", "made", *EDITED, cwd=place)
    out, err = texts(done)
    assert done.returncode == 0, err
    return place / "made", out, err


def test_what_was_made_is_reported(made):
    folder, out, err = made
    told = {line[:13].strip(): line[13:] for line in out.splitlines()}
    meta = json.loads((folder / "meta.json").read_text())
    assert told["Documents"].startswith("12 made in ")
    assert told["Sources"] == f"{meta['sources']} pages"
    assert told["Held out"] == f"{meta['held_out']} pages, for own text"
    assert meta["held_out"] == -(-(meta["sources"] + meta["held_out"]) // 5)  # with this seed
    left_out = dict(reversed(one.split(" ", 1)) for one in told["Left out"].split(", "))
    assert left_out["with the URL of an earlier page"] == "1"
    assert left_out["with too few words"] == "1"
    assert int(left_out["much like an earlier page"]) >= 1
    # again, short, latin and the first of the feed came on top of the numbered ones
    assert meta["sources"] + meta["held_out"] + sum(map(int, left_out.values())) == PAGES + 5
    assert told["Problems"] == "2, reported on stderr"
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "pages/torn.html.gz",
        "feed.jsonl",
    ]
    assert told["Output"] == "made"
    assert told["Next"].endswith("scrapy dedup scan made/pages.jsonl.gz")


def test_the_folder_is_a_set(made):
    folder, _, _ = made
    assert names(folder) == FILES
    meta = json.loads((folder / "meta.json").read_text())
    pages, labels = rows(folder / "pages.jsonl.gz"), rows(folder / "labels.jsonl.gz")
    assert (meta["mode"], meta["documents"]) == ("stream", 12)
    assert meta["pages"] == len(pages) == meta["sources"] + 12
    assert sum(meta["gold"].values()) == len(pages)
    urls = [page["url"] for page in pages]
    assert [label["url"] for label in labels] == urls
    assert len(set(urls)) == len(urls)
    assert urls[-12:] == [f"https://made.example/5/{number}" for number in range(1, 13)]
    earlier: set[str] = set()
    for label in labels:
        assert {*label["positives"], *label["neutral"]} <= earlier
        earlier.add(label["url"])
    assert meta["made_by"]["edits"] == "0-0.1"


def test_the_manifest_is_true(made):
    folder, _, _ = made
    pages = {
        row["url"]: source_of(Page(url=row["url"], html=row["html"]))
        for row in rows(folder / "pages.jsonl.gz")
    }
    problems: list[str] = []
    truths = read_manifest(folder, problems)
    assert (len(truths), problems) == (12, [])
    for truth in truths:
        document = pages[truth.url]
        assert document.terms == truth.terms
        assert len(document.paragraphs) >= sum(len(one.paragraphs) for one in truth.sources)
        for one in truth.sources:
            page = pages[one.url]
            assert page.terms == one.terms
            assert sum(page.paragraphs[place].terms for place in one.paragraphs) == one.taken
            untouched = {paragraph.text for paragraph in document.paragraphs}
            if not one.edits.replaced + one.edits.inserted + one.edits.deleted:
                assert {page.paragraphs[place].text for place in one.paragraphs} <= untouched
    assert any(truth.own for truth in truths)
    assert any(truth.edits.replaced for truth in truths)


def test_the_benchmark_reads_it(made):
    folder, _, _ = made
    command = [sys.executable, "-m", "lab.accuracy", str(folder), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (figures,) = json.loads(done.stdout)["sets"]
    gold = json.loads((folder / "meta.json").read_text())["gold"]
    assert figures["pages"] == len(rows(folder / "pages.jsonl.gz"))
    assert (figures["positives"], figures["negatives"]) == (gold["positive"], gold["negative"])
    assert figures["false_drops"] == 0


def test_copies_are_found_and_called_right(place):
    """Whole pages in their order, of each page one: no doubt is possible."""
    options = ("--count", "15", "--sources", "1", "--shares", "1", "--reorder", "nothing")
    done = lab("synthesize", "pages", "--output", "copies", *options, cwd=place)
    assert done.returncode == 0
    labels = {row["url"]: row for row in rows(place / "copies" / "labels.jsonl.gz")}
    done = scrapy("scan", "copies/pages.jsonl.gz", "--json", cwd=place)
    said = {row["url"]: row for row in map(json.loads, texts(done)[0].splitlines())}
    for number in range(1, 16):
        url = f"https://made.example/1/{number}"
        assert labels[url]["gold"] == "positive"
        assert said[url]["verdict"] in labels[url]["positives"][said[url]["original"]]


def test_the_same_pages_and_seed_make_the_same_bytes(place, made):
    folder, _, _ = made
    paths = ("pages", "feed.jsonl")
    for name, options in (("same", EDITED), ("other", (*EDITED[:-1], "6"))):
        assert lab("synthesize", *paths, "--output", name, *options, cwd=place).returncode == 0
    for name in FILES:
        assert (place / "same" / name).read_bytes() == (folder / name).read_bytes()
    manifests = [(place / name / "manifest.jsonl.gz").read_bytes() for name in ("same", "other")]
    assert manifests[0] != manifests[1]


def test_figures_for_programs_and_the_output_below_the_pages(place):
    shares = ("--shares", "0.5,0.2", "--own", "0.2", "--own-from", "generated")
    output = "pages/made/here"
    command = ("synthesize", "pages", "--output", output, "--count", "4", *shares, "--json")
    facts = json.loads(texts(lab(*command, cwd=place))[0])
    assert (facts["documents"], facts["held_out"], facts["problems"]) == (4, 0, 1)
    assert (facts["seed"], facts["output"]) == (1, output)
    truths = read_manifest(place / output, [])
    assert {len(truth.sources) for truth in truths} == {2}
    assert [one.asked for one in truths[0].sources] == [0.5, 0.2]
    assert {truth.own_from for truth in truths} == {"generated"}
    assert all(truth.own >= 0.2 * truth.terms for truth in truths)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["pages"], 2, "required: --output"),
        (["--output", "new"], 2, "required: PATH"),
        (["absent", "--output", "new"], 1, "absent: No such file or directory"),
        (["one", "--output", "full"], 1, "full is not empty; name another folder, or empty it"),
        (["one", "--output", "full/notes.txt"], 1, "Can't write into full/notes.txt: File exists"),
        (["one", "--output", "new"], 1, "Documents of 3 sources can't be made from 1 pages"),
        (["none", "--output", "new", "--sources", "1"], 1, "can't be made from 0 pages"),
        (["one", "--output", "empty", "--own", "0.1", "--seed", "1"], 1, "--own-from generated"),
        (["one", "--output", "new", "--shares", "2"], 2, "shares must lie from 0.001 to 1, not 2"),
    ],
)
def test_what_a_user_gets_wrong(tmp_path, args, code, message):
    for folder in ("one", "none", "full", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one" / "a.html").write_text(html(article(1)))
    (tmp_path / "full" / "notes.txt").write_text("precious")
    done = lab("synthesize", *args, cwd=tmp_path)
    out, err = texts(done)
    assert (done.returncode, out) == (code, "")
    assert message in " ".join(err.split())
    assert code == 2 or len(err.splitlines()) == 1
    assert (tmp_path / "full" / "notes.txt").read_text() == "precious"
    assert names(tmp_path) == ["empty", "full", "none", "one"]
    assert names(tmp_path / "empty") == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("--count 0", "count must lie from 1 to 1,000,000, not 0"),
        ("--count x", "count must be a whole number, not 'x'"),
        ("--seed -1", "seed must lie from 0 to"),
        ("--sources a", "sources must be a figure or a range"),
        ("--sources 0-2", "sources must lie from 1 to 1000, not 0-2"),
        ("--edits 0.5-0.1", "edits must go from the smaller to the larger figure"),
        ("--edit-kinds swap", "some of replace, insert, delete"),
        ("--shares 0.5,0.2 --sources 3", "2 figures, so each document has 2 sources, not 3"),
    ],
)
def test_options_that_make_no_plan(args, message):
    with pytest.raises(SettingError, match=re.escape(message)):
        plan(args)


def test_options_make_a_plan():
    made = plan("--shares 0.5,0.2 --edits 0.1 --edit-kinds delete,insert,delete --seed 4")
    assert (made.count, made.sources, made.seed) == (100, Range(2, 2), 4)
    assert made.plan.shares == (0.5, 0.2)
    assert made.plan.edit_kinds == ("delete", "insert")
    assert plan("").sources == Range(1, 3)
    assert plan("").min_terms == Settings().min_words


def test_on_a_terminal_there_is_a_bar(place):
    out, bar = with_bar(place, "synthesize", "pages", "--output", "bar")
    assert out.startswith(b"Documents    100 made in ")
    assert b" sources" in bar
    assert b"100/100" in bar
    assert b"torn.html.gz: broken compression" in bar


def test_nothing_is_left_of_a_set_that_was_interrupted(place):
    command = [sys.executable, "-m", "lab.synthesize", "pages"]
    process = subprocess.Popen(
        [*command, "--output", "stopped", "--count", "1000000"],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not (place / "stopped" / "manifest.jsonl.gz").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert not (place / "stopped").exists()
