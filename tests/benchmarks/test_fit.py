"""Fitting: the simulation gives the verdicts of the deduplicator, and choices are as defined."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.scoring import COUNTS, Figures, Judgement, score
from benchmarks.accuracy.sets import find_sets, labels_of
from benchmarks.fit.__main__ import main
from benchmarks.fit.choose import goodness
from benchmarks.fit.measures import KINDS, MeasuredSet, _shares, measure
from benchmarks.fit.points import SHAPE, ablations, gap, grid, moved, shipped, smoothed
from benchmarks.fit.simulate import judged, simulate
from dedup_middleware import Deduplicator, Page
from dedup_middleware.similarity.overlap import of_sets
from tests.support.labelled import Author, label, page, stream, write_set


def real_verdicts(batches: list[list], folder: Path, **settings: object) -> dict[str, Judgement]:
    verdicts: dict[str, Judgement] = {}
    for number, batch in enumerate(batches):
        with Deduplicator(folder / f"store-{number}", **settings) as dedup:
            for row in batch:
                body = row["html"].encode()
                verdict = dedup.process(Page(url=row["url"], html=body, encoding="utf-8"))
                verdicts[row["url"]] = Judgement(str(verdict.kind), verdict.original)
    return verdicts


def simulated(measured: MeasuredSet, **settings: float) -> dict[str, Judgement]:
    verdicts = {url: Judgement("unique") for url in measured.urls}
    for number, kind, row in judged(measured, [shipped()._replace(**settings)]):
        if kind[0]:
            original = measured.urls[measured.earlier[row[0]]]
            verdicts[measured.urls[number]] = Judgement(KINDS[kind[0]], original)
    return verdicts


def measured_set(folder: Path) -> MeasuredSet:
    problems: list[str] = []
    found = measure(find_sets([folder], problems)[0], problems, processes=1)
    assert not problems
    return found


@pytest.mark.parametrize(
    ("seed", "settings"), [(1, {}), (2, {"near": 0.6, "contained": 0.7}), (3, {"near": 0.9})]
)
def test_the_simulation_gives_the_verdicts_of_the_deduplicator(tmp_path, seed, settings) -> None:
    pages, labels = stream(seed, 60)
    folder = write_set(tmp_path / "set", "stream", pages, labels)
    measured = measured_set(folder)
    real = real_verdicts([pages], tmp_path, **settings)
    assert simulated(measured, **settings) == real
    assert {said.kind for said in real.values()} >= {"unique", "exact", "near"}
    point = shipped()._replace(**settings)
    figures = simulate(measured, [shipped()._replace(near=0.5), point])
    expected = score(labels_of(find_sets([folder], [])[0], []), real)
    assert (figures.positives, figures.negatives) == (expected.positives, expected.negatives)
    for name in COUNTS:
        assert getattr(figures, name)[1] == getattr(expected, name), name
    for name in ("precision", "recall", "f1"):
        assert getattr(figures, name)[1] == pytest.approx(getattr(expected, name))


def test_pairs_and_pages_of_few_words(tmp_path) -> None:
    author = Author(5)
    text = author.article(20)
    few = [author.sentence()]
    texts = [text, text, text, author.version(text), few, few, [], [], few, ["Another."]]
    pages = [page(f"https://{place}.example/", *one) for place, one in enumerate(texts)]
    pages[5]["html"] = pages[4]["html"]
    labels = [label(row["url"], "negative") for row in pages]
    folder = write_set(tmp_path / "set", "pairs", pages, labels)
    batches = [pages[at : at + 2] for at in range(0, len(pages), 2)]
    real = real_verdicts(batches, tmp_path)
    assert simulated(measured_set(folder)) == real
    assert [said.kind for said in real.values()].count("exact") == 2


def test_shares_of_sets_with_all_earlier_ones() -> None:
    chance = np.random.default_rng(1)
    sets = [np.unique(chance.integers(0, 60, size)) for size in (20, 40, 0, 1, 50, 30)]
    for number, shares in enumerate(_shares(sets)):
        expected = [max(of_sets(sets[number], other)[1:]) for other in sets[:number]]
        assert shares.tolist() == pytest.approx(expected)


def figures_of(positives: int, negatives: int, *counts: list[int]) -> Figures:
    return Figures(positives, negatives, *(np.array(one) for one in counts))


def test_goodness_by_hand() -> None:
    one = figures_of(10, 10, [10, 8], [0, 0], [0, 2], [0, 2], [10, 8], [10, 6])
    none = figures_of(0, 20, [0, 0], [0, 0], [0, 1], [0, 1], [0, 0], [0, 0])
    right, wrong = goodness([one, none])
    assert right == 0.5
    assert wrong == pytest.approx((0.8 - 0.05) / 2 - 0.005 * 3 - (0.95 - 0.75))


def test_neighbours_in_the_thresholds_are_averaged() -> None:
    values = np.zeros(SHAPE)
    values[0, 0, 0, 0, 0] = 9.0
    found = smoothed(values.reshape(-1)).reshape(SHAPE)
    assert found[0, 0, 0, 0, 0] == 9 / 4
    assert found[0, 0, 0, 1, 1] == 1.0
    assert found[0, 0, 1].sum() == found[0, 0, 0, 2:].sum() == 0


def test_the_grid_and_points_without_parts() -> None:
    points = grid()
    assert len(points) == len(set(points)) == np.prod(SHAPE)
    assert all(sum(point[:4]) == pytest.approx(1) for point in points)
    assert [point.contained for point in moved(points[0], [0.5, 0.98])] == [
        0.5 + gap(points[0]),
        1.0,
    ]
    for name, point in ablations(shipped()).items():
        assert sum(point[:4]) == pytest.approx(sum(shipped()[:4])), name


def test_the_command(tmp_path, capsys) -> None:
    for name, mode, seed in (("one", "stream", 6), ("two", "pairs", 7)):
        write_set(tmp_path / name, mode, *stream(seed, 16))
    picture = tmp_path / "curves.png"
    arguments = [str(tmp_path), str(tmp_path / "none"), "--processes", "1"]
    assert main([*arguments, "--json", "--plot", str(picture)]) == 1
    output = capsys.readouterr()
    assert output.err == f"{tmp_path / 'none'}: no such folder; skipped\n"
    found = json.loads(output.out)
    assert set(found["left_out"]) == set(found["curves"]) == {"one", "two"}
    assert set(found["none_dropped"]) == {"two"}
    assert found["shipped"]["point"] == shipped()._asdict()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(arguments) == 1
    text = capsys.readouterr().out
    assert text.startswith("Best point of the grid: covered ")
    assert "\n\nShipped point: " in text
    assert "\nwithout facts " in text
