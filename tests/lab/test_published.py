"""The published tables on open data: kept results, and runs on made-up pages."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from dedup_middleware.similarity.model import shipped
from lab.published import DOCUMENTS, codet, kakar, oscds, sections
from lab.published.__main__ import main
from lab.published.counts import Counts, score
from lab.published.material import read_sets
from lab.published.run import Run
from lab.published.yerra_quotes import agreement
from lab.published.yerra_sentences import judged
from tests.support.labelled import label, write_set
from tests.support.texts import article, html

TIDE = "the tide came in at noon and all the boats of the harbour rose with it once more"
FROST = "a late frost in may killed nearly every blossom in the valley behind the old mill"


def test_results_are_kept_until_options_data_or_code_change(tmp_path: Path) -> None:
    data, calls = tmp_path / "data", []
    write_set(data / "set", "stream", [], [])

    def measure(problems: list[str]) -> dict[str, int]:
        calls.append(1)
        problems.append("one page could not be read")
        return {"value": len(calls)}

    def result(**options: Any) -> tuple[int, list[str]]:
        run = Run(data, tmp_path / "work", tmp_path / "images", [])
        return run.result("test", measure, **options)["value"], run.problems

    assert result(width=1) == (1, ["one page could not be read"])
    assert result(width=1) == (1, ["one page could not be read"])
    assert result(width=2)[0] == 2
    (data / "set" / "meta.json").write_text("{}")
    assert result(width=2)[0] == 3
    kept = tmp_path / "work" / "published-test.json"
    kept.write_text(kept.read_text()[:-9])
    assert result(width=2)[0] == 4
    changed = json.loads(kept.read_text())
    changed["key"]["code"] = "of an earlier version"
    kept.write_text(json.dumps(changed))
    patient = Run(data, tmp_path / "work", tmp_path / "images", [], reuse=True)
    assert patient.result("test", measure, width=2) == {"value": 4}
    assert result(width=2)[0] == 5


def test_without_matplotlib_the_rest_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    run = Run(tmp_path, tmp_path, tmp_path / "images", [])
    assert run.picture("kakar", "Jaccard", lambda path: kakar._draw(path, {})) == ""
    assert "kakar.png: not drawn" in run.problems[0]
    assert "scrapy-dedup[bench]" in run.problems[0]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream with twelve pages, versions of one and an excerpt; pairs; sentences."""
    folder = tmp_path_factory.mktemp("published") / "data"
    pages: list[Any] = []
    labels: list[Any] = []

    def come(name: str, parts: list[str], positives: Any = None, neutral: Any = ()) -> None:
        url = f"https://a.example/{name}"
        pages.append({"url": url, "html": html(parts)})
        named = {f"https://a.example/{one}": kinds for one, kinds in (positives or {}).items()}
        open_ = [f"https://a.example/{one}" for one in neutral]
        gold = "positive" if named else "negative"
        labels.append(label(url, gold, named, open_))

    for seed in range(12):
        come(str(seed), article(seed, 220))
    rng = random.Random(5)
    base = article(0, 220)
    for version in range(5):
        parts = [*base]
        parts[rng.randrange(len(parts))] = article(40 + version, 20)[0]
        earlier = {"0": ["near"]} | {f"v{one}": ["near"] for one in range(version)}
        come(f"v{version}", parts, earlier)
    come("again", article(1, 220), {"1": ["exact", "near", "contained"]})
    come("part", article(2, 220)[:2], {"2": ["contained"]})
    come("mixed", [*article(3, 220)[:2], *article(50, 120)], neutral=["3"])
    write_set(folder / "made", "stream", pages, labels)
    two = [{"url": f"https://b.example/{n}", "html": html(article(60, 120))} for n in range(2)]
    pair_labels = [
        label(two[0]["url"], "skip"),
        label(two[1]["url"], "positive", {two[0]["url"]: ["near"]}),
    ]
    write_set(folder / "pairs", "pairs", two, pair_labels)
    rows = [
        {"set": "sts-dev", "a": one, "b": other, "label": same}
        for one, other, same in (
            (TIDE, TIDE.replace("once more", "again"), 1),
            (TIDE, FROST, 0),
            (FROST, "Ships sail.", 0),
            (FROST, TIDE, None),
        )
    ]
    (folder / "sentences.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oscds, "ORIGINALS", 4)
    monkeypatch.setattr(oscds, "COPIES", 9)
    monkeypatch.setattr(codet, "DEPTHS", (1, 5))


@pytest.mark.usefixtures("few")
def test_all_tables_from_made_up_data(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "docs" / "report.md"
    arguments = [str(data), "--work", str(tmp_path / "work"), "--output", str(report)]
    assert main([*arguments, "--queries", "3"]) == 0, capsys.readouterr().err
    text = report.read_text()
    for name in ("Pereira & Ziviani", "Yerra", "Ismail, Saad & Badr", "Varol", "Kakar"):
        assert f"## {name}: " in text
    assert text.count("Why they differ") >= 8
    # published figures stand in every table
    for published in ("| w = 4 | 4.13 % |", "| FFP | .82 | .88 | .85 |", "| 2 | .76 | .75 | .76 |"):
        assert published in text
    assert "| published: files 2 – 1 | 1 | .118 | .095 | .080 |" in text
    assert "| OS-CDS, High | .0375 | .0006 |" in text
    assert "| published, group 1 | 100 | 940 | 3.0 % | 13.0 % | .98 | .92 | .81 |" in text
    assert "| 1–2 | 42 % / 51 % | 50 % / 59 % |" in text
    images = [line for line in text.splitlines() if line.startswith("![")]
    assert len(images) == 13
    for line in images:
        path = report.parent / line.rpartition("(")[2].rstrip(")")
        assert path.read_bytes().startswith(b"\x89PNG")
    report.unlink()
    assert main([*arguments, "--queries", "3", "--only", "K,o"]) == 0
    again = report.read_text()
    assert again.startswith("## Kakar: ")
    assert "## Ismail" in again
    assert "## Varol" not in again


@pytest.mark.usefixtures("few")
def test_what_is_missing_is_reported_and_the_rest_is_made(data: Path, tmp_path: Path) -> None:
    alone = tmp_path / "data"
    alone.mkdir()
    (alone / "pairs").symlink_to(data / "pairs")
    problems: list[str] = []
    found = dict(sections(alone, tmp_path / "work", problems, tmp_path / "images", queries=2))
    assert [title.split(":")[0] for title in found] == ["Yerra", "Kakar"]
    assert any("sentences.jsonl.gz: not found" in line for line in problems)
    assert any("no set of mode stream" in line for line in problems)
    nowhere: list[str] = []
    assert not list(sections(tmp_path / "none", tmp_path, nowhere, tmp_path))
    assert nowhere == [f"{tmp_path / 'none'}: no such folder; no counterparts of published tables"]


def test_a_method_that_is_not_installed_is_reported(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "dedup_middleware.methods.imatch", None)
    problems: list[str] = []
    found = codet.measure_methods(data, problems)
    assert set(found["methods"]) == {"FFP", "CoDet", "SimHash", "DSC"}
    assert [line for line in problems if "Tables of C without imatch" in line]
    assert "| I-Match | .72 | .33 | .45 | – |" in codet._methods_table(found)


def test_copies_in_made_up_data_are_found_by_full_fingerprints(data: Path) -> None:
    (made,) = read_sets(data, [], "stream")
    counts = score(made, "fingerprints", {}).at(0.6)
    assert (counts.found, counts.missed) == (17, 0)


def test_sentences_are_judged_by_set() -> None:
    model = shipped()
    rows = [("x", TIDE, TIDE.upper(), True), ("x", TIDE, FROST, False)]
    problems: list[str] = []
    found = judged(rows, model, problems)["sets"]["x"]
    assert [Counts(**one) for one in found.values()] == [Counts(1, 0, 0, 1)] * 2
    assert judged([], model, problems) == {}
    assert "Tables 3.5, 4.7 and 4.8" in problems[0]


def test_verdicts_on_the_quoted_pairs_of_the_thesis() -> None:
    """How many are those of the thesis: of 7, 12 and 3."""
    found = {name: [*counts.values()] for name, counts in agreement().items()}
    assert found["thesis"] == [3, 9, 3]
    assert found["thesis, no model"] == [2, 7, 1]
    assert found["ours"] == [3, 9, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--only", "P,Q"], "'Q' is no document; choose from P,Y,O,C,K"),
        (["x", "--queries", "0"], "must be a whole number from 1 on, not '0'"),
        ([], "DATA"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_every_document_has_a_module() -> None:
    assert set(DOCUMENTS) == set("PYOCK")
