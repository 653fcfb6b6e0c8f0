"""The pages of the documentation, their blocks of code and their tables."""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from . import forking
from .patience import PATIENCE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *(DOCS / f"{name}.md" for name in "index questions quick-start troubleshooting".split()),
    *sorted([*DOCS.glob("usage/*.md"), *DOCS.glob("reference/*.md")]),
]
"""What users read; every example in these is run."""
GENERATED = sorted([DOCS / "evaluation.md", *DOCS.glob("evaluation/*.md")])
WRITTEN = [
    *PAGES,
    *(
        DOCS / f"{name}.md"
        for name in (
            *("demo", "design", "how-it-decides", "papers"),
            *("reliability", "threat-model", "upgrading"),
        )
    ),
    *sorted(DOCS.glob("design/*.md")),
    *(ROOT / name / "README.md" for name in ("benchmarks", "examples", "lab")),
    *sorted(ROOT.glob("*.md")),
]
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code in a page."""

    page: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.replace('-', '_')}_{self.number}"

    @property
    def is_spider(self) -> bool:
        return "scrapy.Spider)" in self.text

    @property
    def is_settings(self) -> bool:
        """Whether a settings module could look like this."""
        body = ast.parse(self.text).body
        return all(
            isinstance(line, ast.Assign)
            and all(isinstance(to, ast.Name) and to.id.isupper() for to in line.targets)
            for line in body
        )


def blocks(path: Path) -> list[Block]:
    found = []
    for number, match in enumerate(FENCE.finditer(path.read_text()), 1):
        indent, language, text = match.groups()
        text = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        found.append(Block(path.stem, number, language, text))
    return found


BLOCKS = [block for path in PAGES for block in blocks(path)]
PYTHON = [block for block in BLOCKS if block.language == "python"]


def page(name: str) -> str:
    return next(path for path in PAGES if path.stem == name).read_text()


def first_column(text: str, header: str) -> list[str]:
    """List the code in the first cells of all tables that begin with this header."""
    rows = re.findall(rf"^\| {header} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", text, re.MULTILINE)
    assert rows, f"no table begins with {header}"
    cells = (line.split("|")[1] for table in rows for line in table.splitlines())
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def row(text: str, first: str) -> str:
    """Return the row of a table that begins with this code."""
    return next(line for line in text.splitlines() if line.startswith(f"| `{first}` |"))


def run(*command: str, cwd: Path) -> str:
    """Run Python in a process of its own, with the modules of a folder; return what it prints."""
    paths = os.pathsep.join(filter(None, (str(cwd), os.environ.get("PYTHONPATH"))))
    done = forking.run(
        [sys.executable, *command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
