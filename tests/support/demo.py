"""Crawls with the spiders of the project, in a process of their own, and what they leave behind."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from crawler.demo import Web

from . import forking
from .patience import PATIENCE

ROOT = Path(__file__).parents[2]
HOSTS = ("http://127.0.0.1:8000", "http://127.0.0.1:8001")
# Twisted leaves its wake-up sockets to the garbage collector when the process ends
WARNINGS = ("-W", "error", "-W", "ignore:unclosed:ResourceWarning")


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "scrapy.cfg", folder)
    return forking.run(
        [sys.executable, *WARNINGS, "-m", "scrapy", *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def crawl(folder: Path, *arguments: str) -> str:
    """Crawl successfully, with nothing in the log but walls; return the summary."""
    result = scrapy(folder, "crawl", *arguments)
    assert result.returncode == 0, result.stderr
    logged = result.stderr.splitlines()
    assert [line for line in logged if "unrelated pages show the same" not in line] == []
    return result.stdout


def items(folder: Path) -> list[dict]:
    return _rows(sorted((folder / "output").glob("*.jsonl")))


def journal(folder: Path) -> list[dict]:
    """Return the decisions that hold: none that a later one of its run overrules."""
    rows = [one for one in _rows(sorted(folder.rglob("journal/*.jsonl"))) if one["verdict"]]
    overruled = {(one["run"], one["overrules"]) for one in rows if "overrules" in one}
    return [one for one in rows if (one["run"], one["seq"]) not in overruled]


def web_digest(web: Web) -> str:
    """Return a digest of all that a demo web serves first."""
    whole = "".join(f"{one.url} {one.versions[0].body!r}" for one in web.resources)
    return hashlib.sha256(whole.encode()).hexdigest()


def _rows(files: list[Path]) -> list[dict]:
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
