"""Facts: the numbers and names of a text, and where another text has different ones instead.

Two products, two results or two entries of a reference look alike because they share a template.
They differ in few words, but in those that matter.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.read.words import fold

from .alignment import gaps
from .refine import numbers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .alignment import Run
    from .overlap import Mask, Numbered

MOST_CAPITALS = 0.3
"""Where more words begin with a capital (German, headings, tables), capitals mark no names."""
_IDENTIFIER = re.compile(r"\b(?:[a-z0-9]+[A-Z]|[A-Za-z0-9]*_(?=[A-Za-z0-9]))\w*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞĀŁŚŠŻŽΑ-ΫА-ЯЁ]\w*")


class Facts(NamedTuple):
    """The words of a text, and which of them are numbers or may be names."""

    words: Sequence[str]
    """Folded, in order."""
    counts: dict[str, int]
    numbers: frozenset[str]
    marked: frozenset[str]
    """Numbers, words that never begin with a small letter, and identifiers."""


def facts_of(words: Sequence[str], known: Numbered, text: str) -> Facts:
    """Find the facts of a text, given as folded words, numbered words and original text.

    >>> from dedup_middleware.read.words import words
    >>> from .overlap import numbered
    >>> text = "Ask Ada about the 3 engines. Engines sell at 40 each, and well, said Ada to them."
    >>> sorted(facts_of(words(text), numbered(words(text)), text).marked)
    ['3', '40', 'ada', 'ask']
    """
    times = np.bincount(known.ids, minlength=len(known.numbers)).tolist()
    counts = dict(zip(known.numbers, times, strict=True))
    digits = numbers_of(counts)
    capitals = Counter(map(fold, _CAPITALISED.findall(text)))
    if capitals.total() > MOST_CAPITALS * len(words):
        capitals.clear()
    names = {word for word, count in capitals.items() if count >= counts.get(word, len(words))}
    names.update(map(fold, _IDENTIFIER.findall(text)))
    return Facts(words, counts, digits, digits | names)


def swapped_facts(
    runs: list[Run],
    first: Facts,
    second: Facts,
    common: Collection[str],
    moved: tuple[Mask, Mask],
) -> int:
    """Count the places where the texts have different facts.

    Neither `common` words nor words that the other text writes in lower case are names. Words that
    only moved, as the masks of both texts show, don't count.
    """
    mine = first.marked - (second.counts.keys() - second.marked) - set(common)
    theirs = second.marked - (first.counts.keys() - first.marked) - set(common)
    swaps = 0
    for (a, b), (c, d) in gaps(runs, len(first.words), len(second.words)):
        here = mine.intersection(compress(first.words[a:b], ~moved[0][a:b]))
        there = theirs.intersection(compress(second.words[c:d], ~moved[1][c:d]))
        swaps += bool(here - there) and bool(there - here)
    return swaps


def swapped_subject(first: Facts, second: Facts, common: Collection[str]) -> int:
    """Count how often each text, at least, names something that the other never mentions."""
    return min(_missing(first, second, common), _missing(second, first, common))


def _missing(one: Facts, other: Facts, common: Collection[str]) -> int:
    """Count the most frequent word of one text among those that the other lacks."""
    lacking = one.counts.keys() - other.counts.keys() - one.numbers - set(common)
    return max(map(one.counts.__getitem__, lacking), default=0)
