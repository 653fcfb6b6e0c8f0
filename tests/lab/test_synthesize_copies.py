"""`python -m lab.synthesize --copies`: reworded, revised and falsified copies as a set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dedup_middleware import DedupError, Page, SettingError
from lab.synthesis import source_of
from tests.support.commands import call
from tests.support.texts import html
from tests.support.wordnet import write_wordnet

from .test_synthesize import rows

PAGES = 12
KINDS = ("other", "reworded", "revised", "negated", "one-fact")
FILES = ["changes.jsonl.gz", "labels.jsonl.gz", "meta.json", "pages.jsonl.gz"]


def prose(number: int) -> list[str]:
    """Paragraphs that are in no other page: each names the boats of its own harbour."""
    name = "Harbour" + "abcdefghijklmnop"[number]
    return [
        f"The tide lifted boat {name}{place} when the storm began in {1900 + number * 7 + place}, "
        f"and the {place} men of {name} can watch it from pier {name}{place * 3}."
        for place in range(2, 12)
    ] + [f"The office of {name} is open and answers at +49 30 {4200000 + number * 137}."]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("copies")
    (place / "pages").mkdir()
    for number in range(PAGES):
        page = html(prose(number), f"Harbour {number}", "news")
        (place / "pages" / f"{number:02}.html").write_text(page)
    write_wordnet(place / "wordnet")
    return place


def make(place: Path, name: str, *options: str) -> Path:
    folder, wordnet = place / name, place / "wordnet"
    kinds = ("--copies", ",".join(KINDS), "--wordnet", wordnet)
    assert call("synthesize", place / "pages", "--output", folder, *kinds, *options) == 0
    return folder


@pytest.fixture(scope="module")
def made(place) -> Path:
    return make(place, "made")


def test_the_folder_is_a_set(made):
    assert sorted(path.name for path in made.iterdir()) == FILES
    meta = json.loads((made / "meta.json").read_text())
    labels, pages = rows(made / "labels.jsonl.gz"), rows(made / "pages.jsonl.gz")
    assert [row["url"] for row in labels] == [row["url"] for row in pages]
    assert meta["pages"] == len(pages)
    assert meta["mode"] == "stream"
    assert meta["sources"] > meta["held_out"] > 1
    each = dict.fromkeys(KINDS[1:], meta["sources"])
    assert meta["copies"] == {"other": meta["held_out"], **each}
    groups = [row.get("group", "") for row in labels]
    assert list(dict.fromkeys(groups)) == ["", *KINDS]


def test_true_copies_are_positive_and_falsified_ones_negative(made):
    labels = rows(made / "labels.jsonl.gz")
    sources = {row["url"]: row["source"] for row in rows(made / "changes.jsonl.gz")}
    for row in labels:
        if row.get("group") == "reworded":
            assert row["positives"] == {sources[row["url"]]: ["near"]}
        elif row.get("group") == "revised":
            source, reworded = row["positives"]
            assert source == sources[reworded] == sources[row["url"]]
        else:
            assert (row["gold"], row["positives"]) == ("negative", {})


def test_changes_are_what_differs(made):
    pages = {row["url"]: row["html"] for row in rows(made / "pages.jsonl.gz")}
    for row in rows(made / "changes.jsonl.gz"):
        old, new = (
            (
                {one.text for one in source_of(Page(url=url, html=pages[url])).paragraphs}
                for url in (row["source"], row["url"])
                if url in pages
            )
            if row["kind"] != "other"
            else (set(), set())
        )
        for before, after in row["changes"]:
            assert before in old
            assert after in new
        sizes = {"other": 0, "one-fact": 1}
        if row["kind"] in sizes:
            assert len(row["changes"]) == sizes[row["kind"]]
        elif row["kind"] != "revised":
            assert len(row["changes"]) >= 10


def test_the_same_seed_makes_the_same_bytes(place, made):
    same, other = make(place, "same"), make(place, "other", "--seed", "2")
    for name in FILES:
        assert (same / name).read_bytes() == (made / name).read_bytes()
    changes = "changes.jsonl.gz"
    assert (other / changes).read_bytes() != (made / changes).read_bytes()


def test_what_was_made_is_reported(place, capsys):
    make(place, "few", "--count", "2")
    told = {line[:13].strip(): line[13:] for line in capsys.readouterr().out.splitlines()}
    assert told["Copies"].startswith(
        "2 other, 2 reworded, 2 revised, 2 negated, 2 one-fact made in"
    )
    assert told["Held out"] == "2 pages, for other pages"
    make(place, "json", "--json")
    facts = json.loads(capsys.readouterr().out)
    assert facts["copies"]["reworded"] == facts["sources"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--copies", "shouted"), "copies must be some of other, reworded, revised, negated, one"),
        (("--copies", "revised", "--shares", "1"), "--shares has no meaning for --copies"),
        (("--copies", "revised", "--own-from", "generated"), "--own-from has no meaning"),
        (("--copies", "revised", "--count", "0"), "count must lie from 1"),
    ],
)
def test_options_that_make_no_copies(place, options, message):
    with pytest.raises(SettingError, match=message):
        call("synthesize", place / "pages", "--output", place / "new", *options)
    assert not (place / "new").exists()


def test_without_wordnet_or_pages_nothing_is_made(place, tmp_path):
    command = ("synthesize", place / "pages", "--output", tmp_path / "new", "--copies", "reworded")
    with pytest.raises(DedupError, match="apt-get install wordnet-base"):
        call(*command, "--wordnet", tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(DedupError, match="can't be made from 0 pages"):
        call("synthesize", tmp_path / "none", "--output", tmp_path / "new", "--copies", "revised")
    assert not (tmp_path / "new").exists()
