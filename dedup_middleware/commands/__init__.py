"""`scrapy dedup …`: judge pages without a crawl, and ask what was decided and why."""

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

# each a module beside this one
SUBCOMMANDS = (
    *("scan", "drops", "show", "clusters", "stats", "runs", "store"),
    *("compare", "report", "serve", "restore", "judge", "train", "synthesize"),
)
INTERRUPTED, BROKEN_PIPE = 130, 141  # as a shell reports a process that a signal has ended


class Command(ScrapyCommand):
    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return f"<{'|'.join(SUBCOMMANDS)}> [options] …"

    def short_desc(self) -> str:
        return "Judge pages against known ones, list what was dropped, show why, compare two pages"

    def long_desc(self) -> str:
        return f'{self.short_desc()}. Use "scrapy dedup <sub-command> -h" for more.'

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
                formatter_class=ScrapyHelpFormatter,
                conflict_handler="resolve",
            )
            module.add_arguments(subparser)
            super().add_options(subparser)
            subparser.set_defaults(parser=subparser)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        if args:  # Scrapy leaves it to the command to refuse what nobody knows
            opts.parser.error(
                f"unrecognized arguments: {' '.join(args)} "
                f"(options stand after the sub-command: scrapy dedup {opts.subcommand} …)"
            )
        super().process_options(args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:  # noqa: ARG002  # as in Scrapy
        from scrapy.utils.log import configure_logging  # brings Twisted with it

        assert self.settings is not None  # noqa: S101  # set by Scrapy
        configure_logging(self.settings)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal may not know every character
                stream.reconfigure(errors="backslashreplace")
        try:
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
        except BrokenPipeError:  # whoever read this has seen enough
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in (sys.stdout, sys.stderr):  # the interpreter flushes once more at exit
                os.dup2(nowhere, stream.fileno())
            self.exitcode = BROKEN_PIPE


def _module(name: str) -> ModuleType:
    """Import what is needed now: `scrapy` loads this package on every call of any command."""
    return import_module(f"{__name__}.{name}")
