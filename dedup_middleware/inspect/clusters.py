"""Clusters: pages with their copies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .decisions import Decision
    from .journals import Journals

_SUPERSEDES = b'"supersedes":'


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


def heirs_in(journals: Journals) -> dict[str, str]:
    """Return the pages whose places others have taken, each with the one that has its place now."""
    heirs: dict[str, str] = {}
    for one in journals.decisions([_SUPERSEDES]):
        if one.supersedes:
            heirs[one.supersedes] = one.url
            heirs.pop(one.url, None)  # a page may get its place back
    return {page: standing(page, heirs) for page in heirs}


def standing(page: str, heirs: Mapping[str, str]) -> str:
    """Return the page that has the place of another, after any number of successions.

    >>> standing("a", {"a": "b", "b": "c"}), standing("d", {"a": "b"})
    ('c', 'd')
    """
    seen = set()
    while page in heirs and page not in seen:
        seen.add(page)
        page = heirs[page]
    return page


def clusters(
    decisions: Iterable[Decision], heirs: Mapping[str, str] | None = None
) -> list[Cluster]:
    """Group decisions by original, those with most copies first; `clusters.js` has the same rule.

    The copies of a page whose place another has taken are copies of that one, as `heirs` says. A
    URL that was judged more than once counts once, with its first decision.
    """
    heirs = heirs or {}
    found: dict[str, Cluster] = {}
    seen: set[int] = set()  # there may be millions of pairs: hashes are enough
    for one in decisions:
        original = standing(one.original, heirs) if one.original else None
        if original is None or original == one.url:
            continue
        before = len(seen)
        seen.add(hash((one.url, original)))
        if len(seen) == before:
            continue
        cluster = found.get(original)
        if cluster is None:
            cluster = found[original] = Cluster(original, one.url)
        cluster.copies += 1
        cluster.hosts[one.host] += 1
        cluster.verdicts[one.verdict] += 1
        cluster.size += one.size
    return sorted(found.values(), key=lambda cluster: -cluster.copies)
