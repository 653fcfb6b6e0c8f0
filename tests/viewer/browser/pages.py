"""What the tests crawl: articles, and versions of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.commands import scrapy, texts
from tests.support.texts import article, html

HOSTS = ("a.example", "b.example", "sub.b.example")
NEW = "Nobody had said so before, and nobody will have to say it twice."
ARTICLES = 6


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
    """Write a feed."""
    found = []
    for number in numbers:
        for name, parts in versions(number).items():
            url = f"https://{HOSTS[number % len(HOSTS)]}/{number}{name}"
            title = f"Article {number}{', edited' if name == '/edited' else ''}"
            found.append({"url": url, "html": html(parts, title)})
    return _written([*found, found[0]])  # the last was seen before


def _written(pages: list[dict[str, str]]) -> str:
    return "".join(f"{json.dumps(page)}\n" for page in pages)


def scan(place: Path, feed: str, *settings: str, store: str = "store") -> list[dict[str, Any]]:
    """Judge the pages of a feed; give what the journal says."""
    (place / "feed.jsonl").write_text(feed)
    done = scrapy("scan", "feed.jsonl", "--store", store, *settings, cwd=place)
    assert done.returncode == 0, texts(done)
    return journal(place / store)


def journal(store: Path) -> list[dict[str, Any]]:
    paths = sorted((store / "journal").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def write_report(place: Path, *arguments: str) -> Path:
    done = scrapy("report", "--store", "store", "--output", "report.html", *arguments, cwd=place)
    assert done.returncode == 0, texts(done)
    return place / "report.html"
