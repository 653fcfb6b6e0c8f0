"""Pairs of labelled sets, on sheets for two people."""

from __future__ import annotations

import json

import pytest

from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, C, D, label, page, run, write_set


@pytest.fixture
def drawn(tmp_path):
    pages = [
        page(A, ANIMAL_PAGE),
        page(B, TOOL_PAGE),
        page(C, ANIMAL_PAGE, "One more line about something else."),
        page(D, TOOL_PAGE, "Another line at the end of it."),
    ]
    labels = [label(one["url"], "negative") for one in pages]
    write_set(tmp_path / "data" / "set", "stream", pages, labels)
    folder = tmp_path / "pool"
    arguments = ["--sets", str(tmp_path / "data"), "--output", str(folder)]
    done = run("lab.judge", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "to two people" in done.stdout
    return arguments, folder


def test_two_people_get_sheets_without_verdicts(drawn):
    arguments, folder = drawn
    sheets = sorted((folder / "blind").glob("[0-9]*.md"))
    assert sheets
    assert "for two people" in (folder / "blind" / "README.md").read_text()
    for sheet in sheets:
        text = sheet.read_text()
        assert not any(word in text for word in ("cascade", "codet", "near", A, B, C, D))
    files = []
    for judge in (1, 2):
        path = folder / f"answers-{judge}.json"
        given = {sheet.stem: "same" if judge == 1 else "different" for sheet in sheets}
        path.write_text(json.dumps(given))
        files.append(str(path))
    done = run("lab.judge", *arguments, "--answers", *files)
    assert f"{len(sheets)} with different answers" in done.stdout
    assert "| cascade |" in done.stdout


@pytest.mark.parametrize("copied", [True, False])
def test_a_copy_is_no_second_judge_and_a_pool_is_drawn_once(drawn, copied):
    arguments, folder = drawn
    if copied:
        paths = [folder / "one.json", folder / "two.json"]
        for path in paths:
            path.write_text("{}")
        arguments = [*arguments, "--answers", *map(str, paths)]
    done = run("lab.judge", *arguments)
    assert done.returncode == 1
    assert ("a copy is no second judge" if copied else "never drawn again") in done.stderr
