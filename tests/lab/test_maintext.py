"""Main text against what people marked: word bags, and what the command prints."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from lab.maintext.__main__ import main
from lab.maintext.scoring import score

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"url": "https://a.example/", "type": "article", "html": "<p>Two words", "main": "two words"},
    {"url": "https://b.example/", "type": "forum", "html": "<p>Two words", "main": "two others"},
    {"url": "https://c.example/", "type": "forum", "html": "", "main": "lost"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with gzip.open(tmp_path / "pages.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return tmp_path


def test_words_count_as_often_as_they_occur() -> None:
    found = score("a a b", "a b b c")
    assert (found.precision, found.recall) == (2 / 3, 2 / 4)
    assert found.f1 == pytest.approx(4 / 7)
    assert score("", "a").f1 == 0


def test_means_by_type(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--json", "--errors", "1"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["figures"]["article"]["f1"] == 1
    assert printed["figures"]["forum"]["f1"] == 0.25
    assert printed["figures"]["all"] == {
        "pages": 3,
        "f1": 0.5,
        "precision": 0.5,
        "recall": 0.5,
        "f1_even": 0.5,
        "f1_odd": 0.5,
    }
    assert [page["url"] for page in printed["worst"]] == ["https://c.example/"]


def test_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder), "--errors"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["type", "article", "forum", "all"]
    assert lines[6].startswith("https://c.example/")


def test_bad_lines_and_missing_files_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "pages.jsonl").write_text('{"url": "", "html": "", "type": "x"}\n')
    assert main([str(tmp_path)]) == 1
    assert "'main' must be a string" in capsys.readouterr().err
