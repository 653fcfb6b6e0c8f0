"""Ablation: parts of the judge are left out, in a process of their own."""

from __future__ import annotations

import re

import pytest

import lab.accuracy.__main__ as command
from lab.accuracy.ablation import PARTS
from tests.support.labelled import A, label, write_set

WORDS = (
    "The {} is fed with water from the river, and grows through all of the summer. "
    "Nobody has ever seen a {} in winter, when the whole valley lies below the snow. "
)
NAMES = ("heron", "willow", "otter", "marigold", "lizard", "poplar")


def page(url: str, asked: tuple[str, ...]) -> dict[str, str]:
    """Return answers under questions: the names are those of the questions."""
    pairs = zip(asked, NAMES, strict=True)
    parts = (f"<h2>{one}?</h2><p>{WORDS.format(other, other)}</p>" for one, other in pairs)
    return {"url": url, "html": f"<title>Q</title><h1>Q</h1>{''.join(parts)}"}


def test_only_the_tree_tells_answers_under_other_questions(tmp_path, capsys):
    pages = [page(f"{A}1", NAMES), page(f"{A}2", (*NAMES[1:], NAMES[0]))]
    labels = [label(one["url"], "negative") for one in pages]
    write_set(tmp_path / "answers", "stream", pages, labels)
    assert command.main([str(tmp_path / "answers"), "--ablation"]) == 0
    output = capsys.readouterr().out
    rows = re.findall(r"^answers +(\w+) +(\d+) +(\d+)", output, re.MULTILINE)
    assert [name for name, _, _ in rows] == list(PARTS)
    assert {name for name, _, wrong in rows if wrong != "0"} == {"tree"}
    assert "answers: 0 of 0 near copies" in output


def test_ablation_goes_with_no_other_option(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main([str(tmp_path), "--ablation", "--variants"])
    assert "--ablation judges with defaults" in capsys.readouterr().err
