"""`scrapy dedup spark`: judge the pages of archives, feeds and tables on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.batch import spark
from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import escape

from . import _arguments

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_paths(parser)
    spark.add_arguments(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    try:
        _arguments.check_paths(opts.paths)
    except DedupError as error:
        opts.parser.error(escape(str(error)))
    from dedup_middleware.inspect.overrides import project_list  # imports numpy

    return spark.run(opts, chosen, project_list())
