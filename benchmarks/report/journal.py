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
from dedup_middleware.judge.match import has_grown
from dedup_middleware.settings import Settings
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dedup_middleware.inspect.decisions import Shares
    from dedup_middleware.inspect.texts import Texts
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Level

PAGES = 300
HOST = "https://demo.example"
MIRROR = "https://mirror.demo.example"
SEED = 7
_THRESHOLDS = Settings().level
_OWN = re.compile(r"https://(mirror\.)?(site-\d+)\.example/(\d+)-")


def related(
    known: Shares, thresholds: Level, apart: float = 0.0, words: float = 1.0
) -> Kind | None:
    """Return how a page relates to a known one, as `rule.js` of the report does, and the judge.

    The judge looks at shingles of main text as well before it calls a page one that has grown.

    `apart` is what facts that differ have taken from both shares, `words` the share of the words
    of the page that would be lost.

    >>> from dedup_middleware.settings import STRICTNESS
    >>> related((0.9, 0.5), STRICTNESS["balanced"])
    <Kind.CONTAINED: 'contained'>
    """
    forward, backward = known
    if min(forward, backward) >= thresholds.near:
        new, lost = min(1 - forward - apart, words), 1 - backward - apart
        return Kind.CONTAINS if has_grown(new, lost, thresholds.max_loss) else Kind.NEAR
    if forward >= thresholds.contained:
        return Kind.CONTAINED
    return Kind.CONTAINS if backward >= thresholds.contained else None


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
