"""Tasks: results that are kept, tasks and pages that fail, thresholds that are chosen."""

from __future__ import annotations

import gzip
from pathlib import Path

from lab.accuracy.methods import LOOSEST, OWN, PEER, Entry, find
from lab.accuracy.passes import MAIN, Pages, Watch, pass_over
from lab.accuracy.results import best, best_for_all, read_measured, write_measured
from lab.accuracy.tasks import Task, Work, run_all
from lab.measure import peak_memory
from lab.provenance import content_digest
from tests.support.labelled import ANIMAL_PAGE, A, page, write_set
from tests.support.measured import OwnRules, made, task


def test_methods_are_found_by_name() -> None:
    problems: list[str] = []
    found = find("shingles, shingles-containment,no", "", problems)
    assert [entry.key for entry in found] == ["methods/shingles", "methods/shingles-containment"]
    assert len(problems) == 1
    assert problems[0].startswith("there is no method 'no'; choose from cascade, characters,")
    assert [entry.key for entry in find("", "", problems)] == []
    for name in LOOSEST:
        entry = Entry(OWN, name)
        assert type(entry.make_loosest()) is type(entry.make())


def test_results_are_kept_until_the_data_change_or_they_are_measured_again(
    small: Path, tmp_path: Path
) -> None:
    one = task(small, "shingles")
    problems: list[str] = []
    (first,) = run_all([one], Work(tmp_path), problems)
    path = Work(tmp_path).path(one)
    marked = read_measured(path)
    assert marked is not None
    marked.ms = 1234.5
    write_measured(marked, path)
    assert run_all([one], Work(tmp_path), problems)[0].ms == 1234.5
    other = Task(one.entry, one.page_set, MAIN, "other data", "code")
    assert Work(tmp_path).kept(other) is None
    assert Work(tmp_path, again=("all",)).kept(one) is None
    assert Work(tmp_path, again=("dsc",)).kept(one) is not None
    (second,) = run_all([one], Work(tmp_path, again=("shingles",)), problems)
    assert second.ms != 1234.5
    assert second.figures.finds.tolist() == first.figures.finds.tolist()
    path.write_text('{"version": 1, "figures": 7}')
    assert read_measured(path) is None
    assert problems == []


def test_tasks_that_fail_are_reported_and_the_rest_goes_on(small: Path, tmp_path: Path) -> None:
    problems: list[str] = []
    broken, sound = task(small, "nonsense"), task(small, "textprofile", PEER)
    results = run_all([broken, sound], Work(tmp_path, jobs=2), problems)
    assert [one.method for one in results] == ["peers/textprofile"]
    assert len(problems) == 1
    assert problems[0].startswith("nonsense on small (main text): SettingError: There is no method")
    assert run_all([task(small, "dsc")], Work(tmp_path, patience=0.01), problems) == []
    assert problems[1] == "dsc on small (main text): not finished after 0.01 s; stopped"


def test_pages_pass_if_the_method_fails(tmp_path: Path) -> None:
    long = " ".join(f"broken number {number}" for number in range(20))
    rows = [page(f"https://{n}.example/", f"{long} {n}") for n in range(5)]
    folder = write_set(tmp_path / "broken", "stream", [*rows, page(A, ANIMAL_PAGE)], [])
    problems: list[str] = []
    pages = Pages(task(folder, "x").page_set, MAIN, problems)
    passed = pass_over(pages, OwnRules, Watch("own on broken", problems))
    assert len(passed.pages.urls) == 6
    assert problems[0] == (
        "own on broken: https://0.example/: RuntimeError: no such luck; counted as unique"
    )
    assert problems[3:] == ["own on broken: 2 more pages failed; counted as unique"]


def test_memory_and_digests(tmp_path: Path) -> None:
    assert peak_memory() > 10_000_000
    (tmp_path / "a.jsonl").write_bytes(b"one line\n")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"one line\n"))
    plain, packed = (content_digest([tmp_path / name]) for name in ("a.jsonl", "a.jsonl.gz"))
    assert plain == packed != content_digest([])
    broken = tmp_path / "b.jsonl.gz"
    broken.write_bytes(b"\x1f\x8b nonsense")
    assert content_digest([broken]) != plain


def test_the_best_threshold_is_within_the_limit() -> None:
    one = made(finds=[10, 8, 8], drops=[3, 1, 1], alarms=[3, 1, 1])
    found = best(one, 0.01)
    assert found is not None
    assert (found.threshold, found.score.finds, found.score.drops) == (0.8, 8, 1)  # the strictest
    loose = best(one, 0.02)
    assert loose is not None
    assert loose.threshold == 0.2
    assert best(made(finds=[9, 9, 9], drops=[3, 3, 3]), 0.01) is None


def test_one_threshold_for_all_sets_is_within_the_limit_of_each() -> None:
    first = made("a", finds=[10, 9, 2])
    second = made("b", finds=[9, 6, 5], drops=[3, 2, 0], alarms=[3, 2, 0])
    chosen = best_for_all([first, second], 0.01)
    assert chosen is not None
    assert {name: (one.threshold, one.score.finds) for name, one in chosen.items()} == {
        "a": (0.5, 9),
        "b": (0.5, 6),
    }
    assert best_for_all([first, made("b", drops=[3, 3, 3])], 0.01) is None
