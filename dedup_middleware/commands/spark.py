"""`scrapy dedup spark`: judge the pages of archives, feeds and tables on Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.batch import spark
from dedup_middleware.batch.sources import Sources, is_source, plain_suffix
from dedup_middleware.batch.warc import WARCS, WETS, MissingExtra, fastwarc
from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape, warn
from dedup_middleware.verdict import Kind

from . import _arguments

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from dedup_middleware.batch.spark_job import Result

_MOST_PROBLEMS = 20


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_paths(parser)
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


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    try:
        _arguments.check_paths(opts.paths)
    except DedupError as error:
        opts.parser.error(escape(str(error)))
    if chosen.method != "cascade":
        raise DedupError(f"Batch jobs find pages by the cascade, not by {chosen.method}")
    files = source_files(opts.paths, chosen)
    check_readers(files)
    check_output(opts.output, opts.paths)
    session = spark.session(opts.master, _assignments(opts.conf))
    # these import numpy
    from dedup_middleware.batch.spark_job import Job
    from dedup_middleware.inspect.overrides import project_list

    output = opts.output.resolve()
    result = Job(
        session, files, output, chosen, overrides=project_list(), partitions=opts.partitions
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
