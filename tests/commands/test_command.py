"""The command `scrapy dedup` itself: what it imports, its help."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from itertools import pairwise

import pytest
from scrapy.settings import Settings

from dedup_middleware.commands import EXAMPLES, REPLACED, SUBCOMMANDS, TASKS, Command
from tests.support.two_runs import FIRST, NEAR


def test_loading_the_command_imports_nothing_heavy():
    heavy = ["numpy", "lmdb", "bs4", "nltk", "simhash", "mmh3", "zstandard"]
    heavy += ["PIL", "rich", "fastwarc"]
    code = f"import sys, dedup_middleware.commands; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_the_help_of_sub_commands_imports_nothing_heavy():
    code = (
        "import sys; from importlib import import_module\n"
        f"for name in {SUBCOMMANDS}: import_module(f'dedup_middleware.commands.{{name}}')\n"
        "print([name for name in ('numpy', 'lmdb', 'nltk', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_text_imports_rich_only_for_wide_characters():
    code = (
        "import sys; from dedup_middleware.text import truncate; truncate('a' * 99, 9);"
        "print('rich' in sys.modules); truncate('漢' * 99, 9); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().split() == ["False", "True"]


def test_examples_in_the_help_are_valid_commands(capsys):
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    shown = parser.format_help()
    for name, example in EXAMPLES.items():
        assert parser.parse_args(shlex.split(example)).subcommand == name
        assert f"$ scrapy dedup {example}\n" in shown
    for task in TASKS:
        assert f"{task}\n{'=' * len(task)}\n" in shown


@pytest.mark.parametrize("columns", ["60", "79", "80", "81", "100"])
def test_each_sub_command_has_help_with_no_heading_in_its_middle(monkeypatch, columns, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    for name in SUBCOMMANDS:
        with pytest.raises(SystemExit, match="0"):
            parser.parse_args([name, "--help"])
        lines = capsys.readouterr().out.splitlines()
        headings = [line for line, below in pairwise(lines) if "===" in below]
        assert set(headings) <= {"Usage", "Positional Arguments", "Options", "Example"}, name
        assert lines[lines.index("") + 1][0].isupper(), f"{name} does not say what it does"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("drop", "there is no sub-command drop; did you mean drops?"),
        ("everything", "there is no sub-command everything; there are drops, "),
    ],
)
def test_a_name_that_is_no_sub_command_is_answered_in_one_line(name, message, capsys):
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args([name, "--anything"])
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "error:" in line]
    assert message in said


# other tests start scan and serve so
NEW = {
    "": "",
    "drops": "drops",
    "show": f"show {NEAR}",
    "compare": f"compare {NEAR} {FIRST}",
    "report": "report --output report.html",
    "stats": "stats",
    "runs": "runs",
    "restore": f"restore {NEAR}",
    "store": "store",
    "forget": f"forget {FIRST} --dry-run",
    "doctor": "doctor",
}


@pytest.mark.parametrize("name", NEW)
def test_it_works_in_a_new_interpreter(two_runs, tmp_path, name):
    shutil.copytree(two_runs, tmp_path, dirs_exist_ok=True)
    command = [sys.executable, *"-m scrapy dedup".split(), *NEW[name].split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if not name:
        assert all(f"\n  {one} " in done.stdout for one in SUBCOMMANDS)


@pytest.mark.parametrize("name", REPLACED)
def test_an_earlier_sub_command_names_its_replacement(name, capsys):
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args([name, "pages/", "--output", "made"])
    assert f"there is no sub-command {name}: {REPLACED[name]}\n" in capsys.readouterr().err
