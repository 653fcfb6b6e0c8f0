"""Text → terms, the unit of all counts here: words, and characters of scripts without spaces."""

from __future__ import annotations

import re
from itertools import accumulate

from dedup_middleware.compare.sentences import split_sentences
from dedup_middleware.read.words import SPACELESS_RUN, WORD_RUN, is_spaceless

_CHARACTER = WORD_RUN.pattern.removesuffix("+")
_SPACELESS = SPACELESS_RUN.pattern.removesuffix("+")
_SIGN = rf"(?!\w){_CHARACTER}"
_INVISIBLE = "[\xad\u200b\u2060\ufeff]"  # soft hyphens and their kind don't end a word
_TERM = re.compile(
    rf"((?!{_SPACELESS}){_CHARACTER}(?:(?!{_SPACELESS}){_CHARACTER}|{_INVISIBLE})*"
    rf"|{_CHARACTER}(?:{_SIGN})*)"
)


def split_terms(text: str) -> tuple[list[str], list[str]]:
    """Return the terms of a text, and what stands before, between and after them.

    >>> split_terms("Don't panic!")
    (['Don', 't', 'panic'], ['', "'", ' ', '!'])
    """
    pieces = _TERM.split(text)
    return pieces[1::2], pieces[::2]


def count_terms(text: str) -> int:
    """Count the terms of a text: they add up, where pairs of characters would not.

    >>> count_terms("The price: 3.50"), count_terms("中文字符 and English")
    (4, 6)
    """
    return sum(1 for _ in _TERM.finditer(text))


def join_terms(terms: list[str], gaps: list[str]) -> str:
    """Put terms and gaps together again, with a space where two words would become one.

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
    """Cut a paragraph into sentences, each with how many terms stand before it.

    >>> sentences_with_places("It rained. Nobody left.")
    [(0, 'It rained.'), (2, 'Nobody left.')]
    """
    sentences = split_sentences(text)
    places = accumulate(map(count_terms, sentences), initial=0)
    return list(zip(places, sentences, strict=False))
