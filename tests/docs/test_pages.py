"""The pages of the documentation: all are there, links lead somewhere, names are right."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from dedup_middleware.commands import Command
from dedup_middleware.settings import PREFIX, SETTINGS
from tests.support.documentation import (
    BLOCKS,
    DOCS,
    GENERATED,
    PAGES,
    ROOT,
    WRITTEN,
    first_column,
    page,
)

LONGEST = 100
LINK = re.compile(r"\]\(([^)]+)\)")
README_LINES = 80  # one screen and a half
DESIGN = [DOCS / "design.md", *DOCS.glob("design/*.md")]
PACKAGE = ROOT / "dedup_middleware"


def by_path(path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_index_leads_to_all_pages():
    links = LINK.findall((DOCS / "index.md").read_text())
    linked = {path for link in links if (path := (DOCS / link).resolve()).suffix == ".md"}
    pages = {*WRITTEN, DOCS / "evaluation.md"} - {DOCS / "index.md", ROOT / "README.md"}
    assert {by_path(path) for path in linked} == {by_path(path) for path in pages}
    assert {*DOCS.rglob("*.md")} <= {*WRITTEN, *GENERATED}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


@pytest.mark.parametrize("path", WRITTEN, ids=by_path)
def test_lines_are_short(path):
    lines = path.read_text().splitlines()
    if path not in PAGES:  # tables of figures, and the output of programs
        lines = [line for line in lines if not line.startswith(("|", "  "))]
    assert max(map(len, lines)) <= LONGEST


@pytest.mark.parametrize("path", [*WRITTEN, *GENERATED], ids=by_path)
def test_links_lead_somewhere(path):
    for target in LINK.findall(path.read_text()):
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.is_file(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            assert anchor in map(as_anchor, titles), target


def as_anchor(title: str) -> str:
    """Name a heading as Git hosts and the site do."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_blocks_are_of_known_languages():
    known = {"console", "pycon", "pyi", "python", "text", "toml"}
    assert {block.language for block in BLOCKS} == known


@pytest.mark.parametrize("path", [*WRITTEN, *GENERATED], ids=by_path)
def test_settings_that_are_named_exist(path):
    known = {f"{PREFIX}{name.upper()}" for name in SETTINGS}
    assert set(re.findall(r"DEDUP_[A-Z_]*[A-Z]", path.read_text())) <= known


@pytest.mark.parametrize("path", [*WRITTEN, *GENERATED], ids=by_path)
def test_commands_that_are_named_exist(path):
    text = path.read_text()
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^|\$ )make ([a-z-]+)", text, re.MULTILINE)) <= targets
    commands = {module.stem for module in (PACKAGE / "commands").glob("[!_]*.py")}
    assert Command.requires_project is False  # so they can be tried anywhere
    assert set(re.findall(r"scrapy dedup ([a-z]+)", text)) <= commands
    for module in re.findall(r"python -m ((?:benchmarks|lab)\b[.\w]*)", text):
        assert find_spec(module), module


def test_the_design_names_files_that_exist():
    text = "".join(path.read_text() for path in DESIGN)
    named = set(re.findall(r"`([\w/]+\.(?:py|json|toml))", text))
    assert len(named) > 20
    missing = [name for name in named if not any((at / name).exists() for at in (PACKAGE, ROOT))]
    assert missing == []


def test_every_promise_of_the_threat_model_has_a_test_that_exists():
    text = (DOCS / "threat-model.md").read_text()
    tables = re.findall(r"^\| promise \| test \|\n\|---\|---\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert len(tables) == 4
    for line in "".join(tables).splitlines():
        assert "::" in line, line
    for path, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text):
        assert f"def {name}(" in (ROOT / path).read_text(), name


def test_contributing_says_of_every_room_what_changes_go_there_in_the_order_of_imports():
    text = (ROOT / "pyproject.toml").read_text()
    layers = re.search(r"^layers = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)[1]
    rooms = [re.findall(r"\w+", layer) for layer in layers.splitlines()]
    described = first_column((ROOT / "CONTRIBUTING.md").read_text(), "room")
    assert [name.rstrip("/") for name in described] == [name for names in rooms for name in names]


def test_the_map_is_read_in_ten_minutes():
    assert len((DOCS / "design.md").read_text().split()) < 2_500


def test_an_entry_point_makes_a_method_known():
    from dedup_middleware.methods import GROUP

    (block,) = [block for block in BLOCKS if block.language == "toml"]
    assert block.text.startswith(f'[project.entry-points."{GROUP}"]\n')
    assert GROUP in page("write-a-method")
