"""Pages for the tests: articles and versions of them, and commands on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dedup_middleware.store import open_reader
from tests.support.crawling import scrapy
from tests.support.texts import article, html

HOSTS = ("a.example", "b.example", "sub.b.example")
NEW = "Nobody said so."  # or the page would be kept for it
ARTICLES = 6
EDITED = "https://a.example/0/edited"


def versions(number: int) -> dict[str, list[str]]:
    parts = article(number * 3, 160)
    other = article(number * 3 + 50, 160)
    half = len(parts) // 2
    return {
        "": parts,
        "/edited": [*(part.replace("the", "one", 2) for part in parts), NEW],
        "/short": parts[: 1 + len(parts) // 3],
        "/copy": parts,
        "/long": [*parts, *other],
        "/half": [*parts[:half], *article(number * 3 + 100, 120)],
    }


def lines(numbers: range) -> str:
    """Return pages as JSON lines."""
    found = []
    for number in numbers:
        for name, parts in versions(number).items():
            url = f"https://{HOSTS[number % len(HOSTS)]}/{number}{name}"
            title = f"Article number {number}{' (edited)' if name == '/edited' else ''}"
            found.append({"url": url, "html": html(parts, title)})
    return "".join(f"{json.dumps(page)}\n" for page in (*found, found[0]))  # one comes twice


def scan(folder: Path, feed: str, *settings: str, store: str = "store") -> list[dict[str, Any]]:
    """Judge the pages of a feed; return the entries of the journal."""
    (folder / "feed.jsonl").write_text(feed)
    # the hosts are young, and edited pages shall be dropped
    bound = ("-s", "DEDUP_MAX_LOSS=0.7")
    done = scrapy(folder, "dedup", "scan", "feed.jsonl", "--store", store, *bound, *settings)
    assert done.code == 0, done.log
    return journal(folder / store)


def journal(store: Path) -> list[dict[str, Any]]:
    with open_reader(store, map_size=1 << 30) as reader, reader.snapshot() as view:
        return [json.loads(line) for line in view.decisions()]


def write_report(folder: Path, *arguments: str) -> Path:
    source = () if "--journal" in arguments else ("--store", "store")
    done = scrapy(folder, "dedup", "report", *source, "--output", "report.html", *arguments)
    assert done.code == 0, done.log
    return folder / "report.html"
