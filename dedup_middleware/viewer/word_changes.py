"""The words in which two sentences differ, and the weightiest differences of two pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import fold, is_spaceless

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    if first == second:
        return Diff((first,), (second,))
    one, other = _spans(first), _spans(second)
    if max(len(one), len(other)) > MAX_WORDS:
        return Diff((first,), (second,))
    matcher = SequenceMatcher(None, _words(first, one), _words(second, other), autojunk=False)
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    changes = [(_span(one, i, j), _span(other, k, m)) for _, i, j, k, m in steps]
    return Diff(
        _split(first, [here for here, _ in changes if here]),
        _split(second, [there for _, there in changes if there]),
        tuple(_change(first, here, second, there) for here, there in changes),
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
        if not any(map(_LETTER.search, key)) or max(map(len, key)) > _LONGEST:
            continue
        times[key] += 1
        known = shown.setdefault(key, change)
        if change.weight < known.weight:
            shown[key] = change
    # what one page says in place of the other's words tells more than what it has besides
    ranked = sorted(shown, key=lambda key: (shown[key].weight, not all(key), -times[key]))
    return [(shown[key], times[key]) for key in ranked[:most]]


def _change(
    first: str, here: tuple[int, int] | None, second: str, there: tuple[int, int] | None
) -> Change:
    texts = [(text, *span) for text, span in ((first, here), (second, there)) if span]
    weight = min(_weight(text, start, end) for text, start, end in texts)
    return Change(
        first[slice(*here)] if here else "", second[slice(*there)] if there else "", weight
    )


def _weight(text: str, start: int, end: int) -> Weight:
    words = text[start:end]
    if _DIGIT.search(words):
        return Weight.NUMBER
    if _IDENTIFIER.search(words):
        return Weight.NAME
    for name in _CAPITALISED.finditer(text, start, end):
        # any word at the beginning of a sentence has a capital
        if name.start() or (len(name[0]) > 1 and name[0].isupper()):
            return Weight.NAME
    return Weight.WORD


def _span(spans: list[tuple[int, int]], begin: int, end: int) -> tuple[int, int] | None:
    return (spans[begin][0], spans[end - 1][1]) if begin < end else None


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where words start and end; in scripts without spaces, each character is a word."""
    spans: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        start, end = word.span()
        spaced = not is_spaceless(word.group())
        spans += [(start, end)] if spaced else [(at, at + 1) for at in range(start, end)]
    return spans


def _words(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _split(text: str, changes: list[tuple[int, int]]) -> Pieces:
    pieces: list[str] = []
    done = 0
    for start, end in changes:
        pieces += text[done:start], text[start:end]
        done = end
    return (*pieces, text[done:])
