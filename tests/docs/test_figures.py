"""Copied figures: the README and the page on papers agree with the generated tables."""

from __future__ import annotations

import re

import pytest

from dedup_middleware.similarity.model import shipped
from tests.support.documentation import DOCS, ROOT

PAPERS = (DOCS / "papers.md").read_text()
README_METHODS = {
    "this project": "cascade",
    "4-word containment ≥ .6": "fingerprints",
    "Patricia tree": "patricia",
    "CoDet": "codet",
    "simhash index": "simhash SimhashIndex",
}


def table(text: str, head: str) -> dict[str, list[str]]:
    """Return the rows of the first table whose head begins like this, by their first cell."""
    _, found, rest = text.partition(f"\n{head}")
    assert found, head
    lines = rest.partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
    return {first: others for first, *others in cells}


def published(head: str) -> dict[str, list[str]]:
    return table((DOCS / "evaluation" / "published.md").read_text(), head)


def test_the_readme_has_the_figures_of_the_evaluation():
    shown = table((ROOT / "README.md").read_text(), "| | copies found |")
    made = table((DOCS / "evaluation.md").read_text(), "|  | copies found |")
    assert shown == {name: made[README_METHODS.get(name, name)] for name in shown}


def test_verdicts_on_quoted_pairs():
    shown, made = table(PAPERS, "| verdicts as in print"), published("|  | Table 3.5 |")
    assert [*shown.values()] == [*made.values()]


def test_fingerprints_to_query_with():
    head = "| fingerprint | 5 terms |"
    assert table(PAPERS, head) == published(head)


def test_errors_of_oscds():
    """Of copies with edited words: the sum of overlaps, and the best match."""
    classes = published("**Table 1: errors at 100 % for Exact, 50 % for High, 5 % for Some**\n\n|")
    high = published("**High at the three thresholds that the paper names**\n\n|")
    shown = table(PAPERS, "| class | published FN |")
    assert [*shown] == ["Exact, 100 %", "High, 50 %", "High, 60 %", "High, 66 %", "Some, 5 %"]
    for name, figures in shown.items():
        level, threshold = name.split(", ")
        made, row = (high, threshold) if level == "High" else (classes, level)
        sums, best = made[f"OS-CDS, {row}"], made[f"OS-CDS, best match, {row}"]
        assert figures == [*sums[:2], *sums[4:], *best[4:]], name


def test_codet_and_its_rivals():
    made = published("| method | published P |")
    for name, figures in table(PAPERS, "| | published P, R, F1 |").items():
        assert ", ".join(figures).split(", ") == made[name][:7], name


@pytest.mark.parametrize("name", ["papers.md", "usage/methods.md"])
def test_the_size_of_the_model(name):
    text = " ".join((DOCS / name).read_text().split())
    assert f" {shipped().documents} documents" in text
    assert f" {len(shipped().words):,} words" in text


def test_tests_that_show_an_item_exist():
    rows = PAPERS.partition("## Every item")[2]
    paths = re.findall(r"`(tests/[\w/]+\.py)`", rows)
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).is_file()] == []
