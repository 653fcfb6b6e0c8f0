"""What the decisions of a store say about one URL."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from w3lib.url import canonicalize_url

from dedup_middleware.errors import DedupError
from dedup_middleware.verdict import Action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .decisions import Decision
    from .stored_decisions import StoredDecisions


FEW = 5
MOST_HOLDING = 1000
LIST_ALL = "`scrapy dedup drops --action all` lists the pages that are known"
_SUGGESTED = 10
_ALIKE = 0.3
"""URLs that share less of what was named are not worth a suggestion."""
_LONGEST = 1e5
"""Of URLs that share as much of it, the one of the most similar length is the better."""
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


class UnknownPage(DedupError):
    """No page, or more than one, is meant by what a user has written; a line for each that may."""

    def __init__(self, text: str, holding: Sequence[str], near: Sequence[str]) -> None:
        """Take URLs that hold the text, up to a limit, and those that resemble it most."""
        self.is_unknown = not holding
        if holding:
            many = f"{len(holding):,}{' or more' * (len(holding) >= MOST_HOLDING)}"
            lines = [f"{many} URLs have {text!r} in them; name more of one:"]
        else:
            below = "The most similar URLs are:" if near else LIST_ALL
            lines = [f"There is no decision about {text}", below]
        lines += [f"  {url}" for url in holding[:_SUGGESTED] or near]
        if len(holding) > _SUGGESTED:
            lines.append(f"  and {len(holding) - _SUGGESTED:,} more")
        super().__init__(*lines)

    def __str__(self) -> str:
        return " ".join(map(str.strip, self.args))


def look_up_page(stored: StoredDecisions, text: str) -> Known:
    """Return what is known about a page as a user names it, by its URL or a part of that.

    Raise UnknownPage if no URL has the part, or more than one.
    """
    known = look_up(stored, possible_urls(text))
    if known.decisions:
        return known
    same, holding, near = closest(stored, text)
    if same is None and len(holding) < MOST_HOLDING:
        ending = [url for url in holding if url.endswith(text)]
        chosen = holding if len(holding) == 1 else ending
        same = chosen[0] if len(chosen) == 1 else None
    if same is None:
        raise UnknownPage(text, holding, near)
    return look_up(stored, [same])


def look_up(stored: StoredDecisions, urls: Sequence[str]) -> Known:
    """Return what is known about the first of some URLs that has a decision."""
    found = {url: Known(url) for url in urls}
    for decision in stored.holding(*(json.dumps(url).encode() for url in urls)):
        if decision.url in found:
            found[decision.url].decisions.append(decision)
            if decision.action != Action.DROP:
                found[decision.url].superseded_by = None  # it is an original again
        elif decision.supersedes in found:
            found[decision.supersedes].superseded_by = decision.url
        elif decision.original in found and decision.action == Action.DROP:
            known = found[decision.original]
            before = known.replaced_count
            known.replaced_hashes.add(hash(decision.url))
            if before < known.replaced_count <= FEW:
                known.replaced.append(decision)
    return next((known for known in found.values() if known.decisions), found[urls[0]])


def closest(stored: StoredDecisions, text: str) -> tuple[str | None, list[str], list[str]]:
    """Return the URL that is the same when canonicalised, those that hold a text, similar ones."""
    canonical = [_canonical(url) for url in possible_urls(text)]
    paths = [_PLAIN_PATH.match(url) for url in canonical]
    part = text.lower()
    pieces = _pieces(part)
    same: str | None = None
    holding: dict[str, None] = {}  # in order
    best: dict[str, float] = {}
    for decision in stored:
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
        if part in lower and len(holding) < MOST_HOLDING:
            holding[other] = None
        shared = len(pieces & _pieces(lower)) / len(pieces)
        if shared >= _ALIKE:
            best[other] = shared - abs(len(lower) - len(part)) / _LONGEST
            if len(best) > FEW:
                del best[min(best, key=lambda url: best[url])]
    return same, [*holding], sorted(best, key=lambda url: -best[url])


def _pieces(text: str) -> set[str]:
    """Return the sequences of three characters in a text, by which misspelt ones are found."""
    return {text[at : at + 3] for at in range(max(1, len(text) - 2))}


def _canonical(url: str) -> str:
    try:
        return canonicalize_url(url)
    except ValueError:
        return url
