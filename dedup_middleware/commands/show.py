"""`scrapy dedup show`: tell what was decided about a URL, with all that speaks for it."""

from __future__ import annotations

import heapq
import json
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from w3lib.url import canonicalize_url

from dedup_middleware.review.decisions import Journals, escaped
from dedup_middleware.verdict import Action

from . import journals
from .terminal import complain, safe

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.settings import BaseSettings

    from dedup_middleware.review.decisions import Decision

FEW = 5
_PLAIN_PATH = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/?#]*(/[a-z0-9._~/-]*)(?:[?#]|$)", re.IGNORECASE | re.ASCII
)
"""Paths that canonicalisation leaves as they are: where they differ, it can be spared."""
VERDICTS = {
    "unique": "nothing like it is known",
    "exact": "all its visible text equals that of another page",
    "near": "it and another page are nearly the same",
    "contained": "it lies inside another page",
    "contains": "it holds pages that were known before, and more",
    "unchanged": "its text is what it was when the URL was last seen",
    "updated": "the text at this URL has changed",
}
STAGES = {
    "read": "reading the page was enough",
    "digest": "by a hash of the whole text",
    "lookup": "no known page shared enough to be looked at",
    "estimate": "by samples of the texts",
    "shingles": "all word sequences were compared",
    "sentences": "all words, sentences and nodes of the two pages were compared",
    "detector": "by the published method that DEDUP_DETECTOR named",
}
SCORES = {
    "simhash_distance": "bits of 64 in which the fingerprints differ",
    "resemblance": "share of both texts together that stands in both",
    "containment": "share of this page's text that stands in the other page",
    "contained_by": "share of the other page's text that stands in this one",
    "rs": "share of sentences found in the other: of this page, of the other",
    "odds_ratio": "odds that they are the same page, from the two shares of sentences; up to 100",
    "tree": "share of content in matched nodes that keep their order: of this page, of the other",
    "covered": "share of words in runs of four that both pages have: of this page, of the other",
    "aligned": "share of words that both pages have in the same order: of this page, of the other",
    "said": "share of content in matched sentences: of this page, of the other",
    "swapped": "places where the pages have different numbers or names",
    "subject": "how often each page names something that the other never mentions",
    "replaced": "words of passages in whose place the other page has a passage on something else",
    "known": "share of this page known from the other, and the reverse: what the verdict rests on",
}


@dataclass(slots=True)
class _Known:
    """What the journals say about a URL, oldest first."""

    url: str
    decisions: list[Decision] = field(default_factory=list)
    replaced: list[Decision] = field(default_factory=list)
    """The first few pages that were dropped in its favour."""
    replaced_hashes: set[int] = field(default_factory=set)
    """All of them; a page that swallows a site may stand for very many."""

    @property
    def replaced_count(self) -> int:
        return len(self.replaced_hashes)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="the page's address, as it was crawled")
    journals.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(opts: Namespace, settings: BaseSettings) -> int:  # noqa: ARG001 - as all commands
    found = Journals(journals.find(opts), complain)
    known = _look_up(found, opts.url)
    if not known.decisions:
        same, alike = _closest(found, opts.url)
        if same is None:
            complain(f"Nothing was decided about {opts.url}")
            if alike:
                complain("The closest URLs are:")
            for url in alike:
                complain(f"  {url}")
            return 1
        complain(f"As {same}:")
        known = _look_up(found, same)
    sys.stdout.write(_as_json(known) if opts.json else _as_text(known))
    return 0


def _look_up(found: Journals, url: str) -> _Known:
    known = _Known(url)
    for decision in found.decisions([b'"%s"' % escaped(url)]):
        if decision.url == url:
            known.decisions.append(decision)
        elif decision.original == url and decision.action == Action.DROP:
            before = known.replaced_count
            known.replaced_hashes.add(hash(decision.url))
            if before < known.replaced_count <= FEW:
                known.replaced.append(decision)
    return known


def _closest(found: Journals, url: str) -> tuple[str | None, list[str]]:
    """Find the URL that is the same when canonicalised, else those that begin most alike."""
    canonical = _canonical(url)
    path = _PLAIN_PATH.match(canonical)
    same: str | None = None
    best: list[tuple[int, str]] = []
    for decision in found.decisions():
        other = decision.url
        plain = _PLAIN_PATH.match(other)
        if not (path and plain and path[1] != plain[1]) and _canonical(other) == canonical:
            same = other
        needed = best[0][0] + 1 if len(best) == FEW else 0
        if same is None and other[:needed] == url[:needed]:
            rank = (_shared_prefix(url, other), other)
            if rank not in best:
                heapq.heappush(best, rank)
                if len(best) > FEW:
                    heapq.heappop(best)
    scheme = len(url.partition("://")[0]) + len("://")
    return same, [other for shared, other in sorted(best, reverse=True) if shared > scheme]


def _shared_prefix(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _canonical(url: str) -> str:
    try:
        return canonicalize_url(url)
    except ValueError:
        return url


def _as_json(known: _Known) -> str:
    told = {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }
    return f"{json.dumps(told)}\n"


def _as_text(known: _Known) -> str:
    *earlier, newest = known.decisions
    lines = [safe(known.url), *_details(newest)]
    if earlier:
        times = "once" if len(earlier) == 1 else f"{len(earlier):,} times"
        lines += ["", f"Decided {times} before, last:"]
        lines += [
            safe(f"  {decision.entry.get('time')}  {decision.verdict} ({decision.action})")
            for decision in reversed(earlier[-FEW:])
        ]
    lines += ["", f"Dropped in favour of it: {known.replaced_count:,}"]
    lines += [safe(f"  {decision.verdict:<9}  {decision.url}") for decision in known.replaced]
    more = known.replaced_count - len(known.replaced)
    if more:
        lines.append(
            f"  and {more:,} more: scrapy dedup drops --all-runs --original {safe(known.url)}"
        )
    return "".join(f"{line}\n" for line in lines)


def _details(decision: Decision) -> list[str]:
    entry = decision.entry
    stage = str(entry.get("stage"))
    rows = [
        ("verdict", _explained(decision.verdict, VERDICTS)),
        ("action", decision.action),
        ("original", decision.original or "none"),
        ("reason", decision.reason),
        ("stage", _explained(stage, STAGES)),
        ("time", f"{entry.get('time')}, in {entry.get('ms')} ms"),
        ("run", " of ".join(filter(None, (str(entry.get("run")), _text(entry, "spider"))))),
    ]
    if closest := _text(entry, "closest"):
        rows.insert(3, ("closest", closest))
    rows += [("note", note) for note in _texts(entry, "notes")]
    rows += [("swallowed", url) for url in _texts(entry, "swallowed")]
    lines = [f"  {name:<10} {safe(value)}" for name, value in rows]
    if decision.scores:
        lines += ["", f"Compared with {safe(decision.original or closest or 'another page')}:"]
        lines += [
            f"  {safe(name):<17} {safe(_number(value)):>12}   {SCORES.get(name, '')}".rstrip()
            for name, value in decision.scores.items()
        ]
    return lines


def _explained(word: str, meanings: dict[str, str]) -> str:
    return f"{word}: {meanings[word]}" if word in meanings else word


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _texts(entry: dict[str, Any], key: str) -> list[str]:
    value = entry.get(key)
    return [str(one) for one in value] if isinstance(value, list) else []


def _number(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_number, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)
