"""Which words differ in two sentences."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from dedup_middleware.read.words import is_spaceless

MAX_WORDS = 400
_WORD = re.compile(r"\w+|[^\w\s]")

Pieces = tuple[str, ...]
"""A text cut up: pieces that stand in the other too and pieces that don't, in turn."""


def changed_words(first: str, second: str) -> tuple[Pieces, Pieces]:
    """Cut two sentences at the words that differ; very long ones are left whole.

    >>> changed_words("It costs 3 euros.", "It costs 4 euros.")
    (('It costs ', '3', ' euros.'), ('It costs ', '4', ' euros.'))
    """
    one, other = _spans(first), _spans(second)
    if first == second or max(len(one), len(other)) > MAX_WORDS:
        return (first,), (second,)
    matcher = SequenceMatcher(None, _words(first, one), _words(second, other), autojunk=False)
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    return (
        _cut(first, [(one[i][0], one[j - 1][1]) for _, i, j, _, _ in steps if i < j]),
        _cut(second, [(other[i][0], other[j - 1][1]) for _, _, _, i, j in steps if i < j]),
    )


def _spans(text: str) -> list[tuple[int, int]]:
    """Find where words start and end; where no space divides them, each character is one."""
    spans: list[tuple[int, int]] = []
    for word in _WORD.finditer(text):
        start, end = word.span()
        whole = not is_spaceless(word.group())
        spans += [(start, end)] if whole else [(at, at + 1) for at in range(start, end)]
    return spans


def _words(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _cut(text: str, changes: list[tuple[int, int]]) -> Pieces:
    pieces: list[str] = []
    done = 0
    for start, end in changes:
        pieces += text[done:start], text[start:end]
        done = end
    return (*pieces, text[done:])
