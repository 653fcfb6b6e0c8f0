"""What journals say about one URL."""

from __future__ import annotations

import heapq
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from w3lib.url import canonicalize_url

from dedup_middleware.verdict import Action

from .decisions import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .decisions import Decision
    from .journals import Journals


FEW = 5
MOST_HOLDING = 1000
_ALIKE = 60.0
"""Of 100: URLs that are less alike are not worth a suggestion."""
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


@dataclass(slots=True)
class Similar:
    """URLs that a user may have meant, where there is no decision about the one that was named."""

    holding: dict[str, None] = field(default_factory=dict)
    """Those that hold what was named, in order, up to a limit."""
    near: list[str] = field(default_factory=list)
    """Those that resemble it most, the best first."""

    def only(self, text: str) -> str | None:
        """Return the one URL that holds a text, or the one that ends with it."""
        ending = [url for url in self.holding if url.endswith(text)]
        chosen = list(self.holding) if len(self.holding) == 1 else ending
        return chosen[0] if len(chosen) == 1 and len(self.holding) < MOST_HOLDING else None


def look_up_similar(
    journals: Journals, text: str, *, parts: bool = False
) -> tuple[Known | None, Similar]:
    """Return what is known about a URL as a user writes it; if nothing is, similar URLs.

    With `parts`, a part of a URL is enough if no other has it.
    """
    urls = possible_urls(text)
    known = look_up(journals, urls)
    if known.decisions:
        return known, Similar()
    same, similar = closest(journals, text)
    chosen = same or (similar.only(text) if parts else None)
    return (look_up(journals, [chosen]), Similar()) if chosen else (None, similar)


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


def closest(journals: Journals, text: str) -> tuple[str | None, Similar]:
    """Return the URL that is the same when canonicalised, and those that may be meant."""
    from rapidfuzz.fuzz import partial_ratio, ratio  # seldom needed

    canonical = [_canonical(url) for url in possible_urls(text)]
    paths = [_PLAIN_PATH.match(url) for url in canonical]
    part = text.lower()
    same: str | None = None
    similar = Similar()
    best: list[tuple[float, float, str]] = []
    for decision in journals.decisions():
        other = decision.url
        plain = _PLAIN_PATH.match(other)
        if any(
            not (path and plain and path[1] != plain[1]) and _canonical(other) == url
            for url, path in zip(canonical, paths, strict=True)
        ):
            same = other
        if same is not None:
            continue
        lower = other.lower()
        if part in lower and len(similar.holding) < MOST_HOLDING:
            similar.holding[other] = None
        score = partial_ratio(part, lower, score_cutoff=best[0][0] if len(best) == FEW else _ALIKE)
        if score:
            rank = (score, ratio(part, lower), other)
            if rank not in best:
                heapq.heappush(best, rank)
                if len(best) > FEW:
                    heapq.heappop(best)
    similar.near = [other for _, _, other in sorted(best, reverse=True)]
    return same, similar


def _canonical(url: str) -> str:
    try:
        return canonicalize_url(url)
    except ValueError:
        return url
