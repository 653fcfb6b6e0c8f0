"""The command `scrapy dedup`; each sub-command is a module of this package."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter

from dedup_middleware.errors import DedupError, SettingError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from types import ModuleType

SUBCOMMANDS = (
    *("scan", "drops", "decisions", "show", "clusters", "stats", "runs", "store", "forget"),
    *("compare", "report", "serve", "restore", "judge", "train", "synthesize", "doctor"),
)
INTERRUPTED, BROKEN_PIPE = 130, 141  # as shells report a process that a signal ended


class _HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which prints a line of wrapped help that ends with a colon as a heading."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        lines = super()._split_lines(text, width)
        return [f"{line} " if line.endswith(":") else line for line in lines]


class Command(ScrapyCommand):
    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return f"<{'|'.join(SUBCOMMANDS)}> [options] …"

    def short_desc(self) -> str:
        return "Find duplicate pages in files, list dropped pages, explain and compare them"

    def long_desc(self) -> str:
        return f'{self.short_desc()}. See "scrapy dedup <sub-command> -h" for details.'

    def add_options(self, parser: ArgumentParser) -> None:
        choices = parser.add_subparsers(
            title="sub-commands",
            prog="scrapy dedup",
            metavar="sub-command",
            dest="subcommand",
            required=True,
        )
        for name in SUBCOMMANDS:
            module = _module(name)
            summary = (module.__doc__ or "").partition(":")[2].strip()
            summary = summary[:1].upper() + summary[1:]
            subparser = choices.add_parser(
                name,
                help=summary,
                description=summary,
                formatter_class=_HelpFormatter,
                conflict_handler="resolve",
            )
            module.add_arguments(subparser)
            super().add_options(subparser)
            subparser.set_defaults(parser=subparser)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        if args:  # Scrapy leaves unknown arguments to the command
            opts.parser.error(
                f"unrecognized arguments: {' '.join(args)} "
                f"(options come after the sub-command: scrapy dedup {opts.subcommand} …)"
            )
        super().process_options(args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:  # noqa: ARG002  # as in Scrapy
        from scrapy.utils.log import configure_logging  # imports Twisted

        assert self.settings is not None  # noqa: S101  # set by Scrapy
        configure_logging(self.settings)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # its encoding may lack characters
                stream.reconfigure(errors="backslashreplace")
        try:
            from ._mirror import mirrored

            with mirrored(opts):
                self.exitcode = _module(opts.subcommand).run(opts, self.settings)
            sys.stdout.flush()
        except SettingError as error:
            opts.parser.error(str(error))
        except DedupError as error:
            from dedup_middleware.text import complain

            complain(str(error))
            self.exitcode = 1
        except KeyboardInterrupt:
            self.exitcode = INTERRUPTED
        except BrokenPipeError:  # as `head` does when it has read enough
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in (sys.stdout, sys.stderr):  # the interpreter flushes once more at exit
                os.dup2(nowhere, stream.fileno())
            self.exitcode = BROKEN_PIPE


def _module(name: str) -> ModuleType:
    """Import a sub-command only when needed: every call of `scrapy` loads this package."""
    return import_module(f"{__name__}.{name}")
