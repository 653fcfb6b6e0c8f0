"""The report of many methods: tables, charts, errors and their causes."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from html import escape
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from dedup_middleware import Page
from lab.accuracy import errors
from lab.accuracy.__main__ import main
from lab.accuracy.passes import RAW
from lab.accuracy.plots import difference
from lab.accuracy.report import Run, _curves, _dots, _synthetic
from lab.accuracy.results import OURS, Results
from lab.accuracy.scoring import Figures, Score
from lab.accuracy.tables import champions_table
from lab.accuracy.tasks import measure
from lab.synthesis import (
    Plan,
    Range,
    SeriesPlan,
    SetFolder,
    label_sources,
    make_series,
    source_of,
)
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, C, D, label, page, run, write_set
from tests.support.measured import made, task
from tests.support.texts import paragraphs


def test_the_report_of_a_run(tmp_path: Path) -> None:
    pages = [page(A, ANIMAL_PAGE), page(B, TOOL_PAGE), page(C, ANIMAL_PAGE, "One more line.")]
    labels = [label(A, "negative"), label(B, "positive", {A: ["near"]}), label(C, "negative")]
    data = tmp_path / "data"
    data.mkdir()
    write_set(data / "odd", "stream", pages, [*labels, "[]"])
    pair = {"set": "s", "a": "The tide rose.", "b": "The tide rose.", "label": 1}
    (data / "sentences.jsonl").write_text(json.dumps(pair))
    report, work = tmp_path / "out" / "evaluation.md", tmp_path / "work"
    arguments = [data, data / "none", "--methods", "cascade", "--peers", "textprofile"]
    arguments += ["--main-text", "--no-published", "--work", work, "--report", report]
    done = run("lab.accuracy", *arguments)
    assert done.returncode == 1
    reported = done.stderr.splitlines()
    assert reported[0] == f"{data / 'none'}: no such folder; skipped"
    assert reported[1].startswith(f"{data / 'odd' / 'labels.jsonl.gz'}:4: not a JSON object")
    assert reported[-1] == f"Written: {report}"
    overview, details = report.read_text(), _details(report)
    assert not any(str(data) in text for text in (overview, *details.values()))
    assert "python -m lab.accuracy DATA/data DATA/none --methods cascade " in overview
    assert "| odd |  | 3 | 1 | 2 | stream | `" in overview
    assert "DATA/data/odd/labels.jsonl.gz:4: not a JSON object; line skipped" in overview
    assert [*details] == ["errors", "measurement", "sentences", "sets", "thresholds", "verdicts"]
    for name, text in details.items():
        assert f"](evaluation/{name}.md): " in overview
        assert text.splitlines()[2] == "Part of [the evaluation](../evaluation.md)."
    assert "| s | fuzzy | 1 | 1 | " in details["sentences"]
    section = details["sets"][details["sets"].index("## odd") :]
    row = next(line for line in section.splitlines() if line.startswith("| **cascade**"))
    assert row.startswith("| **cascade** | .000 | .000 | .000 | 0 of 2 | 0 | – |")
    missed = f"- `odd`, missed: `{B}`; verdict unique; label `{A}` (near)"
    tagged = f"- `odd`, false alarm: `{C}`; verdict near of `{A}`; label negative"
    assert missed in details["errors"]
    assert tagged in details["errors"]
    assert "different by its label** (not checked by eye) (1 error)" in details["errors"]
    after = details["errors"][details["errors"].index(tagged) :].splitlines()
    assert after[2].startswith("  <br>`"), "the reason of the verdict"
    command = shlex.split(after[3].strip().removeprefix("<br>").strip("`"))
    assert command[:3] == ["scrapy", "dedup", "compare"]
    shown = subprocess.run(
        [sys.executable, "-m", "scrapy", *command[1:], "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(shown.stdout)["verdict"] == "near"
    names = sorted(path.name for path in (report.parent / "evaluation").glob("*.png"))
    if find_spec("matplotlib"):
        assert names == ["curves-peers.png", "f1.png"]
        assert "![F1 of all methods and peers](evaluation/f1.png)" in overview
        assert "![Precision over recall of all peers](curves-peers.png)" in details["thresholds"]
    else:
        assert names == []
        assert "f1.png: not drawn" in done.stderr


def _details(report: Path) -> dict[str, str]:
    pages = sorted((report.parent / "evaluation").glob("*.md"))
    return {path.stem: path.read_text() for path in pages}


def test_charts_of_some_methods_without_the_cascade(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="what draws pictures is no dependency")
    one = made("a", finds=[9, 8, 0], alarms=[9, 1, 0], drops=[9, 1, 0])
    results = Results([one, made("b", finds=[9, 8, 7])], 0.01)
    run_ = Run(results, {}, {}, [], "", tmp_path, tmp_path / "evaluation.md")
    run_.folder.mkdir()
    drawn = [part.partition("]")[0] for part in (*_curves(run_), *_dots(run_))]
    assert [part for part in drawn if part.startswith("![")] == [
        "![Precision over recall of all methods",
        "![F1 of all methods and peers",
    ]
    for name in ("curves-methods", "f1"):
        assert (run_.folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_expected_and_obtained_similarity_of_synthetic_documents(tmp_path: Path) -> None:
    pages = [
        page(f"https://{name}.example/", *map(escape, paragraphs()[start::40][:12]))
        for start, name in enumerate(("first", "second"))
    ]
    sources = [source_of(Page(url=row["url"], html=row["html"])) for row in pages]
    with SetFolder(tmp_path / "made") as folder:
        for row, of_source in zip(pages, label_sources(sources), strict=True):
            folder.add_source(row["url"], row["html"])
            folder.add_label(of_source)
        for one in make_series(sources, SeriesPlan(6, Range(1, 2), Plan(Range(0.2, 0.8)))):
            folder.add_made(one)
        folder.finish({})
    measured = measure(task(tmp_path / "made", "shingles-containment"))
    assert len(measured.obtained) >= 6
    assert all(0.2 <= expected < 1 for expected, _ in measured.obtained)
    # shingles across the seams of paragraphs are lost, or are there by chance
    assert max(abs(expected - got) for expected, got in measured.obtained) < 0.1
    assert 0 < difference(measured) < 0.08
    measured.set = "made"
    run_ = Run(Results([measured], 0.01), {}, {}, [], "", tmp_path, tmp_path / "r" / "e.md")
    run_.folder.mkdir(parents=True)
    parts = list(_synthetic(run_))
    assert parts[0] == "## Expected and obtained similarity: made"
    assert f"| shingles-containment | {len(measured.obtained)} |" in parts[2]
    assert (run_.folder / "expected-made.png").exists() == bool(find_spec("matplotlib"))


def test_the_report_names_the_best() -> None:
    ours = made("a", OURS, finds=[9, 8, 7])
    tie = made("a", "methods/other", finds=[1, 2, 9])
    raw = made("a", "methods/other", RAW, finds=[9, 0, 0], drops=[3, 0, 0])
    row = champions_table(Results([ours, tie, raw], 0.01)).splitlines()[2]
    assert row == (
        "| a | 2 of 200 | .889 / 0 | .333 / 0, other on main text | yes | .947 / 0 @ 0.2 "
        "| .947 / 0 @ 0.8, other on main text | yes (ties: 1) |"
    )
    better = made("a", "peers/third", RAW, finds=[10, 9, 0])
    row = champions_table(Results([ours, tie, better], 0.01)).splitlines()[2]
    assert row.count("| **no**: third on raw page text |") == 2


def test_a_set_without_positives_shows_who_drops_too_much() -> None:
    figures = Figures(0, 200, *np.zeros((6, 3), np.int64))
    ours, other = made("a", OURS), made("a", "methods/other")
    ours.figures = other.figures = figures
    ours.shipped, other.shipped = Score(0, 200, drops=1), Score(0, 200, drops=7)
    row = champions_table(Results([ours, other], 0.01)).splitlines()[2]
    assert row == (
        "| a | 2 of 200 | 1 dropped | 1 of 1 drop more, up to 7 (other on main text) "
        "| within the limit | – | – | – |"
    )


def test_causes_are_read_with_care(tmp_path: Path) -> None:
    path = tmp_path / "causes.json"
    entry = {"set": "s", "url": A, "original": B, "cause": "menu"}
    odd = [7, {**entry, "cause": "unheard of"}, {**entry, "url": None}]
    path.write_text(json.dumps({"causes": {"menu": "A menu."}, "errors": [entry, *odd]}))
    problems: list[str] = []
    found = errors.read_causes(path, problems)
    assert found.found == {("s", A, B): "menu"}
    assert [problem.split(":")[1].split(" of ")[0].strip() for problem in problems] == [
        "entry 2",
        "entry 3",
        "entry 4",
    ]
    row = {"url": A, "original": None, "closest": C, "positives": {B: ["near"]}}
    assert found.of("s", row) == "menu"
    assert found.of("t", row) == ""
    assert found.of("s", {**row, "positives": {D: ["near"]}}) == ""
    for content in ("[]", "{", '{"causes": []}'):
        path.write_text(content)
        assert errors.read_causes(path, problems) == errors.Causes()
    assert len(problems) == 6


def test_the_causes_that_ship_are_valid() -> None:
    problems: list[str] = []
    found = errors.read_causes(errors.CAUSES, problems)
    assert problems == []
    assert set(found.found.values()) == set(found.about)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "--errors"], "are for the cascade alone"),
        (["--methods", "all", "--set", "max_loss=0.8"], "are for the cascade alone"),
        (["--limit", "2"], "must be a number from 0 to 1, not '2'"),
        (["--jobs", "1.5"], "must be a whole number, not '1.5'"),
        (["--patience", "x"], "must be a number from 1 to 1e+09, not 'x'"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["x", *arguments])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
