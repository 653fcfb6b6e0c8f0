"""Judge pages on Spark: `scrapy dedup spark` or `python -m dedup_middleware.batch.spark`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import escape, warn
from dedup_middleware.verdict import Kind

from .sources import Sources, is_source, plain_suffix
from .warc import WARCS, WETS, MissingExtra, fastwarc

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from dedup_middleware.settings import Settings

    from .spark_job import Result

OLDEST_JAVA = 17
_JAVA_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_INSTALL = "pip install 'scrapy-dedup[spark]'"
_MOST_PROBLEMS = 20


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        required=True,
        type=Path,
        metavar="DIR",
        help="folder for verdicts, which all machines must see",
    )
    parser.add_argument(
        "--master",
        help="where Spark runs, such as local[4] or spark://host:7077 (default: as Spark is set "
        "up, else all cores of this machine)",
    )
    parser.add_argument(
        "--conf",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.driver.memory=8g; may be repeated",
    )
    parser.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="parts in which pages are sorted and joined (default: by the size of the input, at "
        "most spark.sql.shuffle.partitions)",
    )


def run(options: Namespace, settings: Settings, overrides: Path | None) -> int:
    """Judge the pages of all inputs."""
    if settings.method != "cascade":
        raise DedupError(f"Batch jobs find pages by the cascade, not by {settings.method}")
    files = source_files(options.paths, settings)
    check_readers(files)
    check_output(options.output, options.paths)
    spark = session(options.master, _assignments(options.conf))
    from .spark_job import Job  # imports numpy

    output = options.output.resolve()
    result = Job(
        spark, files, output, settings, overrides=overrides, partitions=options.partitions
    ).run()
    _print_summary(result, output)
    return 0 if result.kinds else 1


def check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Make the folder for verdicts; raise DedupError if anything is there, or if it is an input."""
    place = output.resolve()
    for path in inputs:
        one = path.resolve()
        if place.is_relative_to(one) or one.is_relative_to(place):
            raise DedupError(f"The output {output} and the input {path} must not hold each other")
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_empty = not any(place.iterdir())
    except OSError as error:
        raise DedupError(f"Can't write into {output}: {error.strerror}") from error
    if not is_empty:
        raise DedupError(f"{output} is not empty: choose another folder for the output")


def source_files(paths: Iterable[Path], settings: Settings) -> list[Path]:
    """Return the files of all inputs in order, by paths that hold on all machines."""
    # what a file is goes by its name, so that links are not followed
    inputs = [path.absolute() for path in paths]
    found = Sources(inputs, warn, max_html=settings.max_html)
    return [path for path in found.files() if is_source(path)]


def check_readers(files: Iterable[Path]) -> None:
    """Raise DedupError if what reads one of the files is missing: the job would skip it."""
    for path in files:
        if plain_suffix(path) in (*WARCS, *WETS):
            try:
                fastwarc()
            except MissingExtra as error:
                raise DedupError(f"{path}: {error}") from error


def session(master: str | None, conf: dict[str, str]) -> SparkSession:
    """Start Spark, unless this process has started it before."""
    try:
        import pyarrow as pa  # noqa: F401  # first: what Spark says of it is hard to read
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise DedupError(
            f"Batch jobs need Spark and Arrow, the extra `spark`: {_INSTALL}"
        ) from error
    check_java()
    builder = SparkSession.builder.appName("scrapy-dedup")
    if master:
        builder = builder.master(master)
    if (master or "local").startswith("local"):  # else workers have a Python of their own
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def check_java() -> None:
    """Raise DedupError if there is no Java, or one that is too old for Spark."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    advice = (
        f"install Java {OLDEST_JAVA} or newer (on Debian: apt install "
        f"openjdk-{OLDEST_JAVA}-jre-headless), or let JAVA_HOME name its folder"
    )
    if java is None:
        where = f"JAVA_HOME, {home}" if home else "PATH"
        raise DedupError(f"Spark runs on Java, and there is none in {where}: {advice}")
    asked = [java, "-version"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stderr  # noqa: S603  # the user's own Java
    version = _JAVA_VERSION.search(told)
    if version and int(version[1]) < OLDEST_JAVA:
        raise DedupError(f"Spark can't run on the Java {version[1]} of {java}: {advice}")


def _assignments(given: Iterable[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise DedupError(f"{text!r} is not of the form NAME=VALUE")
        pairs[name.strip()] = value.strip()
    return pairs


def _print_summary(result: Result, output: Path) -> None:
    for problem in result.problems[:_MOST_PROBLEMS]:
        warn(problem)
    rows = [
        ("Pages", f"{result.kinds.total():,}"),
        *((f"  {kind}", f"{result.kinds[kind]:,}") for kind in Kind if result.kinds[kind]),
        ("Dropped", f"{result.dropped:,}"),
        ("Problems", f"{len(result.problems):,}"),
        ("Verdicts", f"{output}/verdicts"),
    ]
    sys.stdout.write("".join(f"{name:<12} {escape(value)}\n" for name, value in rows))


if __name__ == "__main__":
    from scrapy.cmdline import execute

    execute(["scrapy", "dedup", "spark", *sys.argv[1:]])
