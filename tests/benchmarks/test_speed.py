"""Speed: stages, a growing store, deep comparison, and the pages they are measured on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.fuzz.definitions import simhash
from benchmarks.speed import deep
from benchmarks.speed.pages import load
from benchmarks.speed.stages import PARTS, STAGES, measure
from benchmarks.speed.synthetic import Generator
from dedup_middleware import Page
from dedup_middleware.fingerprint.hashing import text_hashes
from dedup_middleware.read import read
from dedup_middleware.similarity import Prepared
from tests.support.labelled import ANIMAL_PAGE, TOOLS, A, Author, D, page, run, text


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
    assert all(set(one) == {"parse", *STAGES, *PARTS} for one in times)
    assert all(one[stage] > 0 for one in times for stage in ("parse", *STAGES))


def test_speed_of_a_growing_store(pages_file: Path) -> None:
    done = run("benchmarks.speed", pages_file, "--pages", 2, "--grow", 1200)
    assert done.returncode == 0, done.stderr
    stages, parts, costs, disk = done.stdout.split("\n\n")
    assert [line.split()[0] for line in stages.splitlines()[2:]] == ["a.example", "all"]
    assert parts.splitlines()[1].startswith("reading")
    assert [line.split()[0] for line in costs.splitlines()[2:]] == ["1,000", "1,200"]
    assert all(int(line.split()[2].replace(",", "")) > 0 for line in disk.splitlines()[1:])


def test_malformed_pages_are_reported(pages_file: Path) -> None:
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
    assert simhash(hashes.tolist()) == first.fingerprint.simhash
    assert len(hashes) == first.fingerprint.words
    assert first.outline.texts != second.outline.texts


def test_a_near_copy_has_the_size_that_is_wanted() -> None:
    author = Author(8)
    outline = read(Page(url="u", html=page("u", *author.article(130))["html"]))
    for size in (60, 200):
        copy = deep.near_copy(outline, size, author.article(200))
        assert len(Prepared(copy).sentences) == size


def test_speed_of_a_deep_comparison(tmp_path) -> None:
    author = Author(9)
    path = tmp_path / "pages.jsonl"
    rows = [page(f"https://{size}.example/", *author.article(size)) for size in (60, 90, 130)]
    path.write_text("\n".join(map(json.dumps, rows)))
    times = deep.measure(load(path, None, []))
    assert [one.sentences for pairs in times.values() for one in pairs] == [(60, 130), (130, 60)]
    assert all(one.parse > 0 and one.compare > 0 for pairs in times.values() for one in pairs)
    assert len(deep.report(times).splitlines()) == 3
