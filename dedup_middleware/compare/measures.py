"""What sentences say of two whole pages, for people who look at them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .chain import longest_chain
from .comparison import odds_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .comparison import Both, Deep
    from .matching import Partner
    from .model import Model
    from .values import Sentence


@dataclass(frozen=True, slots=True)
class Measures:
    """Two pages as wholes; of two figures the first is that of the first page."""

    overlap: Both
    """Share of the sentences that are equal to one of the other page."""
    rs: Both
    """Share of the sentences that have a partner in the other page."""
    odds_ratio: float
    best_match: Both
    """Mean similarity of the sentences to their partners, the long ones counting more."""
    in_order: Both
    """Share of the sentences with a partner that stand in the same order in both pages."""
    new: tuple[tuple[int, ...], tuple[int, ...]]
    """The sentences without a partner."""
    rarity: Both
    """How rare the words are that both pages have, and those that only one has, as mean idf."""


def measures_of(
    first: Sequence[Sentence], second: Sequence[Sentence], deep: Deep, model: Model | None = None
) -> Measures:
    """Measure two pages whose sentences have been matched."""
    mine, theirs = deep.matching.first, deep.matching.second
    rs = deep.counts[0].found, deep.counts[1].found
    return Measures(
        overlap=(_equal(mine), _equal(theirs)),
        rs=rs,
        odds_ratio=odds_ratio(*rs),
        best_match=deep.said,
        in_order=(in_order(mine), in_order(theirs)),
        new=(_new(mine), _new(theirs)),
        rarity=_rarity(first, second, model),
    )


def _equal(partners: Sequence[Partner]) -> float:
    return sum(partner.similarity == 1 for partner in partners) / max(1, len(partners))


def in_order(partners: Sequence[Partner]) -> float:
    """Give the share of the sentences with a partner that stand in the same order in both pages."""
    pairs = [(i, partner.place) for i, partner in enumerate(partners) if partner.place >= 0]
    return len(longest_chain(pairs, [1] * len(pairs))) / len(pairs) if pairs else 0.0


def _new(partners: Sequence[Partner]) -> tuple[int, ...]:
    return tuple(i for i, partner in enumerate(partners) if partner.place < 0)


def _rarity(first: Sequence[Sentence], second: Sequence[Sentence], model: Model | None) -> Both:
    mine = {word for sentence in first for word in sentence.words}
    theirs = {word for sentence in second for word in sentence.words}
    idf = _idf([*first, *second], model)
    return _mean([*map(idf, mine & theirs)]), _mean([*map(idf, mine ^ theirs)])


def _idf(sentences: Sequence[Sentence], model: Model | None) -> Callable[[str], float]:
    """Tell how rare words are: in the documents of the model, else in the sentences at hand."""
    if model:
        return lambda word: model.weight(word) ** 2
    counts = Counter(word for sentence in sentences for word in set(sentence.words))
    return lambda word: math.log((len(sentences) + 1) / (counts[word] + 0.5))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
