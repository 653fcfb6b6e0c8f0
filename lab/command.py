"""What the commands of the laboratory share: settings of the project, errors, exit codes."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING

from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.project import get_project_settings

from dedup_middleware.commands import execute

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


def main(module: ModuleType, arguments: Sequence[str] | None = None) -> int:
    """Run the command that a module is; settings are those of the Scrapy project around it."""
    parser = make_parser(module)
    opts = parser.parse_args(arguments)
    settings = get_project_settings()
    settings.set("LOG_ENABLED", value=False, priority="command")
    try:
        settings.setdict(arglist_to_dict(opts.set), priority="cmdline")
    except ValueError:
        parser.error("-s takes NAME=VALUE")
    return execute(module.run, opts, settings)


def make_parser(module: ModuleType) -> ArgumentParser:
    """Return the parser of a command, with the option `-s` of `scrapy`."""
    usage, _, summary = (module.__doc__ or "").partition(": ")
    parser = ArgumentParser(usage.strip("`"), description=summary[:1].upper() + summary[1:])
    module.add_arguments(parser)
    parser.add_argument(
        "-s",
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a setting; may be repeated",
    )
    parser.set_defaults(parser=parser)
    return parser
