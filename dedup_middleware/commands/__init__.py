"""The command `scrapy dedup`; each sub-command is a module of this package."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from argparse import SUPPRESS, ArgumentError
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter

from dedup_middleware.errors import DedupError, SettingError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable
    from types import ModuleType

    from scrapy.settings import BaseSettings, Settings

TASKS = {
    "See what a crawl did": {
        "drops": "drops --sort doubt --limit 20",
        "stats": "stats --all-runs",
        "runs": "runs",
        "sites": "sites --host example.org",
    },
    "Look into a decision": {
        "show": "show /tides/edited",
        "compare": "compare /tides/edited",
        "report": "report --output report.html",
        "serve": "serve --port 8000",
    },
    "Correct it": {
        "restore": "restore /tides/edited",
        "forget": "forget --host example.org",
    },
    "Without a crawl": {
        "scan": "scan pages/ archive.warc.gz",
        "spark": "spark archives/ --output judged",
        "doctor": "doctor",
        "store": "store verify",
    },
}
"""Sub-commands by what they are for, each with an example."""
EXAMPLES = {name: example for task in TASKS.values() for name, example in task.items()}
SUBCOMMANDS = tuple(EXAMPLES)
REPLACED = {
    "decisions": "it is `scrapy dedup drops --action all` now",
    "clusters": "it is `scrapy dedup drops --by original` now",
    **{
        name: f"it is `python -m lab.{name}` now, in a clone of the project"
        for name in ("judge", "synthesize", "train")
    },
}
"""Names of earlier sub-commands, each with what replaces it."""
INTERRUPTED, BROKEN_PIPE = 130, 141  # as shells report a process that a signal ended


class _HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's formatter; that takes each line that ends with a colon for a heading."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        lines = super()._split_lines(text, width)
        return [f"{line} " if line.endswith(":") else line for line in lines]


class Command(ScrapyCommand):
    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "<sub-command> [options] …"

    def short_desc(self) -> str:
        return "Find duplicate pages in files, list dropped pages, explain and compare them"

    def long_desc(self) -> str:
        return f"{self.short_desc()}."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.formatter_class = _HelpFormatter
        parser.epilog = _tasks()
        parser.set_defaults(parser=parser)
        choices = parser.add_subparsers(
            prog="scrapy dedup",
            metavar="sub-command",
            dest="subcommand",
            help=SUPPRESS,
        )
        for name in SUBCOMMANDS:
            module = _module(name)
            subparser = choices.add_parser(
                name,
                description=_summary(module),
                epilog=f"Example\n=======\n  scrapy dedup {EXAMPLES[name]}",
                formatter_class=_HelpFormatter,
                conflict_handler="resolve",
            )
            module.add_arguments(subparser)
            super().add_options(subparser)
            subparser.set_defaults(parser=subparser)
        choices.choices = _Choices(choices.choices)

    def process_options(self, args: list[str], opts: Namespace) -> None:
        if args:  # Scrapy leaves unknown arguments to the command
            opts.parser.error(
                f"unrecognized arguments: {' '.join(args)} (options come after the sub-command: "
                f"scrapy dedup {opts.subcommand or '<sub-command>'} …)"
            )
        if opts.subcommand is None:
            opts.parser.print_help()
            opts.parser.exit()
        super().process_options(args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:  # noqa: ARG002  # as in Scrapy
        assert self.settings is not None  # noqa: S101  # set by Scrapy
        self.exitcode = execute(_module(opts.subcommand).run, opts, self.settings)


def execute(
    run: Callable[[Namespace, BaseSettings], int], opts: Namespace, settings: Settings
) -> int:
    """Run a command; return its exit code, after a message if it failed."""
    from scrapy.utils.log import configure_logging  # imports Twisted

    configure_logging(settings)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # its encoding may lack characters
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(opts, settings)
        sys.stdout.flush()
    except SettingError as error:
        opts.parser.error(str(error))
    except DedupError as error:
        from dedup_middleware.text import warn

        warn(*map(str, error.args))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # as `head` does when it has read enough
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):  # the interpreter flushes once more at exit
            os.dup2(nowhere, stream.fileno())
        return BROKEN_PIPE
    return code


class _Choices(dict[str, Any]):
    """Sub-commands by name; for any other name an error says what may be meant, in one line."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        if name in REPLACED:
            raise ArgumentError(None, f"there is no sub-command {name}: {REPLACED[str(name)]}")
        from difflib import get_close_matches  # seldom needed

        close = get_close_matches(str(name), self, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(self)}"
        raise ArgumentError(None, f"there is no sub-command {name}; {hint}")


def _module(name: str) -> ModuleType:
    """Import a sub-command only when needed: every call of `scrapy` loads this package."""
    return import_module(f"{__name__}.{name}")


def _summary(module: ModuleType) -> str:
    """Return what a sub-command does, as its module says it."""
    summary = (module.__doc__ or "").partition(":")[2].strip()
    return summary[:1].upper() + summary[1:]


def _tasks() -> str:
    """List all sub-commands by what they are for."""
    margin = max(map(len, SUBCOMMANDS)) + len("    ")
    room = max(40, shutil.get_terminal_size().columns - 2 - margin)
    lines = []
    for task, examples in TASKS.items():
        lines += [task, "=" * len(task)]
        for name, example in examples.items():
            said = textwrap.wrap(_summary(_module(name)), room)
            rest = [" " * margin + line for line in (*said[1:], f"$ scrapy dedup {example}")]
            lines += [f"  {name:<{margin - 2}}{said[0]}", *rest]
        lines.append("")
    return "\n".join([*lines, "See `scrapy dedup <sub-command> -h` for all options."])
