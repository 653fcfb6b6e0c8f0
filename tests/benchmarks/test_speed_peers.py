"""Speed beside other libraries: those that are installed, on the same pages."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.speed import peers
from benchmarks.speed.contenders import CONTENDERS, OURS, Contender
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, D, G, page

PACKAGES = ("datasketch", "gaoya", "rensa", "selectolax", "trafilatura")


@pytest.fixture
def pages_file(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(map(json.dumps, (page(A, ANIMAL_PAGE), page(D, TOOL_PAGE)))))
    return path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no other library were there; and the tests keep all cores."""
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(peers, "_use_one_core", lambda: None)


@pytest.mark.parametrize("contender", CONTENDERS, ids=lambda one: one.name)
def test_each_finds_a_copy_and_nothing_else(contender: Contender, tmp_path: Path) -> None:
    if contender.missing:
        pytest.skip(f"peers are no dependency: {', '.join(contender.missing)}")
    with ExitStack() as stack:
        judge = contender.start(tmp_path, stack)
        verdicts = {
            url: judge(url, page(url, text)["html"].encode())
            for url, text in ((A, ANIMAL_PAGE), (D, TOOL_PAGE), (B, ANIMAL_PAGE), (G, "Short."))
        }
    assert {url: one.original for url, one in verdicts.items() if one.alarm} == {B: A}


@pytest.mark.usefixtures("alone")
def test_what_is_missing_is_reported_and_the_rest_is_timed(pages_file, capsys) -> None:
    assert peers.main([str(pages_file)]) == 1
    output = capsys.readouterr()
    names = [line.split("  ")[0] for line in output.out.split("\n\n")[0].splitlines()[1:]]
    assert names == [peers.PARSE, OURS, f"{OURS}, in memory"]
    assert "docs/evaluation.md" in output.out
    assert "selectolax + rensa: not installed: selectolax, rensa; left out." in output.err


@pytest.mark.usefixtures("alone")
def test_accuracy_on_a_labelled_set(pages_file, small: Path, capsys) -> None:
    peers.main([str(pages_file), "--set", str(small)])
    head, _, ours, memory = capsys.readouterr().out.splitlines()
    assert head.endswith("F1 small")
    assert ours.endswith("1.000 (0 of 3)")
    assert memory.endswith("1.000 (0 of 3)")


@pytest.mark.usefixtures("alone")
def test_no_pages(tmp_path, capsys) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    assert peers.main([str(path)]) == 1
    assert f"{path}: no pages" in capsys.readouterr().err
