"""The projects in `examples/`: each runs, and does what its table says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler.demo import Server
from tests.support import forking
from tests.support.crawling import Web, environment, python
from tests.support.documentation import ROOT
from tests.support.patience import PATIENCE
from tests.support.servers import ServerProcess, any_program
from tests.support.texts import article, html

EXAMPLES = ROOT / "examples"
CRAWLED = {
    "plain": "notes",
    "rules": "shelf",
    "sitemap": "atlas",
    "recrawl": "nightly",
    "rag": "passages",
}


@pytest.fixture(scope="module")
def web() -> Iterator[Server]:
    with Server(seed=5, pages=120) as server:
        yield server


def run(folder: Path, *arguments: str) -> str:
    return done(folder, *arguments).stdout


def done(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = forking.run(
        python(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done


def crawl(example: str, folder: Path, url: str) -> list[dict[str, Any]]:
    """Crawl with a copy of an example; return its items."""
    copied = folder / example
    shutil.copytree(EXAMPLES / example, copied, dirs_exist_ok=True)
    spider = CRAWLED[example]
    log = done(copied, "-m", "scrapy", "crawl", spider, "-a", f"url={url}", "-O", "items.jsonl")
    assert "Spider error processing" not in log.stderr
    return [json.loads(line) for line in (copied / "items.jsonl").read_text().splitlines()]


def drops(folder: Path) -> Counter[str]:
    """Count what the last run dropped, by verdict."""
    found = run(folder, "-m", "scrapy", "dedup", "drops", "--json")
    return Counter(json.loads(line)["verdict"] for line in found.splitlines())


def test_all_examples_are_in_the_table() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    listed = re.findall(r"^\| \[(\w+)\]", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert {*listed} == folders


@pytest.mark.parametrize("example", CRAWLED)
def test_a_link_to_a_file_that_is_no_page(example: str, tmp_path: Path) -> None:
    with Web() as files:
        links = "<p><a href=/picture>A harbour</a>"
        files.put("/", html(article(1, 200), "A page").replace("<p>", links, 1))
        files.put("/robots.txt", "", "text/plain")
        files.put("/picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png")
        urls = "".join(f"<url><loc>{files.url(path)}</loc></url>" for path in ("/", "/picture"))
        files.put("/sitemap.xml", f"<urlset>{urls}</urlset>", "application/xml")
        start = "/sitemap.xml" if example == "sitemap" else "/"
        items = crawl(example, tmp_path, files.url(start))
        assert "/picture" in files.asked
    assert items or example == "rules", "which takes no page but those that it follows links to"
    assert not any(files.url("/picture") in item.values() for item in items)


def test_plain(web: Server, tmp_path: Path) -> None:
    items = crawl("plain", tmp_path, web.url)
    dropped = drops(tmp_path / "plain")
    assert dropped["exact"]
    assert dropped["near"]
    assert len(items) > dropped.total()


def test_rules(web: Server, tmp_path: Path) -> None:
    items = crawl("rules", tmp_path, web.url)
    tagged = [item for item in items if item["kind"] == "contained"]
    assert tagged
    assert all(item["dedup"]["original"] for item in tagged)
    assert "contained" not in drops(tmp_path / "rules")


def test_sitemap(web: Server, tmp_path: Path) -> None:
    first = crawl("sitemap", tmp_path, f"{web.url}sitemap.xml")
    again = crawl("sitemap", tmp_path, f"{web.url}sitemap.xml")
    assert first
    assert len(again) < len(first) / 4, "what has not changed is dropped"


def test_rag(web: Server, tmp_path: Path) -> None:
    items = crawl("rag", tmp_path, web.url)
    assert len({item["id"] for item in items}) == len(items)
    assert all(item["text"] for item in items)
    assert any(" > " in item["about"] for item in items)
    pages = {item["id"].partition("#")[0] for item in items}
    found = run(tmp_path / "rag", "-m", "scrapy", "dedup", "drops", "--json")
    drops = [json.loads(line) for line in found.splitlines()]
    # the start page is fetched again where others link to it
    dropped = {one["url"] for one in drops if one["verdict"] != "unchanged"}
    assert dropped
    assert not dropped & pages
    assert web.url in pages


def test_standalone(tmp_path: Path) -> None:
    pages = {"a": article(1, 200), "b": article(2, 200), "copy": article(1, 200)}
    for name, parts in pages.items():
        (tmp_path / f"{name}.html").write_text(html(parts, "A page"))
    (line,) = run(tmp_path, str(EXAMPLES / "standalone/duplicates.py"), str(tmp_path)).splitlines()
    assert line.startswith("copy.html: exact. All its visible text equals that of file:///")


def test_machines(web: Server, tmp_path: Path) -> None:
    server = ServerProcess(any_program())
    shutil.copytree(EXAMPLES / "machines", tmp_path, dirs_exist_ok=True)
    crawl = f"-m scrapy crawl machines -a url={web.url} -s DOWNLOAD_DELAY=0.1"  # both have a share
    try:
        crawlers = [
            forking.Popen(  # without -Werror: scrapy-redis uses what Scrapy is to remove
                [sys.executable, *f"{crawl} -O {name}".split()],
                cwd=tmp_path,
                env={**environment(), "SERVER": server.url},
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in ("one.jsonl", "other.jsonl")
        ]
        for crawler in crawlers:
            _, said = crawler.communicate(timeout=PATIENCE)
            assert crawler.returncode == 0, said
        store = f"{server.url}?prefix=machines"
        command = "-m scrapy dedup drops --json --all-runs --store".split()
        found = run(tmp_path, *command, store)
    finally:
        server.close()
    items = [
        [json.loads(line)["url"] for line in (tmp_path / name).read_text().splitlines()]
        for name in ("one.jsonl", "other.jsonl")
    ]
    delivered = Counter(items[0] + items[1])
    dropped = {json.loads(line)["url"] for line in found.splitlines()}
    assert all(items), "both had a share"
    assert max(delivered.values()) == 1, "no page came twice"
    assert len(dropped) > 10
    assert not dropped & delivered.keys()
