"""The documentation as a site: `make docs`.

The sources are the Markdown files as a Git host shows them, in the folders where they are, so that
every relative link holds in both. Nothing is fetched, neither when it is built nor when it is read.
"""

from __future__ import annotations

import re
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "scrapy-dedup"
author = "scrapy-dedup developers"
project_copyright = author
version = release = version_of(project)

extensions = ["myst_parser"]
root_doc = "docs/index"
# the sources are the whole repository, of which these are pages
include_patterns = [
    "docs/**.md",
    "examples/README.md",
    "benchmarks/README.md",
    "lab/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".*", "native", "output", "site", "tests", "**/__pycache__"]
myst_heading_anchors = 4
nitpicky = True
smartquotes = False  # two hyphens begin an option

html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = html_show_sourcelink = False
html_additional_pages = {"index": "redirect.html"}
templates_path = ["_templates"]

CONTENTS = re.compile(r"^## (.*)\n((?:.*\n)*?)(?=## |\Z)", re.MULTILINE)
LINK = re.compile(r"^- \[(.+?)\]\((.+?)\.md\)", re.MULTILINE)


FOREIGN = re.compile(
    r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=.(?:https?:)?//[^>]*>"
    r"|(?:url\(.?|@import .*)(?:https?:)?//[^)]*"
)


def setup(app: Sphinx) -> None:
    app.connect("source-read", _add_navigation)
    app.connect("build-finished", _check_that_nothing_is_fetched)


def _add_navigation(app: Sphinx, name: str, source: list[str]) -> None:
    """Make a table of contents of the links in the index, and of the pages below a page."""
    if name == root_doc:
        parts = CONTENTS.findall(source[0])
        for caption, text in parts:
            pages = [f"{title} <{page}>" for title, page in LINK.findall(text)]
            source[0] += _toctree(pages, caption)
    elif (folder := Path(app.srcdir, name)).is_dir():
        below = sorted(f"{folder.name}/{path.stem}" for path in folder.glob("*.md"))
        source[0] += _toctree(below)


def _check_that_nothing_is_fetched(app: Sphinx, error: Exception | None) -> None:
    site = Path(app.outdir)
    for path in () if error else (*site.rglob("*.html"), *site.rglob("*.css")):
        found = FOREIGN.search(path.read_text(encoding="utf-8"))
        if found:
            raise ExtensionError(f"{path.name} loads something from elsewhere: {found[0]}")


def _toctree(pages: list[str], caption: str = "") -> str:
    options = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n:hidden:\n" + options + "\n" + "\n".join(pages) + "\n```\n"
