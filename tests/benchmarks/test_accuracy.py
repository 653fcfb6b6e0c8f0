"""The measuring rods: figures as counted by hand, and input that is not as it should be."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.accuracy.scoring import Label, Said, score
from benchmarks.speed.pages import load
from benchmarks.speed.stages import STAGES, measure
from benchmarks.speed.synthetic import Generator
from dedup_middleware import Page
from dedup_middleware.fingerprint.hashing import text_hashes
from dedup_middleware.fingerprint.simhash import simhash
from dedup_middleware.read import read

ROOT = Path(__file__).parents[2]
ANIMALS = "otter heron badger falcon weasel magpie beaver osprey marten plover"
TOOLS = "hammer chisel pliers mallet spanner gimlet trowel sickle scythe bellows"


def text(words: str, start: int, count: int = 40) -> str:
    """Make sentences that no other start shares."""
    names = words.split()
    return " ".join(
        f"The {names[i % 10]} number {start + i} met the {names[(i * 3 + 1) % 10]} "
        f"at bridge {start * 7 + i * 13}."
        for i in range(count)
    )


def page(url: str, *paragraphs: str) -> dict[str, str]:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return {"url": url, "html": f"<html><body><main>{body}</main></body></html>"}


def label(url: str, gold: str, positives=None, neutral=()) -> dict[str, object]:
    return {"url": url, "gold": gold, "positives": positives or {}, "neutral": list(neutral)}


def write_set(folder: Path, mode: str, pages: list, labels: list) -> Path:
    folder.mkdir()
    (folder / "meta.json").write_text(json.dumps({"mode": mode, "pages": len(pages)}))
    for name, rows in (("pages", pages), ("labels", labels)):
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


A, B, C, D = (f"https://{name}.example/" for name in "abcd")
ANIMAL_PAGE, TOOL_PAGE = text(ANIMALS, 0), text(TOOLS, 5000)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """One set of each mode.

    Stream: b copies a, d differs from both. c copies a too but the labels say it should be like
    d: a wrong original. Pairs: a copy is found; a page about other things is not; without the
    second store it would be taken for a copy of the first pair's.
    """
    stream_pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE),
        page(D, TOOL_PAGE),
        page(C, ANIMAL_PAGE, "One more."),
    ]
    stream_labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["exact", "near"]}),
        label(D, "negative"),
        label(C, "positive", {D: ["near"]}),
    ]
    pair_pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE),
        page(C, TOOL_PAGE),
        page(D, ANIMAL_PAGE),
    ]
    pair_labels = [
        label(A, "skip"),
        label(B, "positive", {A: ["contained"]}),
        label(C, "skip"),
        label(D, "negative"),
    ]
    write_set(tmp_path / "stream", "stream", stream_pages, stream_labels)
    write_set(tmp_path / "pairs", "pairs", pair_pages, pair_labels)
    return tmp_path


def test_accuracy_of_both_modes(sets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    journals = tmp_path_factory.mktemp("journals")
    done = run("accuracy", sets, "--json", "--journal", journals)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    pairs, stream = json.loads(done.stdout)["sets"]
    assert (stream["set"], stream["positives"], stream["negatives"]) == ("stream", 2, 2)
    assert (stream["precision"], stream["recall"], stream["f1"]) == (0.5, 0.5, 0.5)
    assert (stream["wrong_originals"], stream["false_drops"]) == (1, 0)
    assert (stream["right_kind_share"], stream["right_kind_of"]) == (1.0, 1)
    assert [error["error"] for error in stream["errors"]] == ["wrong original"]
    assert stream["errors"][0]["original"] == A
    assert stream["peak_bytes"] > 10_000_000
    assert (pairs["precision"], pairs["recall"], pairs["false_drops"]) == (1.0, 1.0, 0)
    assert pairs["right_kind_share"] == 0.0
    lines = (journals / "pairs.jsonl").read_text().splitlines()
    verdicts = {row["url"]: row["verdict"] for row in map(json.loads, lines)}
    assert verdicts == {A: "unique", B: "exact", C: "unique", D: "unique"}


def test_accuracy_as_table_with_errors_and_a_setting(sets: Path) -> None:
    done = run("accuracy", sets / "stream", "--errors", "--set", "min_words=30")
    assert done.returncode == 0, done.stderr
    head, row, *errors = done.stdout.splitlines()
    assert head.split()[:3] == ["set", "pos", "neg"]
    assert row.split()[:6] == ["stream", "2", "2", "0.5000", "0.5000", "0.5000"]
    assert errors[0] == f"stream: wrong original: {C}"
    assert f"original {A}" in errors[1]
    assert errors[2].strip() == f"gold positive: {D} (near)"


def test_malformed_input_is_named_and_the_rest_runs(sets: Path) -> None:
    broken = write_set(
        sets / "broken",
        "stream",
        [page(A, ANIMAL_PAGE), '{"url": "https://cut', page(D, TOOL_PAGE)],
        [label(A, "negative"), label(B, "maybe"), "[]", label(D, "negative")],
    )
    (sets / "unlabelled").mkdir()
    (sets / "unlabelled" / "meta.json").write_text('{"mode": "stream"}')
    (sets / "unlabelled" / "pages.jsonl").write_text(json.dumps(page(A, TOOL_PAGE)))
    done = run("accuracy", sets / "missing", broken, sets / "unlabelled", "--json")
    assert done.returncode == 1
    assert [figures["negatives"] for figures in json.loads(done.stdout)["sets"]] == [2]
    told = done.stderr.splitlines()
    assert told[0] == f"{sets / 'missing'}: no such folder; skipped"
    assert told[1] == f"{sets / 'unlabelled' / 'labels'}.jsonl.gz: not found; set skipped"
    assert told[2].startswith(f"{broken / 'labels.jsonl.gz'}:2: 'gold' must be one of")
    assert told[3] == f"{broken / 'labels.jsonl.gz'}:3: not a JSON object; line skipped"
    assert told[4].startswith(f"{broken / 'pages.jsonl.gz'}:2: no JSON")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage:"),
        (["x", "--set", "near"], "'near' is not NAME=VALUE with a JSON value"),
        (["x", "--set", "near=0.8x"], "'near=0.8x' is not NAME=VALUE with a JSON value"),
        (["x", "--set", "nearr=0.8"], "did you mean DEDUP_NEAR?"),
    ],
)
def test_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.accuracy.__main__ import main

    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code
    output = capsys.readouterr()
    assert code == 2
    assert said in output.out + output.err


def test_a_wrong_original_is_a_miss_and_an_alarm() -> None:
    found = score([Label(C, "positive", {A: ["near"]})], {C: Said("near", B)})
    assert (found.finds, found.wrong_originals, found.precision, found.recall) == (0, 1, 0.0, 0.0)
    assert found.mistakes[0].what == "wrong original"


def test_an_original_that_is_left_open_is_a_find_without_a_kind() -> None:
    labels = [Label(C, "positive", {A: ["near"]}, [B]), Label(D, "positive", {A: ["contains"]})]
    found = score(labels, {C: Said("near", B), D: Said("contains", A)})
    assert (found.finds, found.kinds, found.right_kinds) == (2, 1, 1)
    assert found.f1 == 1.0


def test_contains_on_a_negative_is_an_alarm_but_no_drop() -> None:
    labels = [Label(A, "negative", {}), Label(B, "negative", {}), Label(C, "negative", {})]
    said = {A: Said("contains", D), B: Said("contained", D), C: Said("updated")}
    found = score(labels, said)
    assert (found.negatives, found.alarms, found.drops) == (3, 2, 1)
    assert [mistake.what for mistake in found.mistakes] == ["false alarm", "false drop"]


def test_what_was_not_judged_was_let_through_and_open_pages_do_not_count() -> None:
    labels = [
        Label(A, "positive", {D: ["near"]}),
        Label(B, "ignore", {}, [A]),
        Label(C, "skip", {}),
    ]
    found = score(labels, {B: Said("near", A), C: Said("near", A)})
    assert (found.positives, found.negatives, found.alarms) == (1, 0, 0)
    assert [mistake.what for mistake in found.mistakes] == ["missed"]


@pytest.fixture
def pages_file(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    rows = [
        page(A, ANIMAL_PAGE),
        page(f"{A}copy?of=a", ANIMAL_PAGE),
        page(D, text(TOOLS, 1, 300)),
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_speed_of_each_stage(pages_file: Path) -> None:
    pages = load(pages_file, None, [])
    times = measure(pages)
    assert len(times) == len(pages) == 3
    assert all(set(one) == {"parse", *STAGES} and min(one.values()) > 0 for one in times)


def test_speed_of_a_growing_store(pages_file: Path) -> None:
    done = run("speed", pages_file, "--pages", 2, "--grow", 1200)
    assert done.returncode == 0, done.stderr
    stages, costs, disk = done.stdout.split("\n\n")
    assert [line.split()[0] for line in stages.splitlines()[2:]] == ["a.example", "all"]
    assert [line.split()[0] for line in costs.splitlines()[2:]] == ["1,000", "1,200"]
    assert all(int(line.split()[2].replace(",", "")) > 0 for line in disk.splitlines()[1:])


def test_speed_says_what_is_wrong_with_its_pages(pages_file: Path) -> None:
    with pages_file.open("a") as file:
        file.write('\n{"url": "https://e.example/"}\n')
    problems: list[str] = []
    assert len(load(pages_file, None, problems)) == 3
    assert problems == [f"{pages_file}:4: 'html' must be a string; line skipped"]
    assert load(pages_file.with_name("none"), None, problems) == []
    assert problems[1].endswith("none: no such file")


def test_synthetic_pages_have_the_fingerprints_of_their_text() -> None:
    real = read(Page(url=A, html=page(A, ANIMAL_PAGE)["html"]))
    first, second = Generator([real], 2.0).pages(2)
    hashes = text_hashes(first.outline.main)
    assert simhash(hashes) == first.fingerprint.simhash
    assert len(hashes) == first.fingerprint.words
    assert first.outline.texts != second.outline.texts
