"""Pages for the tests: articles and versions of them, and commands on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dedup_middleware.store import open_reader
from tests.support.crawling import scrapy
from tests.support.texts import article, html

HOSTS = ("a.example", "b.example", "sub.b.example")
NEW, ALSO_NEW = "Nobody said so.", "They never came."  # longer, the pages would be kept for it
ARTICLES = 6
EDITED = "https://a.example/0/edited"
NOTICES = 10
"""Pages of each host before its articles: of a young host hardly anything may be lost."""


def versions(number: int) -> dict[str, list[str]]:
    parts = article(number * 3, 160)
    other = article(number * 3 + 50, 160)
    half = len(parts) // 2
    return {
        "": parts,
        "/edited": [*_edited(parts), NEW],
        "/cut": [*(part for part in parts if part != min(parts, key=len)), ALSO_NEW],
        "/rewritten": _rewritten(parts, other),
        "/short": parts[: 1 + len(parts) // 3],
        "/copy": parts,
        "/long": [*parts, *other],
        "/half": [*parts[:half], *article(number * 3 + 100, 120)],
    }


def _edited(parts: list[str]) -> list[str]:
    """Put two words in place of others."""
    return "\n".join(parts).replace(" the ", " one ", 2).split("\n")


def _rewritten(parts: list[str], other: list[str]) -> list[str]:
    """Put another text in place of the last fifth of an article, or a little more."""
    words, new = ("\n ".join(texts).split(" ") for texts in (parts, other))
    replaced = round(0.22 * len(words))
    return [*" ".join(words[:-replaced]).split("\n"), *" ".join(new[:replaced]).split("\n")]


def crawl() -> str:
    """Return all pages of a crawl as JSON lines."""
    notices = (
        _line(
            f"https://{host}/notice/{number}", article(20 + 3 * number + at, 40), f"Notice {number}"
        )
        for number in range(NOTICES)
        for at, host in enumerate(HOSTS)
    )
    return "".join(notices) + lines(range(ARTICLES))


def lines(numbers: range) -> str:
    """Return articles, in all their versions, as JSON lines."""
    found = []
    for number in numbers:
        for name, parts in versions(number).items():
            url = f"https://{HOSTS[number % len(HOSTS)]}/{number}{name}"
            title = f"Article number {number}{' (edited)' if name == '/edited' else ''}"
            found.append(_line(url, parts, title))
    return "".join((*found, found[0]))  # one comes twice


def _line(url: str, parts: list[str], title: str) -> str:
    return json.dumps({"url": url, "html": html(parts, title)}) + "\n"


def scan(folder: Path, feed: str, *settings: str, store: str = "store") -> list[dict[str, Any]]:
    """Judge the pages of a feed; return the entries of the journal."""
    (folder / "feed.jsonl").write_text(feed)
    done = scrapy(folder, "dedup", "scan", "feed.jsonl", "--store", store, *settings)
    assert done.code == 0, done.log
    return journal(folder / store)


def journal(store: Path) -> list[dict[str, Any]]:
    with open_reader(store, map_size=1 << 30) as reader, reader.snapshot() as view:
        return [json.loads(line) for line in view.decisions()]


def write_report(folder: Path, *arguments: str) -> Path:
    store = ("--store", "store")
    done = scrapy(folder, "dedup", "report", *store, "--output", "report.html", *arguments)
    assert done.code == 0, done.log
    return folder / "report.html"
