"""Which sentences say the same, as sets that words belong to in degrees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.compare.fuzzy import Crowd
from dedup_middleware.compare.matching import (
    BLOCK_STEPS,
    MOST_STEPS,
    ROUNDING,
    THESIS_GAP,
    THESIS_SAME,
)
from dedup_middleware.compare.values import Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dedup_middleware.compare.model import Model

    from .sayings import Words


def share_most(one: Words, other: Words, least: float = THESIS_SAME) -> bool:
    """Tell whether so much of either sentence stands in the other, word for word.

    >>> share_most(("tide", "came", "high"), ("tide", "came", "late"), 0.5)
    True
    """
    least -= ROUNDING
    return _share(one, other) >= least and _share(other, one) >= least


def same_words(one: Words, other: Words) -> bool:
    """Tell whether two sentences say the same if a word means nothing but itself.

    >>> words = tuple("tide lifted old boats off harbour wall".split())
    >>> same_words(words, words[1:]), same_words(words[1:], words[2:])
    (True, False)
    """
    gap = abs(_share(one, other) - _share(other, one))
    return share_most(one, other) and gap <= THESIS_GAP + ROUNDING


def same_by_model(
    sentences: Sequence[Words], known: Sequence[Words], model: Model
) -> list[list[int]]:
    """Tell for each sentence which known ones say the same, by place, as a model knows words.

    As many sentences are looked at as the work allows.
    """
    size = sum(map(len, known))
    if not size:
        return []
    crowd = Crowd([_sentence(words) for words in known], model, weighted=False)
    step, end = max(1, BLOCK_STEPS // size), min(len(sentences), MOST_STEPS // size)
    found: list[list[int]] = []
    for start in range(0, end, step):
        block = [_sentence(words) for words in sentences[start : min(end, start + step)]]
        shares = crowd.shares(block)
        lower = np.minimum(shares.of_first, shares.of_second)
        gap = np.abs(shares.of_first - shares.of_second)
        same = (lower >= THESIS_SAME - ROUNDING) & (gap <= THESIS_GAP + ROUNDING)
        found += [np.flatnonzero(row).tolist() for row in same]
    return found


def probes(words: Words, frequency: Callable[[str], int], least: float = THESIS_SAME) -> list[str]:
    """Choose words of which a sentence must have one to share so much: the rarest will do.

    >>> probes(tuple("in a storm the old boat was lifted".split()), lambda word: len(word) < 4)
    ['storm', 'boat']
    """
    missing = int(len(words) * (1 - least + ROUNDING))
    chosen: list[str] = []
    for word, times in sorted(Counter(words).items(), key=lambda one: frequency(one[0])):
        chosen.append(word)
        missing -= times
        if missing < 0:
            break
    return chosen


def _share(one: Words, other: Words) -> float:
    return sum(map(set(other).__contains__, one)) / len(one)


def _sentence(words: Words) -> Sentence:
    return Sentence("", 0, words)
