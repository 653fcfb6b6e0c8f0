"""What journals say about one URL, and clusters of pages with the same original."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from w3lib.url import canonicalize_url

from dedup_middleware.verdict import Action

from .decisions import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .decisions import Decision, Journals


FEW = 5
_PLAIN_PATH = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/?#]*(/[a-z0-9._~/-]*)(?:[?#]|$)", re.IGNORECASE | re.ASCII
)
"""Paths that canonicalisation does not change: where they differ, it need not be done."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


@dataclass(slots=True)
class Known:
    """The decisions about a URL, oldest first, and the pages dropped as its copies."""

    url: str
    decisions: list[Decision] = field(default_factory=list)
    replaced: list[Decision] = field(default_factory=list)
    """The first few pages that were dropped as its copies."""
    replaced_hashes: set[int] = field(default_factory=set)
    """Hashes of all their URLs, which may be very many."""
    superseded_by: str | None = None
    """The page that has taken its place."""

    @property
    def replaced_count(self) -> int:
        return len(self.replaced_hashes)


def possible_urls(text: str) -> list[str]:
    """List the URLs that a user may mean, the likeliest first.

    >>> possible_urls("https://example.org/a")
    ['https://example.org/a']
    >>> possible_urls("example.org/a")[:3]
    ['example.org/a', 'https://example.org/a', 'http://example.org/a']
    """
    if _SCHEME.match(text) and not re.match(r"[^/]*:\d", text):  # example.org:8080 has none
        return [text]
    urls = [text, f"https://{text}", f"http://{text}"]
    if text.startswith("//"):
        urls = [text, f"https:{text}", f"http:{text}"]
    try:
        return [*urls, Path(text).absolute().resolve().as_uri()]
    except (OSError, ValueError, RuntimeError):  # not a valid file name
        return urls


def look_up_similar(journals: Journals, text: str) -> tuple[Known | None, list[str]]:
    """Return what is known about a URL as a user writes it; if nothing is, similar URLs."""
    urls = possible_urls(text)
    known = look_up(journals, urls)
    if known.decisions:
        return known, []
    same, similar = closest(journals, urls)
    return (look_up(journals, [same]), []) if same else (None, similar)


def look_up(journals: Journals, urls: Sequence[str]) -> Known:
    """Return what is known about the first of some URLs that has a decision."""
    found = {url: Known(url) for url in urls}
    for decision in journals.decisions([b'"%s"' % escaped(url) for url in urls]):
        if decision.url in found:
            found[decision.url].decisions.append(decision)
            if decision.action != Action.DROP:
                found[decision.url].superseded_by = None  # it stands for itself again
        elif decision.supersedes in found:
            found[decision.supersedes].superseded_by = decision.url
        elif decision.original in found and decision.action == Action.DROP:
            known = found[decision.original]
            before = known.replaced_count
            known.replaced_hashes.add(hash(decision.url))
            if before < known.replaced_count <= FEW:
                known.replaced.append(decision)
    return next((known for known in found.values() if known.decisions), found[urls[0]])


def closest(journals: Journals, urls: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the URL that is the same when canonicalised, and those with the longest prefixes."""
    canonical = [_canonical(url) for url in urls]
    paths = [_PLAIN_PATH.match(url) for url in canonical]
    same: str | None = None
    best: list[tuple[int, str]] = []
    for decision in journals.decisions():
        other = decision.url
        plain = _PLAIN_PATH.match(other)
        if any(
            not (path and plain and path[1] != plain[1]) and _canonical(other) == url
            for url, path in zip(canonical, paths, strict=True)
        ):
            same = other
        needed = best[0][0] + 1 if len(best) == FEW else 0
        if same is None and any(other[:needed] == url[:needed] for url in urls):
            rank = (max(_shared_prefix(url, other) for url in urls), other)
            if rank not in best:
                heapq.heappush(best, rank)
                if len(best) > FEW:
                    heapq.heappop(best)
    scheme = len("https://")
    return same, [other for shared, other in sorted(best, reverse=True) if shared > scheme]


def _shared_prefix(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _canonical(url: str) -> str:
    try:
        return canonicalize_url(url)
    except ValueError:
        return url


@dataclass(slots=True)
class Cluster:
    """A page and its copies."""

    original: str
    example: str
    """The first copy."""
    copies: int = 0
    """Number of different URLs."""
    hosts: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    size: int = 0
    """Bytes of all copies, as far as known."""


def clusters(decisions: Iterable[Decision]) -> list[Cluster]:
    """Group decisions by original, those with most copies first.

    A URL that was judged more than once counts once, with its first decision.
    """
    found: dict[str, Cluster] = {}
    seen: set[int] = set()  # there may be millions of pairs: hashes are enough
    for one in decisions:
        if one.original is None or one.original == one.url:
            continue
        before = len(seen)
        seen.add(hash((one.url, one.original)))
        if len(seen) == before:
            continue
        cluster = found.get(one.original)
        if cluster is None:
            cluster = found[one.original] = Cluster(one.original, one.url)
        cluster.copies += 1
        cluster.hosts[one.host] += 1
        cluster.verdicts[one.verdict] += 1
        cluster.size += one.size
    return sorted(found.values(), key=lambda cluster: -cluster.copies)
