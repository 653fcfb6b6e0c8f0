"""Which one sentence of the other page to show beside a sentence, and which pairs are in order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dedup_middleware.compare.chain import longest_chain

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    matches = comparison.pairs
    most_first: dict[int, float] = {}
    most_second: dict[int, float] = {}
    for match in matches:
        most_first[match.first] = max(match.similarity, most_first.get(match.first, 0.0))
        most_second[match.second] = max(match.similarity, most_second.get(match.second, 0.0))
    best = [
        match
        for match in matches
        if match.similarity >= most_first[match.first]
        and match.similarity >= most_second[match.second]
    ]
    kept = longest_chain([(match.first, match.second) for match in best], [1] * len(best))
    chain = tuple(best[index] for index in kept)
    lengths = len(comparison.first.sentences), len(comparison.second.sentences)
    ranked = sorted(matches, key=lambda match: (-match.similarity, _shift(match, lengths), match))
    first = {match.first: match for match in reversed(ranked)}
    second = {match.second: match for match in reversed(ranked)}
    first |= {match.first: match for match in chain}
    second |= {match.second: match for match in chain}
    return Pairing(first, second, chain)


def _shift(match: Match, lengths: tuple[int, int]) -> float:
    """Return how far a sentence has moved, in shares of the page."""
    return abs(match.first / lengths[0] - match.second / lengths[1])
