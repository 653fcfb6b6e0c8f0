"""The folder of a labelled pool, which is a labelled set, too."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.errors import DedupError
from lab.accuracy.scoring import Judgement, score
from lab.accuracy.sets import batches_of, find_sets, labels_of
from lab.judge import Answer, LabelFolder, Pair
from lab.judge.pool import PooledPair
from tests.support.labelling import answer


def test_a_folder_is_found_again(folder):
    answer(folder, "ann", "s2d")
    again = LabelFolder(folder.path)
    assert again.pool == folder.pool
    assert again.answers.of(folder.pool.pairs[1].pair) == {"ann": Answer.SECOND_IN_FIRST}
    first, second = again.outlines(2)
    assert first.title == second.title == "Page 2 | News"
    assert any(first.boilerplate)


def test_the_benchmark_reads_the_set(folder):
    answer(folder, "ann", "s21dd?")
    assert folder.export() == {"skip": 6, "positive": 3, "negative": 2, "ignore": 1}
    problems: list[str] = []
    (found,) = find_sets([folder.path], problems)
    labels = labels_of(found, problems)
    assert (found.name, found.mode, found.size) == ("judged", "pairs", 12)
    assert [label.gold for label in labels[1::2]] == [
        *("positive", "positive", "positive", "negative", "negative", "ignore")
    ]
    assert {label.gold for label in labels[::2]} == {"skip"}
    assert [sorted(*label.positives.values()) for label in labels[1:6:2]] == [
        ["exact", "near"],
        ["contained"],
        ["contains"],
    ]
    assert len({label.url for label in labels}) == 12
    said = {}
    for number, rows in enumerate(batches_of(found, problems)):
        with Deduplicator(folder.path / "stores" / str(number)) as dedup:
            for row in rows:
                verdict = dedup.process(Page(url=row["url"], html=row["html"]))
                said[row["url"]] = Judgement(str(verdict.kind), verdict.original)
    assert problems == []
    total = score(labels, said)
    assert (total.positives, total.negatives) == (3, 2)
    assert (total.finds, total.wrong_originals, total.alarms) == (3, 0, 1)  # the fourth is alike


def test_a_page_may_be_in_many_pairs(folder):
    pairs = [replace(one, pair=folder.pool.pairs[0].pair) for one in folder.pool.pairs]
    folder.pool = replace(folder.pool, pairs=tuple(pairs))
    folder.export()
    (found,) = find_sets([folder.path], [])
    assert len({label.url for label in labels_of(found, [])}) == 12


def test_a_pool_grows_in_its_folder(folder):
    before = [folder.outlines(place) for place in range(6)]
    new = PooledPair(Pair("https://c.example/", "https://d.example/"), {"cascade": None})
    outlines = dict(zip(new.pair, before[0], strict=True))
    folder.save(replace(folder.pool, pairs=(*folder.pool.pairs, new)), outlines)
    again = LabelFolder(folder.path)
    assert [again.outlines(place) for place in range(7)] == [*before, before[0]]


def test_an_interrupted_start_is_begun_anew(folder):
    (folder.path / "pool.jsonl").unlink()  # it comes last
    assert LabelFolder(folder.path).pool is None


@pytest.mark.parametrize("name", ["pages.jsonl.gz", "labels.jsonl.gz", "meta.json"])
def test_other_sets_are_left_alone(tmp_path, name):
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(DedupError, match=rf"not made by judging \({name}, but no pool.jsonl\)"):
        LabelFolder(tmp_path)


@pytest.mark.parametrize("bad", [b"", b"[]\n", b"{}\n", b'{"v": 1}\n', b'{"v": 1', b"\xff\n"])
def test_a_damaged_pool_is_reported(folder, bad):
    (folder.path / "pool.jsonl").write_bytes(bad)
    with pytest.raises(DedupError, match=r"pool.jsonl is damaged .* copy of .*answers.jsonl"):
        LabelFolder(folder.path)


def test_a_pool_of_another_version_is_reported(folder):
    (folder.path / "pool.jsonl").write_bytes(b'{"v": 2}\n')
    with pytest.raises(DedupError, match="another version"):
        LabelFolder(folder.path)


@pytest.mark.parametrize("kept", [0, 50, None])
def test_damaged_pages_are_reported(folder, kept):
    path = folder.path / "pages.jsonl.gz"
    if kept is None:
        path.write_bytes(gzip.compress(b'{"html": "one"}\n'))
    else:
        path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DedupError, match=r"pages.jsonl.gz is damaged"):
        LabelFolder(folder.path).outlines(0)


def test_a_folder_that_cannot_be_written(folder, tmp_path):
    (tmp_path / "file").write_text("")
    other = LabelFolder(folder.path)
    other.path = tmp_path / "file" / "inner"
    with pytest.raises(DedupError, match="Can't write"):
        other.export()
    assert not list(Path(folder.path).glob(".*"))
