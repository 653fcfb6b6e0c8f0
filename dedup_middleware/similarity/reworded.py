"""Reworded text: sentences that share some words with each other, in the same order of sentences.

One such pair says little. A chain of them through both pages says that one was written from the
other: pages on the same subject have such sentences too, but not one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .alignment import longest_chain
from .fuzzy import SentenceMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .matching import Partner
    from .values import Sentence

LEAST_ALIKE = 0.3
"""Share of the words of both sentences, as a geometric mean."""
FEWEST_WORDS = 3
MOST_STEPS = 30_000_000  # words times sentences
_STEPS = 2_000_000


def chained(
    first: Sequence[Sentence], second: Sequence[Sentence], partners: Sequence[Partner]
) -> tuple[int, int]:
    """Count the words of the sentences of two pages that are in the chain.

    Sentences of the first page that have a partner keep it; the others get the one most like them.

    >>> from .matching import NO_PARTNER
    >>> from .prepared import sentence_of
    >>> one = [sentence_of(text, "en") for text in ("Boats rise with the tide.", "Men sleep.")]
    >>> two = [sentence_of(text, "en") for text in ("The tide lifts every boat.", "Fish swim.")]
    >>> chained(one, two, [NO_PARTNER, NO_PARTNER])
    (3, 4)
    """
    pairs = [(place, one.place) for place, one in enumerate(partners) if one.place >= 0]
    pairs += _alike(first, second, [at for at, one in enumerate(partners) if one.place < 0])
    chain = longest_chain(pairs, [len(first[one].words) for one, _ in pairs])
    return (
        sum(len(first[pairs[link][0]].words) for link in chain),
        sum(len(second[pairs[link][1]].words) for link in chain),
    )


def _alike(
    first: Sequence[Sentence], second: Sequence[Sentence], places: list[int]
) -> list[tuple[int, int]]:
    """Pair sentences of the first page with the most similar one of the second."""
    mine = [place for place in places if len(first[place].words) >= FEWEST_WORDS]
    theirs = [place for place, one in enumerate(second) if len(one.words) >= FEWEST_WORDS]
    size = sum(len(second[place].words) for place in theirs)
    if not mine or not theirs or size * len(mine) > MOST_STEPS:
        return []
    matrix = SentenceMatrix([second[place] for place in theirs], None, weighted=False)
    step = max(1, _STEPS // size)
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(mine), step):
        block = mine[start : start + step]
        found = matrix.shares([first[place] for place in block])
        alike = np.sqrt(found.of_first * found.of_second)
        best = alike.argmax(axis=1)
        for row, place in enumerate(block):
            if alike[row, best[row]] >= LEAST_ALIKE:
                pairs.append((place, theirs[int(best[row])]))
    return pairs
