"""The wheel in an environment that has nothing else: a crawl there, with and without extras."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from crawler.demo import Server
from tests.support.documentation import ROOT
from tests.support.patience import PATIENCE

PICTURE = """
from dedup_middleware import Page, compare
pages = [Page(url=url, text="The tide came in. The boats were lifted.") for url in "ab"]
print(compare(*pages).to_png()[1:4].decode())
"""


def run(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python without anything of this project's folder or of the environment of the tests."""
    return subprocess.run(
        [str(python), *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_crawl_drops_copies(without_extras, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "plain", project)
    with Server(seed=5, pages=120) as web:
        crawl = f"-m scrapy crawl notes -a url={web.url} -O notes.jsonl"
        done = run(without_extras, project, "-W", "error", *crawl.split())
    assert done.returncode == 0, done.stderr
    delivered = (project / "notes.jsonl").read_text().splitlines()
    dropped = run(without_extras, project, *"-m scrapy dedup drops --json".split())
    assert len(delivered) > len(dropped.stdout.splitlines()) > 3


def test_the_core_is_found(without_extras, tmp_path):
    doctor = "-m scrapy dedup doctor --json".split()
    lines = run(without_extras, tmp_path, *doctor).stdout.splitlines()
    found = {one["what"]: one["found"] for one in map(json.loads, lines)}
    core = Path(found["core"].partition(", ")[2])
    assert core.is_relative_to(without_extras.parents[1])
    assert found["compiler"].startswith("rustc 1.")


def test_without_extras_an_error_names_the_one_that_is_missing(without_extras, tmp_path):
    server = "-m scrapy dedup runs --store redis://127.0.0.1:1/0".split()
    assert "pip install 'scrapy-dedup[redis]'" in run(without_extras, tmp_path, *server).stderr
    assert (
        "pip install 'scrapy-dedup[report]'" in run(without_extras, tmp_path, "-c", PICTURE).stderr
    )
    (tmp_path / "pages.warc").write_bytes(b"")
    scan = run(without_extras, tmp_path, *"-m scrapy dedup scan pages.warc".split())
    assert "pip install 'scrapy-dedup[warc]'" in scan.stderr


def test_with_extras(with_extras, tmp_path):
    server = run(
        with_extras, tmp_path, *"-m scrapy dedup runs --store redis://127.0.0.1:1/0".split()
    )
    assert "Can't reach the server" in server.stderr
    assert run(with_extras, tmp_path, "-c", PICTURE).stdout == "PNG\n"
    (tmp_path / "pages.warc").write_bytes(b"")
    scan = run(with_extras, tmp_path, *"-m scrapy dedup scan pages.warc".split())
    assert "No page was judged" in scan.stderr
