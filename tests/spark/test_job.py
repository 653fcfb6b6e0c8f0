"""Batch jobs on Spark, against judging the same pages one after the other."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dedup_middleware import Action
from dedup_middleware.batch import spark
from dedup_middleware.batch.spark_job import Job
from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.overrides import project_list
from dedup_middleware.judge.overrides import Restoration, append_restoration
from dedup_middleware.settings import Settings
from tests.support.archives import Archive
from tests.support.batch import archive, in_order
from tests.support.commands import call

SETTINGS = Settings.of(min_words=8)
COLUMNS = ["url", "kind", "action", "original", "score", "supersedes"]


@pytest.fixture(scope="module")
def session():
    try:
        spark.check_java()
    except DedupError as error:
        pytest.skip(str(error))
    # little data: what makes much data fast only costs time
    conf = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    started = spark.session("local[2]", conf)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def pages():
    return archive(3, 90)


@pytest.fixture(scope="module")
def files(pages, tmp_path_factory) -> list[Path]:
    """Write pages into files of three kinds, in order."""
    folder = tmp_path_factory.mktemp("pages")
    feed, table, archived = (folder / name for name in ("1.jsonl.gz", "2.parquet", "3.warc.gz"))
    rows = [{"url": one.url, "html": one.html} for one in pages]
    feed.write_bytes(gzip.compress("\n".join(map(json.dumps, rows[:30])).encode()))
    pq.write_table(pa.Table.from_pylist(rows[30:60]), table)
    made = Archive(compressed=True)
    for row in rows[60:]:
        made.add(row["url"], row["html"].encode(), Content_Type="text/html; charset=utf-8")
    archived.write_bytes(made.data)
    return [feed, table, archived]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_verdicts_are_those_of_one_page_after_the_other(
    session, files, pages, tmp_path, partitions
):
    told: list[str] = []
    job = Job(session, files, tmp_path, SETTINGS, partitions=partitions, tell=told.append)
    result = job.run()
    assert [path.name for path in tmp_path.iterdir()] == ["verdicts"]
    assert told[0] == "read: read and fingerprint pages"
    rows = pq.read_table(tmp_path / "verdicts").select(COLUMNS).to_pylist()
    expected = in_order(pages, SETTINGS)
    assert [tuple(row.values()) for row in rows] == [
        (page.url, str(one.kind), str(one.action), one.original, one.score, one.evidence.supersedes)
        for page, one in zip(pages, expected, strict=True)
    ]
    assert result.kinds == Counter(str(one.kind) for one in expected)
    assert len(result.kinds) > 4
    assert not result.problems


def test_the_command_judges_folders_and_says_what_it_found(
    session, files, pages, tmp_path, capsys, monkeypatch
):
    dropped, original = next(
        (page.url, one.original)
        for page, one in zip(pages, in_order(pages, Settings()), strict=True)
        if one.action is Action.DROP and one.original != page.url
    )
    monkeypatch.chdir(tmp_path)  # workers have been started elsewhere
    restored = project_list()
    restored.parent.mkdir(parents=True)
    append_restoration(restored, Restoration(dropped, original))
    arguments = [str(files[0].parent), "--output", "out", "--partitions", "2"]
    assert call("spark", *arguments) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Pages        90\n")
    assert "read: read and fingerprint pages" in told.err
    assert not (tmp_path / "out" / "work").exists()
    rows = pq.read_table(tmp_path / "out" / "verdicts").to_pylist()
    expected = in_order(pages, Settings(), restored)
    assert [row["action"] for row in rows] == [str(one.action) for one in expected]
