"""Facts: the numbers and names of a text, and where another text puts others in their place.

Two products, two results, two entries of a reference look alike because a template speaks in
both. What tells them apart are few words, but those that matter.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import WORD_RUN

from .alignment import gaps
from .refine import numbers_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .alignment import Run

MOST_CAPITALS = 0.3
"""Where more of the words begin with a capital (German, headings, tables), it marks no name."""


class Facts(NamedTuple):
    """The words of a text, and which of them are numbers or may be names."""

    words: Sequence[str]
    """Folded, in order."""
    marked: frozenset[str]
    """Those that are numbers, or never begin with a small letter."""
    numbers: frozenset[str]
    counts: Counter[str]


def facts_of(words: Sequence[str], text: str) -> Facts:
    """Tell which words of a text (folded, and as it stands) state facts.

    >>> text = "Ask Ada about the 3 engines. Engines sell at 40 each, so the price is high, says Ada."
    >>> from dedup_middleware.read.words import words
    >>> sorted(facts_of(words(text), text).marked)
    ['3', '40', 'ada', 'ask']
    """
    counts = Counter(words)
    numbers = numbers_of(counts)
    marked = set(numbers)
    as_written = WORD_RUN.findall(text)
    if len(as_written) == len(words):  # else the two can't be told word by word
        capital = [word[0].isupper() for word in as_written]
        if 0 < sum(capital) < MOST_CAPITALS * len(words):
            small = {word for word, is_capital in zip(words, capital, strict=True) if not is_capital}
            marked |= {
                word
                for word, is_capital in zip(words, capital, strict=True)
                if is_capital and word not in small
            }
    return Facts(words, frozenset(marked), numbers, counts)


def swapped_facts(runs: list[Run], first: Facts, second: Facts, common: Collection[str]) -> int:
    """Count the places where one text has some facts and the other has others instead.

    Words that the other text also writes small are no names; nor are `common` words.
    """
    swaps = 0
    small = (second.counts.keys() - second.marked) | set(common)
    theirs_small = (first.counts.keys() - first.marked) | set(common)
    for (a, b), (c, d) in gaps(runs, len(first.words), len(second.words)):
        mine = first.marked.intersection(first.words[a:b])
        theirs = second.marked.intersection(second.words[c:d])
        swaps += bool(mine - theirs - small) and bool(theirs - mine - theirs_small)
    return swaps


def swapped_subject(first: Facts, second: Facts, common: Collection[str]) -> int:
    """Tell how often either text speaks of something that the other never mentions.

    >>> one = facts_of("the tern is a bird and the tern flies".split(), "")
    >>> two = facts_of("the gull is a bird and the gull flies".split(), "")
    >>> swapped_subject(one, two, {"the", "is", "a", "and"})
    2
    """
    return min(_missing(first, second, common), _missing(second, first, common))


def _missing(one: Facts, other: Facts, common: Collection[str]) -> int:
    """Count the word that is most frequent in one text among those that the other lacks."""
    return max(
        (
            count
            for word, count in one.counts.items()
            if word not in other.counts and word not in common and word not in one.numbers
        ),
        default=0,
    )
