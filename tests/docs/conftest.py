"""A project with all spiders of the documentation, and what they crawl."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.documentation import PYTHON, run

PROJECT = Path(__file__).parents[1] / "support" / "projects" / "documented"


class Crawl(NamedTuple):
    """What came out of a crawl."""

    items: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Path:
    """A Scrapy project with every spider of the documentation and the site that they crawl."""
    place = tmp_path_factory.mktemp("documented") / "project"
    shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
    for block in PYTHON:
        if block.is_spider:
            (place / "example" / "spiders" / f"{block.name}.py").write_text(block.text)
    return place


@pytest.fixture(scope="session")
def crawl(project) -> Callable[..., list[Crawl]]:
    """Crawl one after the other in a process of their own; a job is a spider and settings."""

    def crawled(*jobs: str) -> list[Crawl]:
        output = run("-W", "error", "-m", "example.report", *jobs, cwd=project)
        crawls = [Crawl(*json.loads(line)) for line in output.splitlines()]
        assert len(crawls) == len(jobs)
        assert not re.search(r"^\[[\w.]+\] (WARNING|ERROR|CRITICAL):", _logs(crawls), re.MULTILINE)
        return crawls

    return crawled


def _logs(crawls: list[Crawl]) -> str:
    return "\n".join(one.log for one in crawls)


@pytest.fixture(scope="session")
def crawls(crawl) -> dict[str, Crawl]:
    """All spiders of the documentation, by name."""
    names = ("articles", "mixed", "stories", "prices", "watched", "passages")
    return dict(zip(names, crawl(*names), strict=True))


@pytest.fixture(scope="session")
def articles(crawls) -> Crawl:
    return crawls["articles"]
