"""`scrapy dedup drops`: list dropped pages, with their originals and the reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import _arguments, decisions

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings


def add_arguments(parser: ArgumentParser) -> None:
    _arguments.add_filters(parser, actions=False)
    decisions.add_order(parser)


def run(opts: Namespace, _settings: BaseSettings) -> int:
    wanted = replace(_arguments.filter_of(opts), actions=_arguments.DROPPED.actions)
    return decisions.show(opts, wanted)
