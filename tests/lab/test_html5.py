"""The command for the public tests of html5lib, on tests in their format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lab.html5.__main__ import XML, main

if TYPE_CHECKING:
    from pathlib import Path

TESTS = [
    {
        "description": "all kinds of tokens",
        "input": "<!doctype html>a<!-- b -->&amp<P c=d c=e><br/></p>",
        "output": [
            ["DOCTYPE", "html", None, None, True],
            ["Character", "a"],
            ["Comment", " b "],
            ["Character", "&"],
            ["StartTag", "p", {"c": "d"}],
            ["StartTag", "br", {}, True],
            ["EndTag", "p"],
        ],
        "errors": [{"code": "duplicate-attribute", "line": 1, "col": 42}],
    },
    {
        "description": "ends by another name",
        "initialStates": ["RCDATA state", "RAWTEXT state", "Script data state"],
        "lastStartTag": "xmp",
        "input": "</b></xmps></XMP>c",
        "output": [["Character", "</b></xmps>"], ["EndTag", "xmp"], ["Character", "c"]],
    },
    {
        "description": "escaped, in states without end",
        "doubleEscaped": True,
        "initialStates": ["PLAINTEXT state", "CDATA section state"],
        "input": "\\u0041\\uD83D<b>",
        "output": [["Character", "\\u0041\\uD83D<b>"]],
    },
]


def written(folder: Path, file: str, tests: list[dict[str, object]]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps({"tests": tests}))


def test_passed_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path / "tokenizer", "some.test", TESTS)
    assert main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert "6 6".split() in [line.split() for line in printed]
    for line in ("Comment, 1", "DOCTYPE, 1", "parse error, 1", "lone surrogate, 2"):
        assert any(line in one for one in printed)


def test_failures_are_explained_or_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {"description": "wrong", "input": "a\f", "output": [["Character", "a "]]}
    written(tmp_path, XML, [wrong])
    assert main([str(tmp_path)]) == 0
    assert "for parsers that build XML" in capsys.readouterr().out
    written(tmp_path, "other.test", [wrong])
    assert main([str(tmp_path)]) == 1
    assert "NOT EXPLAINED" in capsys.readouterr().out


def test_a_folder_without_tests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "holds no *.test or *.dat files" in capsys.readouterr().err


def test_encodings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = (
        ("<meta charset=iso8859-2>", "iso-8859-2"),
        ('<meta charset=iso8859-2">', "windows-1252"),
    )
    text = "\n".join(f"#data\n{data}\n#encoding\n{name}\n" for data, name in tests)
    (tmp_path / "encoding").mkdir()
    (tmp_path / "encoding" / "some.dat").write_text(text)
    assert main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == ["1", "2"]
    assert "a broken declaration is believed" in printed[2]
    (tmp_path / "encoding" / "other.dat").write_text("#data\n<p>a\n#encoding\niso-8859-2\n")
    assert main([str(tmp_path)]) == 1
    assert "NOT EXPLAINED" in capsys.readouterr().out
