"""Pages to judge, and `python -m lab.judge` with answers on stdin."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

from dedup_middleware import Deduplicator, Page
from lab.command import main
from lab.judge import __main__ as judge
from tests.support.commands import BAD
from tests.support.texts import article, html

FEW = ("--methods", "cascade,shingles", "--most", "8")
PAIR = re.compile(r"^(\d+)/(\d+) =+$", re.MULTILINE)


def pages() -> dict[str, str]:
    """Six articles; of each an edited, a longer and a shortened version."""
    made = {}
    for number in range(6):
        parts = article(number * 3, 220)
        edited = [part.replace("the", "one", 2) for part in parts]
        variants = {
            "": parts,
            "/edited": [*edited, "One more."],
            "/long": [*parts, *article(60 + number, 260)],
            "/short": parts[: 1 + len(parts) // 3],
        }
        for name, variant in variants.items():
            title = f"Title of {number}{name}"
            made[f"https://a.example/{number}{name}"] = html(variant, title, "news")
    return made


def make_crawled(place: Path) -> Path:
    """Write the pages into a feed, and into a store as a crawl does."""
    (place / "feed.jsonl").write_text(
        "".join(json.dumps({"url": url, "html": text}) + "\n" for url, text in pages().items())
    )
    with Deduplicator(place / "store") as dedup:
        for url, text in pages().items():
            dedup.process(Page(url=url, html=text))
    return place


class Judge:
    """Calls the command in this process, with answers on stdin."""

    def __init__(self, monkeypatch, capsys, place: Path) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.chdir(place)

    def __call__(self, *args: str | Path, answers: str = "") -> tuple[str, str]:
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        self.code = main(judge, [*map(str, args)])
        out, err = self._capsys.readouterr()
        assert not any(mark in out + err for mark in BAD)
        return out, err

    def json(self, *args: str | Path) -> dict[str, Any]:
        return json.loads(self(*args, "--json")[0])
