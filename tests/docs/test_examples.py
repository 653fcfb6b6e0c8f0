"""The examples of the documentation: Python runs, commands take the options shown."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from scrapy import settings as scrapy_settings
from scrapy.settings import default_settings

from dedup_middleware.commands import Command
from dedup_middleware.settings import PREFIX, Settings
from lab.command import make_parser
from tests.support import commands
from tests.support.documentation import BLOCKS, PYTHON

CONSOLE = [
    pytest.param(line, id=f"{block.name}: {line}")
    for block in BLOCKS
    if block.language == "console"
    for line in block.text.splitlines()
]

KNOWN = {
    *(("apt", "install"), ("pip", "install"), ("rm", "-r"), ("cp", "-r")),
    *(("redis-server", "--bind"), ("python", "-m")),
}
LAB = {f"lab.{name}": make_parser(import_module(path)) for name, path in commands.LAB.items()}


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType(block.name)
    monkeypatch.setitem(sys.modules, block.name, module)  # dataclasses look there
    names = vars(module)
    exec(compile(block.text, f"{block.page}.md", "exec"), names)
    if block.is_settings:
        given = {name: value for name, value in names.items() if name.isupper()}
        known = {name for name in given if not name.startswith(PREFIX)} - {"KINDS"}
        assert known <= set(vars(default_settings))
        Settings.from_scrapy(given)


@pytest.mark.parametrize("line", CONSOLE)
def test_commands_exist(line):
    command, *words = shlex.split(line)
    if words[:1] == ["-m"] and words[1] in LAB:
        LAB[words[1]].parse_args(words[2:])
        return
    if command != "scrapy":
        assert (command, *words[:1]) in KNOWN
        return
    name, *arguments = words[: words.index(">")] if ">" in words else words
    if name == "dedup":
        made: Any = Command()
    else:
        made = import_module(f"scrapy.commands.{name}").Command()
    parser = ArgumentParser(conflict_handler="resolve")
    made.settings = scrapy_settings.Settings()
    made.add_options(parser)
    options, left = parser.parse_known_args(arguments)
    assert [word for word in left if word.startswith("-")] == []
    given = dict(option.split("=", 1) for option in options.set)
    assert {name for name in given if not name.startswith(PREFIX)} <= {"JOBDIR"}
    Settings.from_scrapy(given)
