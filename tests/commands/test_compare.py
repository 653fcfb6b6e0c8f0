"""`scrapy dedup compare`, in processes of its own."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dedup_middleware import Deduplicator, Page
from tests.support.commands import scrapy, table_rows, texts
from tests.support.texts import article

SENTENCES = """\
The harbour froze over in the first week of January, and the ferry stayed at its berth.
Men with poles and saws cut a channel that closed again behind them every night.
Bread came over the ice on sledges.
The daughter of the baker counted the loaves by lamplight and wrote each name down.
Nobody could say how long the flour would have to last.
When the thaw arrived it came from below: the ice turned grey, then black.
One morning the whole sheet moved out to sea with a sledge and a hat on it.""".splitlines()
EDITED = [
    *SENTENCES[:3],
    SENTENCES[3].replace("lamplight", "candlelight"),
    *SENTENCES[4:],
    "Gulls were heard again in the streets.",
]
OTHER = """\
A copper kettle should be cleaned with vinegar and salt, never with sand.
Rinse it twice, dry it over a low flame, and rub it with a cloth that has held wax.""".splitlines()
HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe \x9b31m"
URLS = {
    "first": "https://a.example/thaw",
    "copy": "https://b.example/thaw?x=1",
    "same": "https://c.example/thaw",
    "other": "https://a.example/kettle",
}
KEYS = {
    *("pages", "titles", "verdict", "known", "sentences", "rs", "odds_ratio", "tree", "overlap"),
    *("best_match", "in_order", "covered", "aligned", "swapped", "subject", "replaced"),
    *("pairs", "new", "cut", "summary"),
}


def html(sentences: list[str]) -> str:
    body = "".join(f"<p>{text}</p>" for text in sentences)
    return f"<!doctype html><html lang=en><title>A page</title><main>{body}</main></html>"


def good(*args: str | Path, cwd: Path) -> tuple[str, str]:
    done = scrapy("compare", *args, cwd=cwd)
    out, err = texts(done)
    assert done.returncode == 0, err
    return out, err


def refused(*args: str | Path, cwd: Path) -> str:
    """Compare what can't be; return what says why."""
    done = scrapy("compare", *args, cwd=cwd)
    out, err = texts(done)
    assert (done.returncode, out) == (1, "")
    return " ".join(line.strip() for line in err.splitlines() if not line.startswith("Store: "))


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with two pages in files, and a store that knows four."""
    place = tmp_path_factory.mktemp("compared")
    (place / "one.html").write_text(html(SENTENCES))
    (place / "two.html").write_text(html(EDITED))
    (place / "plain.txt").write_text("\n\n".join(SENTENCES))
    pages = {"first": SENTENCES, "copy": EDITED, "same": SENTENCES, "other": OTHER}
    feed = "\n".join(
        json.dumps({"url": URLS[name], "html": html(text)}) for name, text in pages.items()
    )
    (place / "feed.jsonl").write_text(feed)
    done = scrapy("scan", "feed.jsonl", cwd=place)
    out, err = texts(done)
    assert done.returncode == 0, err
    _, *rows = table_rows(out)
    assert [(row[0], row[3]) for row in rows] == [
        ("near", URLS["copy"]),
        ("exact", URLS["same"]),
    ]
    return place


def test_two_files(place):
    out, err = good("two.html", "one.html", cwd=place)
    assert err == ""
    lines = out.splitlines()
    assert lines[: lines.index("")] == [
        "A  A page",
        "   two.html",
        "B  A page",
        "   one.html",
        "near: 93% of A is in B, 100% of B is in A",
    ]
    assert "odds ratio" not in out
    assert "= 3 sentences are the same in both" in out
    assert "[candlelight]" in out
    assert "[lamplight]" in out
    assert re.search(r"^! Gulls were heard again in the\n {2}streets\.$", out, re.MULTILINE)
    assert SENTENCES[2] not in out
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_measures_of_two_files(place):
    out, _ = good("two.html", "one.html", "--measures", cwd=place)
    assert (
        "6 of 8 sentences (75%) also appear in one.html in the same order; 1 was reworded; "
        "1 is new. With that page known, this one would be judged near."
    ) in out.replace("\n", " ")
    assert re.search(r"^  sentences +8 / 7$", out, re.MULTILINE)
    assert re.search(r"^  same, reworded, new +6, 1, 1 / 6, 1, 0$", out, re.MULTILINE)
    assert re.search(r"^  odds ratio +7\.00$", out, re.MULTILINE)


def test_a_part_of_a_url_is_enough_and_the_other_page_is_the_original(place):
    out, _ = good("thaw?x", cwd=place)
    assert out.splitlines()[1:5:2] == [f"   {URLS['copy']}", f"   {URLS['first']}"]
    assert out.splitlines()[4].startswith("near: ")
    assert "was compared with no page; name the other one" in refused("two.html", cwd=place)
    told = refused("/kettles", cwd=place)
    assert told.startswith("/kettles is neither a file nor a URL in the store")
    assert "`scrapy dedup drops --action all" in told


def test_an_updated_page_is_shown_before_and_now(tmp_path):
    pages = [
        {"url": URLS["first"], "html": html(SENTENCES)},
        {"url": URLS["first"], "html": html([*EDITED, *OTHER])},
    ]
    (tmp_path / "feed.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in pages))
    assert scrapy("scan", "feed.jsonl", cwd=tmp_path).returncode == 0
    out, _ = good("/thaw", cwd=tmp_path)
    lines = out.splitlines()
    assert lines[0] == URLS["first"]
    assert re.fullmatch(r"updated: [\d.]+% of the main text changed since .*", lines[1])
    assert [line.split() for line in lines if "Before" in line] == [["Before", "Now"]]
    assert "by [lamplight]" in out
    assert "by [candlelight]" in out
    assert OTHER[0].split(",")[0][:30] in out


def test_a_unique_page_says_why_this_other_one(tmp_path):
    with Deduplicator(tmp_path / ".scrapy/dedup/a/store") as dedup:
        dedup.process(Page(url=URLS["first"], html=html([*SENTENCES, *article(1)])))
        alike = dedup.process(Page(url=URLS["other"], html=html([*SENTENCES, *article(2)])))
    assert (alike.kind, alike.evidence.closest) == ("unique", URLS["first"])
    out, _ = good("/kettle", cwd=tmp_path)
    assert "B is the known page that was most similar to A. " in out


def test_a_page_within_a_far_larger_one_is_shown_on_a_screen(tmp_path):
    around = [f"On day {number} the pilot noted a depth of {number} feet." for number in range(90)]
    (tmp_path / "part.html").write_text(html(SENTENCES))
    (tmp_path / "whole.html").write_text(html([*around[:45], *SENTENCES, *around[45:]]))
    out, _ = good("part.html", "whole.html", cwd=tmp_path)
    assert re.search(r"% of B is in A; B\sis\s\d+\stimes\sas\slong\n", out)
    assert f"= {len(SENTENCES)} sentences are the same in both\n" in out
    assert out.count("… 40 more sentences\n") == 2
    assert len(out.splitlines()) < 40


def test_moved_text_is_marked_as_moved(tmp_path):
    (tmp_path / "one.html").write_text(html(SENTENCES))
    (tmp_path / "two.html").write_text(html([*SENTENCES[3:], *SENTENCES[:3]]))
    out, _ = good("two.html", "one.html", "--all", cwd=tmp_path)
    assert len(re.findall("^= ", out, re.MULTILINE)) + 3 <= len(SENTENCES)
    assert re.search("^\\^ ", out, re.MULTILINE)
    out, _ = good("two.html", "one.html", cwd=tmp_path)
    assert "^ 3 sentences are in both, in another place" in out


def test_what_differs_around_equal_main_texts_is_shown(tmp_path):
    for name, menu in (("one", "Home"), ("two", "Start")):
        page = html(SENTENCES).replace("<main>", f"<nav><a href=/>{menu}</a></nav><main>")
        (tmp_path / f"{name}.html").write_text(page)
    out, _ = good("one.html", "two.html", cwd=tmp_path)
    assert "= 7 sentences are the same in both\n" in out
    assert "The main texts are the same. Around them:\n" in out
    assert re.search(r"^! Home +Start$", out, re.MULTILINE)


def test_all_sentences_of_two_files(place):
    out, _ = good("two.html", "one.html", "--all", cwd=place)
    assert len(re.findall("^= ", out, re.MULTILINE)) == 6
    assert out.count(SENTENCES[2]) == 2


def test_a_file_with_plain_text(place):
    told = json.loads(good("one.html", "plain.txt", "--json", cwd=place)[0])
    assert told["rs"] == [1, 1]
    assert told["verdict"] == "exact"


def test_json(place):
    out, _ = good("two.html", "one.html", "--json", cwd=place)
    assert out.count("\n") == 1
    told = json.loads(out)
    assert told.keys() == KEYS
    assert told["pages"] == ["two.html", "one.html"]
    assert told["verdict"] == "near"
    assert told["sentences"] == [
        {"total": 8, "same": 6, "reworded": 1},
        {"total": 7, "same": 6, "reworded": 1},
    ]
    assert told["rs"] == [7 / 8, 1.0]
    assert told["odds_ratio"] == pytest.approx(7)
    assert told["overlap"] == [6 / 8, 6 / 7]
    assert told["new"] == [["Gulls were heard again in the streets."], []]
    assert told["cut"] == [0, 0]
    assert len(told["pairs"]) == 7
    changed = next(pair for pair in told["pairs"] if pair["similarity"] < 1)
    assert changed["texts"] == [EDITED[3], SENTENCES[3]]
    assert (changed["first"], changed["second"]) == (3, 3)
    shares = ("known", "rs", "tree", "overlap", "best_match", "in_order", "covered", "aligned")
    assert all(0 <= share <= 1 for name in shares for share in told[name])


def from_store(place: Path, *args: str | Path) -> tuple[dict[str, Any], str]:
    out, err = good(*args, "--json", cwd=place)
    return json.loads(out), err


def test_two_urls_of_the_newest_store(place):
    """The text of a near copy was kept though it was dropped; an exact one has its original's."""
    copy = "https://B.example/thaw?x=1#top"
    told, err = from_store(place, copy, URLS["same"])
    assert err.startswith("Store: .scrapy/dedup/scan/")
    assert told["pages"] == [copy, URLS["same"]]
    assert told["sentences"] == [
        {"total": 8, "same": 6, "reworded": 1},
        {"total": 7, "same": 6, "reworded": 1},
    ]
    assert told["verdict"] == "near"
    assert URLS["same"] in told["summary"]


def test_an_exact_copy_does_not_have_the_title_of_its_original(place):
    out, _ = good(URLS["same"], cwd=place)
    assert out.splitlines()[:5] == [
        "A  (title not known)",
        f"   {URLS['same']}",
        "B  A page",
        f"   {URLS['first']}",
        "exact: all visible text is the same",
    ]


def test_a_url_and_a_file_with_a_named_store(place, tmp_path):
    (store,) = (place / ".scrapy/dedup/scan").iterdir()
    (tmp_path / "kettle.html").write_text(html(OTHER))
    told, err = from_store(tmp_path, URLS["other"], "kettle.html", "--store", store)
    assert (told["rs"], err) == ([1, 1], "")


def test_pictures_are_written(place, tmp_path):
    page, picture = tmp_path / "compared.html", tmp_path / "compared.png"
    out, err = good(
        URLS["copy"], URLS["first"], "--html", page, "--png", picture, "--json", cwd=place
    )
    assert json.loads(out)["verdict"] == "near"
    assert err.splitlines()[1:] == [f"Written: {page}", f"Written: {picture}"]
    source = page.read_text("utf-8")
    assert URLS["copy"] in source
    assert URLS["first"] in source
    assert "candlelight" in source
    with Image.open(io.BytesIO(picture.read_bytes())) as image:
        image.load()
        assert image.format == "PNG"


def test_a_url_that_nobody_knows(place):
    told = refused(f"https://a.example/{HOSTILE}", URLS["first"], cwd=place)
    assert told.startswith(r"https://a.example/\x1b[2J")
    assert "is neither a file nor a URL in the store .scrapy/dedup/scan/" in told
    assert "--store DIR" in told


def test_a_store_that_is_not_there(place, tmp_path):
    assert "There is no store under" in refused("https://x/", "https://y/", cwd=tmp_path)
    told = refused(URLS["first"], URLS["copy"], "--store", tmp_path / "absent", cwd=place)
    assert "absent" in told
    assert not (tmp_path / "absent").exists()


def test_files_that_cannot_be_read(place, tmp_path):
    if os.geteuid():
        closed = tmp_path / "closed.html"
        closed.write_text("x")
        closed.chmod(0)
        assert "closed.html: Permission denied" in refused(closed, "one.html", cwd=place)
    (tmp_path / "pages").mkdir()
    assert "pages is neither a file nor a URL" in refused(tmp_path / "pages", "one.html", cwd=place)


def test_output_that_cannot_be_written(place, tmp_path):
    told = refused("one.html", "two.html", "--html", tmp_path / "absent" / "a.html", cwd=place)
    assert told.startswith("Can't write ")
    assert told.endswith(f"a.html: there is no folder {tmp_path / 'absent'}")
    told = refused("one.html", "two.html", "--png", tmp_path, cwd=place)
    assert told.endswith(" is a folder; name a file in it")


def test_settings_are_checked(place):
    done = scrapy("compare", "two.html", "one.html", "-s", "DEDUP_MAX_LOSS=7", cwd=place)
    assert done.returncode == 2
    assert "DEDUP_MAX_LOSS must be from" in texts(done)[1]
    options = '{"sentences": "thesis", "model": "absent"}'
    told = refused("two.html", "one.html", "-s", f"DEDUP_METHOD_OPTIONS={options}", cwd=place)
    assert told.startswith("Can't read the model absent: No such file")


@pytest.mark.parametrize("option", ["--all", "--json"])
def test_hostile_text_does_not_reach_the_terminal(tmp_path, option):
    first = [f"{text} {HOSTILE} {number}" for number, text in enumerate(SENTENCES)]
    second = [f"{HOSTILE} {text}" for text in [*EDITED, HOSTILE]]
    name = f"evil{HOSTILE.replace('/', '')}.txt"
    (tmp_path / name).write_text("\n\n".join(first), "utf-8")
    (tmp_path / "two.txt").write_text("\n\n".join(second), "utf-8")
    page = tmp_path / "evil.html"
    out, _ = good(name, "two.txt", option, "--html", page, cwd=tmp_path)  # looks for what is bad
    assert "harbour" in out
    assert "\x1b" not in page.read_text("utf-8")


def test_pages_without_words(tmp_path):
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "binary.html").write_bytes(bytes(range(256)) * 4)
    out, _ = good("empty.html", "binary.html", cwd=tmp_path)
    assert "too short to be compared in a crawl: 0% of A is in B" in out
