"""Terms, the unit of all counts here: words, and characters of scripts without spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.words import SPACELESS_RUN, WORD_RUN, fold, is_spaceless
from dedup_middleware.similarity.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

_CHARACTER = WORD_RUN.pattern.removesuffix("+")
_SPACELESS = SPACELESS_RUN.pattern.removesuffix("+")
_SIGN = rf"(?!\w){_CHARACTER}"
_INVISIBLE = "[\xad\u200b\u2060\ufeff]"  # soft hyphens and the like don't end a word
_TERM = re.compile(
    rf"((?!{_SPACELESS}){_CHARACTER}(?:(?!{_SPACELESS}){_CHARACTER}|{_INVISIBLE})*"
    rf"|{_CHARACTER}(?:{_SIGN})*)"
)
_TRIES = 8  # to draw a word other than the one to be replaced


def split_terms(text: str) -> tuple[list[str], list[str]]:
    """Return the terms of a text, and the gaps before, between and after them.

    >>> split_terms("Don't panic!")
    (['Don', 't', 'panic'], ['', "'", ' ', '!'])
    """
    pieces = _TERM.split(text)
    return pieces[1::2], pieces[::2]


def count_terms(text: str) -> int:
    """Count the terms of a text; counts of parts add up to that of the whole.

    >>> count_terms("The price: 3.50"), count_terms("中文字符 and English")
    (4, 6)
    """
    return sum(1 for _ in _TERM.finditer(text))


def join_terms(terms: list[str], gaps: list[str]) -> str:
    """Join terms and gaps again, with a space where two words would become one.

    >>> join_terms(["tea", "cup"], ["", "", "."])
    'tea cup.'
    """
    parts = [gaps[0]]
    for number, term in enumerate(terms):
        glued = number and not gaps[number]
        if glued and not (is_spaceless(terms[number - 1]) and is_spaceless(term)):
            parts.append(" ")
        parts += term, gaps[number + 1]
    return " ".join("".join(parts).split())


def sentences_with_places(text: str) -> list[tuple[int, str]]:
    """Return the sentences of a paragraph, each with the number of terms before it.

    >>> sentences_with_places("It rained. Nobody left.")
    [(0, 'It rained.'), (2, 'Nobody left.')]
    """
    sentences = split_sentences(text)
    places = accumulate(map(count_terms, sentences), initial=0)
    return list(zip(places, sentences, strict=False))


@dataclass(frozen=True, slots=True)
class Edits:
    """How many terms were edited, and how."""

    replaced: int = 0
    inserted: int = 0
    deleted: int = 0

    def __add__(self, other: Edits) -> Edits:
        return Edits(
            self.replaced + other.replaced,
            self.inserted + other.inserted,
            self.deleted + other.deleted,
        )

    @classmethod
    def sum(cls, edits: Iterable[Edits]) -> Edits:
        return sum(edits, cls())


class Edited(NamedTuple):
    """A text after its edits."""

    text: str
    kept: int
    """A bit for each term of the original text: whether it is still there."""
    edits: Edits


def edit(
    text: str, rate: float, kinds: Sequence[str], vocabulary: Sequence[str], rng: Random
) -> Edited:
    """Replace, delete, or insert a word after, each term of a text with some probability.

    >>> from random import Random
    >>> text, kept, edits = edit("Boil it, then wait.", 0.5, ["replace"], ["tea"], Random(7))
    >>> text, f"{kept:04b}", edits.replaced
    ('tea it, tea wait.', '1010', 2)
    """
    terms, gaps = split_terms(text)
    found: list[str] = []
    between = [gaps[0]]
    kept = replaced = inserted = deleted = 0
    for place, (term, gap) in enumerate(zip(terms, gaps[1:], strict=True)):
        kind = rng.choice(kinds) if rng.random() < rate else ""
        word = _other(term, vocabulary, rng) if kind in {"replace", "insert"} else None
        if kind == "delete":
            deleted += 1
            between[-1] += gap
        elif kind == "replace" and word:
            replaced += 1
            found.append(word)
            between.append(gap)
        else:
            kept |= 1 << place
            found.append(term)
            if word:
                inserted += 1
                found.append(word)
                between.append("" if is_spaceless(term) and is_spaceless(word) else " ")
            between.append(gap)
    edits = Edits(replaced, inserted, deleted)
    return Edited(join_terms(found, between), kept, edits)


def _other(term: str, vocabulary: Sequence[str], rng: Random) -> str | None:
    """Draw a word that differs from a term, if there is one."""
    for _ in range(_TRIES if vocabulary else 0):
        word = rng.choice(vocabulary)
        if fold(word) != fold(term):
            return word
    return None
