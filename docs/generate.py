"""The pages of the reference that come from the code: run `python docs/generate.py`."""

# ruff: noqa: SLF001  (argparse has no other way to ask for what it prints)

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

import dedup_middleware
from dedup_middleware import methods
from dedup_middleware.commands import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REFERENCE = Path(__file__).parent / "reference"
WIDTH = 100
COMPONENTS = "Parts of the add-on"  # Scrapy makes them, so that nobody calls them
GROUPS = {
    "Judge pages": "Deduplicator Page Verdict Kind Action Evidence Scores Lost",
    "Text of pages": "main_text MainText Section",
    "Compare two pages": "compare PageComparison sentence_similarity",
    COMPONENTS: "Addon DedupSpiderMiddleware DedupPipeline DedupDownloaderMiddleware "
    "SkippedRequest DedupLogStats",
}
METHODS = "Method IndexedMethod Match Document make_method method_names"


def pages() -> dict[str, str]:
    """Return the text of each page, by the name of its file."""
    return {"api.md": "\n".join(_api()), "commands.md": "\n".join(_commands())}


def _commands() -> Iterator[str]:
    yield "# Commands\n"
    yield _wrapped(
        "All are sub-commands of `scrapy dedup`, inside and outside of a project; options come "
        "after the name of the sub-command. [Inspect decisions](../usage/inspect.md) shows them at "
        "work. This page is generated from what `scrapy dedup NAME --help` prints.\n"
    )
    parser = argparse.ArgumentParser()
    _command().add_options(parser)
    for name, sub in _subparsers(parser):
        yield f"## {name}\n"
        yield from _command_entry(name, sub)
    yield "## Options of all commands\n"
    yield _wrapped(
        "`-s NAME=VALUE` sets a setting, and may be repeated; `--help` lists the others, which "
        "are Scrapy's.\n"
    )


def _command() -> Command:
    command = Command()
    command.settings = Settings()
    return command


def _command_entry(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield _wrapped(f"{parser.description or ''}".rstrip(".") + ".\n")
    yield f"`{_usage(name, parser)}`\n"
    yield from _options(parser)
    for below, sub in _subparsers(parser):
        yield f"### {name} {below}\n"
        yield from _command_entry(f"{name} {below}", sub)


def _subparsers(parser: argparse.ArgumentParser) -> list[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return list(action.choices.items())
    return []


def _usage(name: str, parser: argparse.ArgumentParser) -> str:
    words = ["scrapy dedup", name]
    for action in parser._get_positional_actions():
        shown = _named(action)
        many = {"*": f"[{shown} …]", "+": f"{shown} …", "?": f"[{shown}]"}
        words.append(many.get(str(action.nargs), shown))
    return " ".join([*words, "[options]"])


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """List arguments and options with their help, but for those of all commands."""
    scrapys = argparse.ArgumentParser()
    ScrapyCommand.add_options(_command(), scrapys)
    known = set(scrapys._option_string_actions)
    formatter, lines = parser._get_formatter(), []
    for action in parser._actions:
        if action.help in {None, argparse.SUPPRESS} or known & set(action.option_strings):
            continue
        if isinstance(action, argparse._SubParsersAction):
            continue
        names = [", ".join(action.option_strings)] if action.option_strings else []
        if not names or action.nargs != 0:
            names.append(_named(action))
        text = formatter._expand_help(action)
        lines.append(_wrapped(f"- `{' '.join(names)}`: {text}", "  "))
    if lines:
        yield "\n".join(lines) + "\n"


def _named(action: argparse.Action) -> str:
    """Return what stands for the value of an option."""
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    return action.metavar or action.dest.upper()


def _api() -> Iterator[str]:
    yield "# Python\n"
    yield _wrapped(
        "Public are the names that `dedup_middleware` and `dedup_middleware.methods` export; "
        "everything else may change. Exceptions have [a page of their own](exceptions.md), and "
        "so have [signals](signals.md). This page is generated from the docstrings.\n"
    )
    for title, names in GROUPS.items():
        yield f"## {title}\n"
        for name in names.split():
            yield from _entry(name, getattr(dedup_middleware, name))
    yield "## Methods\n"
    yield "In `dedup_middleware.methods`: [write a method](../usage/write-a-method.md).\n"
    for name in METHODS.split():
        yield from _entry(name, getattr(methods, name))


def _entry(name: str, value: object) -> Iterator[str]:
    yield f"### {name}\n"
    if isinstance(value, type) and issubclass(value, Enum):
        yield ", ".join(f"`{one.name}`" for one in value) + "\n"
    elif callable(value) and name not in GROUPS[COMPONENTS]:
        word = "class" if isinstance(value, type) else "def"
        yield f"```pyi\n{word} {_signature(name, value)}\n```\n"
    yield from _docstring(value)
    if isinstance(value, type):
        members = [line for one in _members(value) for line in _member(*one)]
        if members:
            yield "\n".join(members) + "\n"


def _members(value: type) -> Iterator[tuple[str, object]]:
    """Yield what a class defines, and those of ours that it is made of and nobody else names."""
    named = {*METHODS.split(), *" ".join(GROUPS.values()).split()} - {value.__name__}
    for one in value.__mro__:
        if one.__module__.startswith("dedup_middleware.") and one.__name__ not in named:
            yield from vars(one).items()


def _member(name: str, value: object) -> Iterator[str]:
    """Describe a documented method or property in one item of a list."""
    text = inspect.getdoc(value) or ""
    if name.startswith("_") or not text:
        return
    text = text.partition("\n>>>")[0]
    function = getattr(value, "__func__", value)
    if isinstance(value, (property, cached_property)):
        shown = f"`{name}`"
    elif inspect.isfunction(function):
        shown = f"`{_signature(name, function, wrap=False)}`"
    else:
        return
    yield _wrapped(f"- {shown}: {' '.join(text.split())}", "  ")


def _signature(name: str, value: Callable[..., object], *, wrap: bool = True) -> str:
    signature = inspect.signature(value)
    parts: list[str] = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if one.name not in {"self", "cls"}:
            parts.append(_plain(str(one)))
    result = signature.return_annotation
    is_named = isinstance(result, str) and result != "None" and not isinstance(value, type)
    end = f" -> {result}" if is_named else ""
    short = f"{name}({', '.join(parts)}){end}"
    if not wrap or len(short) < WIDTH - 12:
        return short
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


def _plain(parameter: str) -> str:
    """Return a parameter as it is written in the code, not as `inspect` prints it."""
    for printed, written in (
        (r"ForwardRef\('([^']*)'\)", r"\1"),
        (r": '([^']*)'", r": \1"),
        (r"<(\w+\.\w+): [^>]*>", r"\1"),
        (r"<factory>", "..."),
        (r"(\w+)\(\w+=None(?:, \w+=None)*\)", r"\1()"),
    ):
        parameter = re.sub(printed, written, parameter)
    return parameter


def _docstring(value: object) -> Iterator[str]:
    for part in (inspect.getdoc(value) or "").split("\n\n"):
        if part.startswith(">>>"):
            yield f"```pycon\n{part}\n```\n"
        elif part:
            yield _wrapped(" ".join(part.split())) + "\n"


def _wrapped(text: str, indent: str = "") -> str:
    end = "\n" if text.endswith("\n") else ""
    lines = textwrap.wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines) + end


if __name__ == "__main__":
    for file, content in pages().items():
        (REFERENCE / file).write_text(content, encoding="utf-8")
