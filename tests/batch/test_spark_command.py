"""What a batch job says where it can't run."""

from __future__ import annotations

import sys
import tomllib
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from dedup_middleware.batch import spark
from dedup_middleware.commands.spark import check_output, check_readers, run, source_files
from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings as DedupSettings
from tests.support.commands import call
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


def test_methods_and_settings_that_a_job_can_t_have_are_told(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    arguments = [str(tmp_path / "in"), "--output", str(tmp_path / "out")]
    options = Namespace(paths=[tmp_path / "in"])
    with pytest.raises(DedupError, match="find pages by the cascade, not by minhash"):
        run(options, Settings({"DEDUP_METHOD": "minhash"}))
    with pytest.raises(DedupError, match="'memory' is not of the form NAME=VALUE"):
        call("spark", *arguments, "--conf", "memory")
    assert not (tmp_path / "out" / "verdicts").exists()


@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc", "texts.wet.gz"])
def test_what_reads_archives_is_looked_for_before_spark_starts(tmp_path, monkeypatch, name):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").write_text("<p>A page.")
    (tmp_path / "in" / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)
    monkeypatch.setattr(spark, "session", lambda *_: pytest.fail("Spark was started"))
    told = rf"{name}: web archives are read with fastwarc, the extra `warc`: pip install .*\[warc\]"
    with pytest.raises(DedupError, match=told):
        call("spark", str(tmp_path / "in"), "--output", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_to_be_read_needs_no_reader(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)
    check_readers([tmp_path / "a.html", tmp_path / "b.jsonl.gz", tmp_path / "c.parquet"])


def test_the_extra_of_spark_brings_what_reads_archives():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {*extras["warc"]} <= {*extras["spark"]}


def test_an_output_is_a_new_or_empty_folder(tmp_path, monkeypatch):
    check_output(tmp_path / "out", [tmp_path / "pages"])
    check_output(tmp_path / "out", [tmp_path / "pages"])
    (tmp_path / "out" / "work").mkdir()
    (tmp_path / "pages").mkdir()
    monkeypatch.setattr(spark, "session", lambda *_: pytest.fail("Spark was started"))
    with pytest.raises(DedupError, match="out is not empty: choose another folder"):
        call("spark", str(tmp_path / "pages"), "--output", str(tmp_path / "out"))
    (tmp_path / "file").touch()
    with pytest.raises(DedupError, match=r"Can't write into .*/file: File exists"):
        check_output(tmp_path / "file", [])


@pytest.mark.parametrize("other", [".", "..", "inner", "link"])
def test_an_output_neither_holds_nor_is_in_an_input(tmp_path, other):
    output = tmp_path / "out"
    output.mkdir()
    (output / "link").symlink_to(tmp_path)
    with pytest.raises(DedupError, match="must not hold each other"):
        check_output(output, [tmp_path / "pages", output / other])


def test_a_link_to_a_file_goes_by_its_own_name(tmp_path, monkeypatch):
    (tmp_path / "blob").write_text("<p>Ebb and flow")
    (tmp_path / "page.html").symlink_to("blob")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to("folder")
    paths = [Path("page.html"), Path("linked")]
    assert source_files(paths, DedupSettings()) == [tmp_path / "page.html"]
