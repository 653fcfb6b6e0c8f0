"""A journal as long as wanted: the pages of a demo web, judged once, on one site after another.

Decisions, texts and scores are real. Each site has the same pages under addresses of its own, and
how much is known varies a little, so that no two sites look the same, nor can they be packed
better than those of a real crawl.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawler.demo import build
from dedup_middleware import Deduplicator, Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.settings import Settings
from dedup_middleware.viewer.rows import Thresholds, related

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dedup_middleware.inspect.texts import Texts
    from dedup_middleware.read import Outline

PAGES = 300
HOST = "https://demo.example"
MIRROR = "https://mirror.demo.example"
SEED = 7
_THRESHOLDS = Thresholds.of(Settings())
_OWN = re.compile(r"https://(mirror\.)?(site-\d+)\.example/(\d+)-")


def judge_pages(store: Path) -> list[dict[str, Any]]:
    """Judge the pages of a demo web; give the decisions."""
    decisions: list[dict[str, Any]] = []
    with Deduplicator(store, on_decision=decisions.append) as dedup:
        for resource in build(SEED, PAGES, HOST, MIRROR).resources:
            if resource.judged:
                dedup.process(Page(url=resource.url, html=resource.versions[-1].body))
    return decisions


def decisions_of(pages: list[dict[str, Any]], count: int) -> Iterator[Decision]:
    """Repeat decisions on so many sites that there are enough."""
    for number in range(count):
        site, at = divmod(number, len(pages))
        entry = _moved(pages[at], site, number + 1)
        decision = Decision.of(entry)
        assert decision
        yield decision


def _moved(entry: dict[str, Any], site: int, number: int) -> dict[str, Any]:
    chance = random.Random(f"{site} {entry['url']}")
    moved = {name: _elsewhere(value, site) for name, value in entry.items()}
    moved |= {"seq": number, "ms": round(entry["ms"] * chance.uniform(0.7, 1.4), 2)}
    scores = dict(entry["scores"])
    if "known" in scores:
        less = abs(chance.gauss(0, 0.06))
        known = tuple(round(max(0.0, share - less), 4) for share in scores["known"])
        if related(known, _THRESHOLDS) == related(scores["known"], _THRESHOLDS):
            scores["known"] = list(known)
    moved["reason"] = re.sub(
        r"\b\d+ of its (\d+)",
        lambda found: f"{chance.randint(0, int(found[1]))} of its {found[1]}",
        moved["reason"],
    )
    return {**moved, "scores": scores}


def _elsewhere(value: Any, site: int) -> Any:
    """Move URLs to another site, wherever they stand."""
    if not isinstance(value, str):
        return value
    return re.sub(
        r"https://(mirror\.)?demo\.example/(\S*?)(?=[,.]?(?:\s|$))",
        lambda found: (
            f"https://{found[1] or ''}site-{site}.example/"
            f"{random.Random(f'{site} {found[2]}').randrange(10**7)}-{found[2]}"
        ),
        value,
    )


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Texts of the demo web, under the addresses of all sites."""

    texts: Texts

    def outline(self, url: str) -> Outline | None:
        return self.texts.outline(_OWN.sub(r"https://\1demo.example/", url))
