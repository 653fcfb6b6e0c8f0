"""The words in which two sentences differ, and which of them tell most about two pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import fold, is_spaceless
from dedup_middleware.text import beginning, clean

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LETTERS = 1_500
"""Of a sentence."""
MAX_WORDS = 400
"""The most words of a sentence whose words are compared."""
_WORD = re.compile(r"\w+|[^\w\s]")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"\w")
_IDENTIFIER = re.compile(r"\b(?:[a-z0-9]+[A-Z]|[A-Za-z0-9]*_(?=[A-Za-z0-9]))\w*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞĀŁŚŠŻŽΑ-ΫА-ЯЁ]\w*")
_LONGEST = 60  # letters of a change; a longer one is a passage, and read in the texts

Pieces = tuple[str, ...]
"""A sentence in pieces: shared with the other page and not, alternating."""


class Weight(IntEnum):
    """What a change is about; the lower, the more it says about two pages."""

    NUMBER = 0
    NAME = 1
    WORD = 2


class Change(NamedTuple):
    """Words of one sentence, and those that the other has in their place; either may be empty."""

    first: str
    second: str
    weight: Weight


@dataclass(frozen=True, slots=True)
class Diff:
    """Two sentences in pieces, and the changes between them."""

    first: Pieces
    second: Pieces
    changes: tuple[Change, ...] = ()


def diff(first: str, second: str) -> Diff:
    """Split two sentences at the words that differ; very long ones are not split.

    >>> found = diff("It costs 3 euros.", "It costs 4 euros.")
    >>> found.first, found.second, [change[:2] for change in found.changes]
    (('It costs ', '3', ' euros.'), ('It costs ', '4', ' euros.'), [('3', '4')])
    """
    one, other = _places(first), _places(second)
    if first == second or max(len(one), len(other)) > MAX_WORDS:
        return Diff((first,), (second,))
    words = [first[place] for place in one], [second[place] for place in other]
    changed = [
        (_joined(one[i:j]), _joined(other[k:m]))
        for tag, i, j, k, m in SequenceMatcher(None, *words, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    return Diff(
        _split(first, [here for here, _ in changed]),
        _split(second, [there for _, there in changed]),
        tuple(
            Change(first[here], second[there], min(_weight(first, here), _weight(second, there)))
            for here, there in changed
        ),
    )


def weightiest(changes: Iterable[Change], most: int) -> list[tuple[Change, int]]:
    """Return each change with how often it occurs: numbers and names first, then the most frequent.

    >>> found = weightiest([*diff("We sat.", "They sat.").changes, *diff("a 3", "a 4").changes], 9)
    >>> [(change.first, change.second, times) for change, times in found]
    [('3', '4', 1), ('We', 'They', 1)]
    """
    times: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], Change] = {}
    for change in changes:
        key = fold(change.first), fold(change.second)
        if any(map(_LETTER.search, key)) and max(map(len, key)) <= _LONGEST:
            times[key] += 1
            shown[key] = min(shown.get(key, change), change, key=lambda one: one.weight)
    # what one page says in place of the other's words tells more than what it has besides
    ranked = sorted(shown, key=lambda key: (shown[key].weight, not all(key), -times[key]))
    return [(shown[key], times[key]) for key in ranked[:most]]


def shorten(text: str) -> str:
    return beginning(clean(text), MAX_LETTERS)


def _places(text: str) -> list[slice]:
    """Return where words are; in scripts without spaces, each character is a word."""
    places: list[slice] = []
    for word in _WORD.finditer(text):
        start, end = word.span()
        step = 1 if is_spaceless(word.group()) else end - start
        places += [slice(at, at + step) for at in range(start, end, step)]
    return places


def _joined(places: list[slice]) -> slice:
    return slice(places[0].start, places[-1].stop) if places else slice(0, 0)


def _split(text: str, places: list[slice]) -> Pieces:
    pieces: list[str] = []
    done = 0
    for place in places:
        if place.stop:
            pieces += text[done : place.start], text[place]
            done = place.stop
    return (*pieces, text[done:])


def _weight(text: str, place: slice) -> Weight:
    if _DIGIT.search(text[place]):
        return Weight.NUMBER
    if _IDENTIFIER.search(text[place]):
        return Weight.NAME
    for name in _CAPITALISED.finditer(text, place.start, place.stop):
        # any word at the beginning of a sentence has a capital
        if name.start() or (len(name[0]) > 1 and name[0].isupper()):
            return Weight.NAME
    return Weight.WORD
