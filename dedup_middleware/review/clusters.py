"""Which pages have most copies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .decisions import Decision


@dataclass(slots=True)
class Cluster:
    """A page and what repeats it."""

    original: str
    example: str
    """The first copy."""
    copies: int = 0
    """How many different URLs repeat it."""
    hosts: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    size: int = 0
    """Bytes of all copies together, as far as they are known."""


def clusters(decisions: Iterable[Decision]) -> list[Cluster]:
    """Gather decisions by their originals, those with most copies first.

    A URL that was judged more than once is one copy, with what was decided first.
    """
    found: dict[str, Cluster] = {}
    seen: set[int] = set()  # of millions of pairs, hashes are enough
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
