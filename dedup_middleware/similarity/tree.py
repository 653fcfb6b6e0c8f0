"""Order and hierarchy that two pages share: chains of pairs, and nodes matched by their sentences.

One pair of sentences that share some words says little. A chain of them through both pages says
that one was written from the other: pages on the same subject have such sentences too, but not one
after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .sentences import Edge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .sentences import Match, Matching, Partner, Sentence


def chained(
    first: Sequence[Sentence], second: Sequence[Sentence], partners: Sequence[Partner]
) -> tuple[int, int]:
    """Count the words of the sentences of two pages that are in the chain of partners."""
    pairs = [(place, partner.place) for place, partner in enumerate(partners) if partner.place >= 0]
    chain = longest_chain(pairs, [len(first[one].words) for one, _ in pairs])
    return (
        sum(len(first[pairs[link][0]].words) for link in chain),
        sum(len(second[pairs[link][1]].words) for link in chain),
    )


def longest_chain(
    pairs: Sequence[tuple[int, int]], weights: Sequence[float], *, strictly: bool = True
) -> list[int]:
    """Return the indices of the heaviest chain of pairs in which both numbers ascend.

    Unless `strictly`, either number may stay the same from one pair to the next.

    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [1, 1, 1, 1])
    [1, 2, 3]
    >>> longest_chain([(0, 5), (1, 0), (2, 1), (3, 9)], [3, 1, 1, 1])
    [0, 3]
    """
    # equal first numbers: the larger second one first, so that they never follow one another
    sign = -1 if strictly else 1
    ranked = sorted(range(len(pairs)), key=lambda i: (pairs[i][0], sign * pairs[i][1]))
    heights = {value: rank for rank, value in enumerate(sorted({y for _, y in pairs}), start=1)}
    best = _PrefixMaximum(len(heights))
    before: list[int] = [-1] * len(pairs)
    total: list[float] = [0.0] * len(pairs)
    for index in ranked:
        height = heights[pairs[index][1]]
        before[index] = best.up_to(height - strictly)
        total[index] = weights[index] + (total[before[index]] if before[index] >= 0 else 0.0)
        best.put(height, index, total[index])
    chain: list[int] = []
    at = best.up_to(len(heights))
    while at >= 0:
        chain.append(at)
        at = before[at]
    return chain[::-1]


class _PrefixMaximum:
    """The index with the greatest total among heights up to a given one, in a Fenwick tree."""

    def __init__(self, size: int) -> None:
        self._best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def up_to(self, height: int) -> int:
        found = (0.0, -1)
        while height > 0:
            if self._best[height][0] > found[0]:
                found = self._best[height]
            height &= height - 1
        return found[1]

    def put(self, height: int, index: int, total: float) -> None:
        while height < len(self._best):
            if total > self._best[height][0]:
                self._best[height] = (total, index)
            height += height & -height


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
