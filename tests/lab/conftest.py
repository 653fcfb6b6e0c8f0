from __future__ import annotations

from pathlib import Path

import pytest

from dedup_middleware import Page
from dedup_middleware.read import read
from lab.judge import LabelFolder, Pair, Pool
from lab.judge.pool import PooledPair, count_alike
from tests.support.judging import Judge, make_crawled
from tests.support.labelled import small_set
from tests.support.texts import article, html


@pytest.fixture
def folder(tmp_path) -> LabelFolder:
    """A folder with six pairs of a page and another: edited, contained, or something else."""
    made, outlines = [], {}
    for number in range(6):
        parts = article(40 + number, 200)
        other = [*parts, "And one sentence more."] if number < 4 else article(70 + number)
        pair = Pair(f"https://a.example/{number}", f"https://b.example/{number}?q=1")
        for url, text in zip(pair, (parts, other), strict=True):
            outlines[url] = read(Page(url=url, html=html(text, f"Page {number}", "news")))
        said = {"cascade": "near" if number < 4 else None, "shingles": "near" if number else None}
        made.append(PooledPair(pair, said))
    found = LabelFolder(tmp_path / "judged")
    assert found.pool is None
    found.save(pool_of(made, ("cascade", "shingles")), outlines)
    return found


def pool_of(nominated: list[PooledPair], methods: tuple[str, ...], **changes) -> Pool:
    values = {
        "pairs": tuple(nominated),
        "methods": methods,
        "seed": 1,
        "store": None,
        "paths": ("pages",),
        "pages": 30,
        "digest": "d",
        "left_out": {"too short or cut": 1},
        "strata": {"disputed": 1},
        "called": count_alike(nominated, methods),
        "made": "2026-01-01T00:00:00+00:00",
    }
    return Pool(**{**values, **changes})


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> Path:
    """A folder with pages to judge, in a feed and in a store."""
    return make_crawled(tmp_path_factory.mktemp("crawled"))


@pytest.fixture
def judge(monkeypatch, capsys, crawled) -> Judge:
    return Judge(monkeypatch, capsys, crawled)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return small_set(tmp_path)
