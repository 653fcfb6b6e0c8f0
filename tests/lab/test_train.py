"""The real `python -m lab.train`, in a process of its own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.similarity.model import load
from tests.support.commands import lab, texts
from tests.support.terminal import with_bar
from tests.support.texts import article, html

PAGES = 24


def summary(out: str) -> dict[str, str]:
    return dict(line.split(None, 1) for line in out.splitlines())


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder of pages, some known and some damaged, a feed, and a store of other pages."""
    place = tmp_path_factory.mktemp("training")
    pages = place / "pages"
    pages.mkdir()
    for seed in range(PAGES):
        (pages / f"{seed:02}.html").write_text(html(article(seed), f"Page {seed}", "news"))
    (pages / "again.html").write_text(html(article(3), "Page 3", "news"))
    (pages / "blank.html").write_text("<p></p>")
    (pages / "torn.html.gz").write_bytes(gzip.compress(html(article(50)).encode())[:-20])
    lines = [
        json.dumps({"url": f"https://a.example/{seed}", "html": html(article(seed))})
        for seed in range(30, 34)
    ]
    (place / "feed.jsonl").write_text("\n".join([*lines, '{"url"', ""]))
    with Deduplicator(place / "store") as dedup:
        for seed in range(100):  # more than are taken out of a store together
            dedup.process(Page(url=f"https://a.example/{seed}", html=html(article(seed, 80))))
    return place


@pytest.fixture(scope="module")
def trained(place: Path) -> tuple[dict[str, str], str]:
    done = lab("train", "pages", "feed.jsonl", "--output", "words.model", cwd=place)
    out, err = texts(done)
    assert done.returncode == 0, err
    (place / "first.model").write_bytes((place / "words.model").read_bytes())
    return summary(out), err


def test_what_was_learned_is_reported(place, trained):
    told, err = trained
    model = load(place / "words.model")
    assert model.number == 1
    assert told["Model"].startswith("1, ")
    assert " KiB in words.model, after " in told["Model"]
    left_out = int(told["duplicate"].removesuffix(" left out"))
    assert left_out >= 1  # the texts may hold more that was copied
    assert model.documents == PAGES + 5 - left_out > PAGES
    assert told["Documents"] == f"{model.documents} learned from"
    assert told["spare"].startswith("0 ")
    assert told["empty"] == "1 without words"
    assert told["unreadable"] == "2, reported on stderr"
    assert told["Words"] == f"{len(model.words):,}"
    options = {"sentences": "thesis", "model": "words.model"}
    assert told["Next"] == f"DEDUP_METHOD_OPTIONS = {json.dumps(options)}"
    assert [line.split(":")[0] for line in err.splitlines()] == [
        "pages/torn.html.gz",
        "feed.jsonl",
    ]


def test_examples_are_words_of_the_model(place):
    out, _ = texts(lab("train", "pages", "--output", "examples.model", cwd=place))
    model = load(place / "examples.model")
    examples = [line.split(None, 2)[2] for line in out.splitlines() if "  such as" in line]
    assert 1 <= len(examples) <= 4
    for example in examples:
        word, _, others = example.partition(": ")
        first, factor = others.split(", ")[0].split()
        assert float(factor) == pytest.approx(model.correlation(word, first), abs=0.0051)
        assert factor != "0.00"


def test_only_the_main_text_counts(place, trained):
    model = load(place / "words.model")
    assert model.frequency("copyright") < PAGES / 2  # each page has it in its footer


def test_a_model_is_replaced_by_the_next_one(place, trained):
    for number in (2, 3):
        done = lab("train", "pages", "feed.jsonl", "--output", "words.model", cwd=place)
        out, _ = texts(done)
        assert done.returncode == 0
        assert summary(out)["Model"].startswith(f"{number}, ")
        assert load(place / "words.model").number == number
    assert load(place / "words.model").words == load(place / "first.model").words


def test_training_again_gives_the_same_bytes(place, trained):
    lab("train", "pages", "feed.jsonl", "--output", "same.model", cwd=place)
    assert (place / "same.model").read_bytes() == (place / "first.model").read_bytes()


def test_a_store_is_learned_from(place):
    done = lab("train", "--store", "store", "--output", "store.model", cwd=place)
    out, err = texts(done)
    assert (done.returncode, err) == (0, "")
    told = summary(out)
    used, left_out = (int(told[name].split()[0]) for name in ("Documents", "duplicate"))
    assert used == load(place / "store.model").documents
    assert 64 < used + left_out <= 100  # what the store took for duplicates is not in it
    with Deduplicator(place / "store") as dedup:  # it still is what it was
        verdict = dedup.process(Page(url="https://b.example/", html=html(article(1, 80))))
        assert verdict.kind == "exact"


def test_a_store_and_files_together(place):
    # the journals inside the store are no feeds of pages
    done = lab("train", ".", "--store", "store", "--output", "both.model", cwd=place)
    out, _ = texts(done)
    assert done.returncode == 0
    told = summary(out)
    assert told["unreadable"].startswith("2,")
    used, left_out = (int(told[name].split()[0]) for name in ("Documents", "duplicate"))
    assert used + left_out > PAGES + 5 + 64


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["one"], 2, "--output"),
        (["--output", "x.model"], 2, "PATH…, --store DIR, or both"),
        ([".", "--output", "x.model", "-s", "DEDUP_MIN_WRODS=3"], 2, "did you mean"),
        ([".", "absent", "--output", "x.model"], 1, "absent: No such file or directory"),
        (["notes.txt", "--output", "x.model"], 1, "nothing to learn from"),
        (["one", "--output", "x.model"], 1, "of the 1 different pages; learn from"),
        (["one", "--output", "absent/x.model"], 1, "Can't write absent/x.model: no folder absent"),
        (["one", "--output", "notes.txt"], 1, "notes.txt is there already and can't be read as"),
        (["one", "--output", "one"], 1, "one is there already and can't be read as a model"),
        (["--store", "absent", "--output", "x.model"], 1, "There is no dedup store in absent"),
        (["--store", "one", "--output", "x.model"], 1, "There is no dedup store in one"),
    ],
)
def test_what_a_user_gets_wrong(tmp_path, args, code, message):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.html").write_text(html(article(1)))
    (tmp_path / "notes.txt").write_text("precious")
    done = lab("train", *args, cwd=tmp_path)
    out, err = texts(done)
    assert done.returncode == code
    assert out == ""
    assert message in err
    assert code == 2 or len(err.splitlines()) == 1
    assert (tmp_path / "notes.txt").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt", "one"]


def test_on_a_terminal_there_is_a_bar(place):
    out, bar = with_bar(place, "train", "pages", "--store", "store", "--output", "bar.model")
    assert out.startswith(b"Model ")
    assert b" documents" in bar
    assert b"torn.html.gz: broken compression" in bar


def test_the_summary_for_programs(place: Path) -> None:
    done = lab("train", "pages", "--output", "told.model", "--json", cwd=place)
    told = json.loads(texts(done)[0])
    model = load(place / "told.model")
    assert (told["documents"], told["words"]) == (model.documents, len(model.words))
    assert (told["duplicate"], told["empty"], told["unreadable"]) == (1, 1, 1)
    assert told["bytes"] == (place / "told.model").stat().st_size
