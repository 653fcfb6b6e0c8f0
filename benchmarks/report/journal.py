"""A journal of any length: the pages of a demo web, judged once, repeated on many sites.

Decisions, texts and scores are real. Each site has the same pages under its own URLs, and shares
vary a little, so that sites differ, and don't compress better than those of a real crawl.
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
from dedup_middleware.viewer.rows import related

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dedup_middleware.inspect.texts import Texts
    from dedup_middleware.read import Outline

PAGES = 300
HOST = "https://demo.example"
MIRROR = "https://mirror.demo.example"
SEED = 7
_THRESHOLDS = Settings().level
_OWN = re.compile(r"https://(mirror\.)?(site-\d+)\.example/(\d+)-")


def judge_pages(store: Path) -> list[dict[str, Any]]:
    """Judge the pages of a demo web; return the decisions."""
    decisions: list[dict[str, Any]] = []
    with Deduplicator(store, on_decision=decisions.append) as dedup:
        for resource in build(SEED, PAGES, HOST, MIRROR).resources:
            if resource.judged:
                dedup.process(Page(url=resource.url, html=resource.versions[-1].body))
    return decisions


def decisions_of(pages: list[dict[str, Any]], count: int) -> Iterator[Decision]:
    """Yield so many decisions, those of the demo web on one site after another."""
    for number in range(count):
        site, at = divmod(number, len(pages))
        entry = _moved(pages[at], site, number + 1)
        decision = Decision.of(entry)
        assert decision
        yield decision


def _moved(entry: dict[str, Any], site: int, number: int) -> dict[str, Any]:
    chance = random.Random(f"{site} {entry['url']}")
    moved = {name: _on_site(value, site) for name, value in entry.items()}
    moved |= {"seq": number, "ms": round(entry["ms"] * chance.uniform(0.7, 1.4), 2)}
    scores = dict(entry["scores"])
    if "known" in scores:
        less = abs(chance.gauss(0, 0.06))
        known = tuple(round(max(0.0, share - less), 4) for share in scores["known"])
        if related(known, _THRESHOLDS) == related(scores["known"], _THRESHOLDS):
            scores["known"] = list(known)
    moved["reason"] = re.sub(
        r"\b\d+ of (\d+) sentences",
        lambda found: f"{chance.randint(0, int(found[1]))} of {found[1]} sentences",
        moved["reason"],
    )
    return {**moved, "scores": scores}


def _on_site(value: Any, site: int) -> Any:
    """Move all URLs in a text to another site."""
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
class AllSites:
    """Texts of the demo web, under the URLs of all sites."""

    texts: Texts

    def outline(self, url: str) -> Outline | None:
        return self.texts.outline(_OWN.sub(r"https://\1demo.example/", url))

    def own(self, url: str) -> Outline | None:
        return self.texts.own(_OWN.sub(r"https://\1demo.example/", url))
