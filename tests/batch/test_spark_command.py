"""What a batch job says where it can't run."""

from __future__ import annotations

import sys
import tomllib

import pytest

from dedup_middleware.batch import spark
from dedup_middleware.errors import DedupError
from tests.support.documentation import ROOT


def _java(folder, version: str) -> None:
    script = folder / "java"
    script.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2020-01-01' >&2\n")
    script.chmod(0o755)


def test_a_missing_java_is_told_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(DedupError, match=r"PATH: install Java 17 .*openjdk-17-jre-headless"):
        spark.check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(DedupError, match=f"none in JAVA_HOME, {tmp_path}/jdk: install Java 17"):
        spark.check_java()


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_292"])
def test_an_old_java_is_told(tmp_path, monkeypatch, version):
    _java(tmp_path, version)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(DedupError, match=r"can't run on the Java (11|8) of .*: install Java 17"):
        spark.check_java()


def test_settings_and_methods_that_a_job_can_t_have_are_told(tmp_path, capsys):
    arguments = [str(tmp_path), "--output", str(tmp_path / "out")]
    for setting, told in (
        ("MIN_WORDS=8", "MIN_WORDS is no setting: their names begin with DEDUP_"),
        ("DEDUP_MIN_WORDS", "'DEDUP_MIN_WORDS' is not of the form NAME=VALUE"),
        ("DEDUP_METHOD=minhash", "Batch jobs find pages by the cascade, not by minhash"),
    ):
        with pytest.raises(SystemExit):
            spark.main([*arguments, "-s", setting])
        assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc", "texts.wet.gz"])
def test_what_reads_archives_is_looked_for_before_spark_starts(tmp_path, monkeypatch, capsys, name):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").write_text("<p>A page.")
    (tmp_path / "in" / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "warcio.archiveiterator", None)
    monkeypatch.setattr(spark, "session", lambda *_: pytest.fail("Spark was started"))
    with pytest.raises(SystemExit):
        spark.main([str(tmp_path / "in"), "--output", str(tmp_path / "out")])
    *_, told = capsys.readouterr().err.splitlines()
    assert told.endswith(
        f"{name}: web archives are read with warcio, the extra `warc`: "
        "pip install 'scrapy-dedup[warc]'"
    )
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_to_be_read_needs_no_reader(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "warcio.archiveiterator", None)
    spark.check_readers([tmp_path / "a.html", tmp_path / "b.jsonl.gz", tmp_path / "c.parquet"])


def test_the_extra_of_spark_brings_what_reads_archives():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {*extras["warc"]} <= {*extras["spark"]}
