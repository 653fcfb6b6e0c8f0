"""Hierarchies of two pages, matched node by node through the sentences that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .chain import longest_chain
from .values import Edge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import Matching
    from .pairing import Partner
    from .values import Match, Sentence


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """Which nodes of two pages share sentences, and how much of that keeps its order."""

    edges: tuple[Edge, ...]
    shading: tuple[dict[int, float], dict[int, float]]
    """For each node with sentences, the share of them that the other page has too."""
    in_order: tuple[int, int]
    """How many words of either page are in matched sentences of nodes that keep their order."""


def match_trees(
    first: Sequence[Sentence],
    second: Sequence[Sentence],
    matching: Matching,
    same: Sequence[Match] | None = None,
) -> TreeMatch:
    """Match the nodes of two pages in document order, by partners or by all pairs that are same."""
    pairs: Counter[tuple[int, int]] = Counter()
    for pair in matching.pairs if same is None else same:
        pairs[first[pair.first].node, second[pair.second].node] += 1
    mine = _words(first, second, matching.first)
    theirs = _words(second, first, matching.second)
    edges = sorted(pairs)
    weights = [mine[x, y] + theirs[y, x] for x, y in edges]
    chain = [edges[i] for i in longest_chain(edges, weights, strictly=False)]
    return TreeMatch(
        tuple(Edge(x, y, pairs[x, y]) for x, y in edges),
        (_shading(first, matching.first), _shading(second, matching.second)),
        (sum(mine[x, y] for x, y in chain), sum(theirs[y, x] for x, y in chain)),
    )


def _words(
    one: Sequence[Sentence], other: Sequence[Sentence], partners: Sequence[Partner]
) -> Counter[tuple[int, int]]:
    """Count the words of matched sentences by the pair of nodes that they connect."""
    words: Counter[tuple[int, int]] = Counter()
    for sentence, partner in zip(one, partners, strict=True):
        if partner.place >= 0:
            words[sentence.node, other[partner.place].node] += len(sentence.words)
    return words


def _shading(sentences: Sequence[Sentence], partners: Sequence[Partner]) -> dict[int, float]:
    matched: dict[int, list[bool]] = defaultdict(list)
    for sentence, partner in zip(sentences, partners, strict=True):
        matched[sentence.node].append(partner.place >= 0)
    return {node: sum(found) / len(found) for node, found in matched.items()}
