"""Which one sentence of the other page to show beside a sentence, and which pairs are in order."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dedup_middleware.compare.values import Match

    from .compared import Compared


class State(Enum):
    """What became of a sentence in the other page."""

    SAME = "same"
    REWORDED = "reworded"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Pairing:
    """For each matched sentence its best match, and the matches that stand in the same order."""

    first: Mapping[int, Match]
    second: Mapping[int, Match]
    chain: tuple[Match, ...]


def state_of(match: Match | None) -> State:
    if match is None:
        return State.ONLY
    return State.SAME if match.similarity >= 1 else State.REWORDED


def pair_up(comparison: Compared) -> Pairing:
    """Choose one partner for each sentence: the most similar, best of all one in order."""
    matches = comparison.matches
    most_first: dict[int, float] = {}
    most_second: dict[int, float] = {}
    for match in matches:
        most_first[match.first] = max(match.similarity, most_first.get(match.first, 0.0))
        most_second[match.second] = max(match.similarity, most_second.get(match.second, 0.0))
    chain = longest_chain(
        match
        for match in matches
        if match.similarity >= most_first[match.first]
        and match.similarity >= most_second[match.second]
    )
    lengths = len(comparison.first.sentences), len(comparison.second.sentences)
    ranked = sorted(matches, key=lambda match: (-match.similarity, _shift(match, lengths), match))
    first = {match.first: match for match in reversed(ranked)}
    second = {match.second: match for match in reversed(ranked)}
    first |= {match.first: match for match in chain}
    second |= {match.second: match for match in chain}
    return Pairing(first, second, chain)


def longest_chain(matches: Iterable[Match]) -> tuple[Match, ...]:
    """Return the most matches that stand in the same order in both pages.

    >>> from dedup_middleware.compare.values import Match
    >>> pairs = [(0, 0), (0, 3), (1, 4), (2, 1), (3, 2)]
    >>> [match[:2] for match in longest_chain(Match(*pair, 1.0) for pair in pairs)]
    [(0, 0), (2, 1), (3, 2)]
    """
    # Backwards within a sentence, so that a chain can't hold two matches of it.
    ordered = sorted(matches, key=lambda match: (match.first, -match.second))
    ends: list[int] = []  # the lowest second with which a chain of each length ends
    tails: list[int] = []  # and the match that it ends with
    before: list[int] = []
    for index, match in enumerate(ordered):
        length = bisect_left(ends, match.second)
        before.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [match.second]
        tails[length : length + 1] = [index]
    chain = []
    at = tails[-1] if tails else -1
    while at >= 0:
        chain.append(ordered[at])
        at = before[at]
    return tuple(reversed(chain))


def _shift(match: Match, lengths: tuple[int, int]) -> float:
    """Return how far a sentence has moved, in shares of the page."""
    return abs(match.first / lengths[0] - match.second / lengths[1])
