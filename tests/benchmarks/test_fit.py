"""Fitting: the simulation says what the deduplicator says, and choices are as defined."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import benchmarks.accuracy.__main__ as accuracy
from benchmarks.accuracy import run
from benchmarks.accuracy.output import summary
from benchmarks.accuracy.scoring import Said, score
from benchmarks.accuracy.sets import find_sets, labels_of
from benchmarks.fit.__main__ import main
from benchmarks.fit.choose import goodness
from benchmarks.fit.measures import KINDS, Measured, _shares, measure
from benchmarks.fit.points import SHAPE, ablations, apart, grid, moved, shipped, smoothed
from benchmarks.fit.simulate import Figures, judged, simulate
from benchmarks.speed import deep
from benchmarks.speed.pages import load
from dedup_middleware import Deduplicator, Page
from dedup_middleware.read import read
from dedup_middleware.similarity import Prepared
from dedup_middleware.similarity.overlap import of_sets
from tests.benchmarks.test_accuracy import label, page, write_set

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


class Author:
    """Writes pages and copies them in ways that a judge must tell apart."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def word(self) -> str:
        return "".join(self.chance.choices(SYLLABLES, k=3))

    def sentence(self) -> str:
        words = [self.word() for _ in range(self.chance.randrange(6, 14))]
        if self.chance.random() < 0.3:
            words.insert(3, str(self.chance.randrange(1000)))
        return " ".join(words).capitalize() + "."

    def article(self, size: int) -> list[str]:
        return [self.sentence() for _ in range(size)]

    def reworded(self, sentences: list[str], share: float) -> list[str]:
        return [
            " ".join(
                self.word() if self.chance.random() < share else word for word in one[:-1].split()
            )
            + "."
            for one in sentences
        ]

    def version(self, old: list[str]) -> list[str]:
        """Change a page in one of many ways."""
        size = len(old)
        cut = self.chance.randrange(size // 5, size)
        return self.chance.choice(
            [
                lambda: list(old),
                lambda: self.reworded(old, self.chance.choice([0.02, 0.05, 0.1])),
                lambda: old[:cut],
                lambda: old + self.article(self.chance.randrange(2, 2 * size)),
                lambda: old[cut:] + old[:cut],
                lambda: old[: size // 2] + self.article(size // 2),
            ]
        )()


def stream(seed: int, count: int) -> tuple[list, list]:
    """Pages, two in three of them versions of earlier ones, and labels made by dice."""
    author = Author(seed)
    texts: list[list[str]] = []
    pages, labels = [], []
    kinds = ["exact", "near", "contained", "contains"]
    for number in range(count):
        earlier = author.chance.randrange(3) and number
        origin = author.chance.randrange(number) if earlier else None
        text = author.article(20) if origin is None else author.version(texts[origin])
        texts.append(text)
        url = f"https://{number}.example/"
        pages.append(page(url, *text))
        others = [f"https://{other}.example/" for other in range(number)]
        chosen = author.chance.sample(others, len(others) // 2)
        positives = {other: author.chance.sample(kinds, 2) for other in chosen}
        gold = author.chance.choice(["positive", "negative", "ignore"])
        labels.append(label(url, gold, positives, others[::3]))
    return pages, labels


def real_verdicts(batches: list[list], folder: Path, **settings: object) -> dict[str, Said]:
    said: dict[str, Said] = {}
    for number, batch in enumerate(batches):
        with Deduplicator(folder / f"store-{number}", **settings) as dedup:
            for row in batch:
                body = row["html"].encode()
                verdict = dedup.process(Page(url=row["url"], html=body, encoding="utf-8"))
                said[row["url"]] = Said(str(verdict.kind), verdict.original)
    return said


def simulated(measured: Measured, **settings: float) -> dict[str, Said]:
    said = {url: Said("unique") for url in measured.urls}
    for number, kind, row in judged(measured, [shipped()._replace(**settings)]):
        if kind[0]:
            original = measured.urls[measured.earlier[row[0]]]
            said[measured.urls[number]] = Said(KINDS[kind[0]], original)
    return said


def measured_set(folder: Path) -> Measured:
    problems: list[str] = []
    found = measure(find_sets([folder], problems)[0], problems, processes=1)
    assert not problems
    return found


@pytest.mark.parametrize(
    ("seed", "settings"), [(1, {}), (2, {"near": 0.6, "contained": 0.7}), (3, {"near": 0.9})]
)
def test_the_simulation_is_the_deduplicator(tmp_path, seed, settings) -> None:
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
    for name in ("finds", "wrong_originals", "alarms", "drops", "kinds", "right_kinds"):
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


def test_the_grid_and_what_is_left_of_a_point() -> None:
    points = grid()
    assert len(points) == len(set(points)) == np.prod(SHAPE)
    assert all(sum(point[:4]) == pytest.approx(1) for point in points)
    assert [point.contained for point in moved(points[0], [0.5, 0.98])] == [
        0.5 + apart(points[0]),
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


def test_a_near_copy_is_of_the_size_that_was_asked_for() -> None:
    author = Author(8)
    outline = read(Page(url="u", html=page("u", *author.article(130))["html"]))
    for size in (60, 200):
        copy = deep.near_copy(outline, size, author.article(200))
        assert len(Prepared(copy).sentences) == size


def test_speed_of_a_deep_comparison(tmp_path) -> None:
    author = Author(9)
    path = tmp_path / "pages.jsonl"
    rows = [page(f"https://{size}.example/", *author.article(size)) for size in (60, 90, 130)]
    path.write_text("\n".join(map(json.dumps, rows)))
    times = deep.measure(load(path, None, []))
    assert [one.sentences for pairs in times.values() for one in pairs] == [(60, 130), (130, 60)]
    assert all(one.parse > 0 and one.compare > 0 for pairs in times.values() for one in pairs)
    assert len(deep.report(times).splitlines()) == 3


def test_accuracy_of_all_variants(tmp_path, monkeypatch, capsys) -> None:
    def run_here(page_set, settings, journal, problems):
        return run.run(page_set, settings, journal)  # a process for each would take its time

    monkeypatch.setattr(accuracy, "_run_apart", run_here)
    write_set(tmp_path / "set", "stream", *stream(1, 12))
    assert accuracy.main([str(tmp_path), "--variants", "--journal", str(tmp_path)]) == 0
    head, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head[:2] == ["set", "sentences"]
    variants = ["fuzzy", "thesis", "fourgrams", "overlap", "off"]
    assert [row[1] for row in rows] == variants
    assert all((tmp_path / f"set-{variant}.jsonl").exists() for variant in variants)
    with pytest.raises(SystemExit):
        accuracy.main([str(tmp_path), "--variants", "--set", 'sentences="off"'])
    assert "--variants goes through all values" in capsys.readouterr().err


def test_pages_that_were_compared_deeply_are_counted() -> None:
    result = run.Result("set", pages=8)
    result.stages.update(sentences=3, lookup=5)
    assert summary([result, result]) == "Compared sentence by sentence: 6 of 16 pages (37.5%)"
