"""Fit of the judge's weights."""

from __future__ import annotations

from random import Random

import numpy as np

from benchmarks.fit.__main__ import main
from benchmarks.fit.model import fit, left_out, shipped
from benchmarks.fit.pairs import NAMES, Example
from dedup_middleware.judge.relation import FOR
from tests.support.labelled import ANIMAL_PAGE, TOOL_PAGE, A, B, C, D, label, page, run, write_set


def examples(count: int = 300) -> list[Example]:
    """Make pairs that are the same if covered is high, unless facts are swapped."""
    rng = Random(3)
    made = []
    for number in range(count):
        covered, swapped = rng.random(), rng.choice([0.0, 0.0, 1.0])
        measures = dict.fromkeys(NAMES, 0.0) | {
            "covered": covered,
            "aligned": rng.random(),
            "swapped": -swapped,
        }
        yes = covered - 0.3 * swapped + rng.gauss(0, 0.03) > 0.6
        made.append(
            Example("a" if number % 2 else "b", "site", "same", tuple(measures.values()), yes)
        )
    return made


def test_the_weights_that_made_the_labels_are_found():
    model = fit(examples())
    weights = dict(zip(NAMES, model.weights, strict=True))
    assert weights["covered"] > 0.9
    assert weights["aligned"] < 0.1
    assert 0.2 < weights["swapped"] < 0.4
    assert sum(weights[name] for name in FOR) == np.float64(1)
    assert 0.55 < model.even["same"] < 0.65


def test_no_weight_is_negative():
    turned = [one._replace(yes=not one.yes) for one in examples()]
    assert (fit(turned).weights >= 0).all()


def test_what_is_left_out_takes_no_part():
    made = examples()
    strange = [one._replace(set="c", yes=not one.yes) for one in made[:50]]
    shares = left_out([*made, *strange])
    alone = fit(made).shares(np.array([one.measures for one in strange]))
    assert np.allclose(shares[len(made) :], alone)


def test_shipped_weights_are_those_of_the_judge():
    assert len(shipped()) == len(NAMES)
    assert shipped()[: len(FOR)].sum() == 1


def test_command(tmp_path, capsys):
    pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE, "One more sentence at the end."),
        page(C, TOOL_PAGE),
        page(D, TOOL_PAGE[:2000], ANIMAL_PAGE[:600]),
    ]
    labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["near"]}),
        label(C, "negative"),
        label(D, "negative"),
    ]
    data = write_set(tmp_path / "data" / "few", "stream", pages, labels)
    journal = tmp_path / "journal"
    done = run("accuracy", data, "--journal", journal)
    assert done.returncode == 0, done.stderr
    assert main([str(data), "--journal", str(journal), "--people", "few"]) == 0
    out = capsys.readouterr().out
    assert "fitted" in out
    assert "balanced: near 0.72, contained 0.8" in out
    assert "labels of people" in out
    assert main([str(data), "--journal", str(tmp_path)]) == 1
