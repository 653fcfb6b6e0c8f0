"""Sentences: where they end, and what is left of them when only content counts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dedup_middleware.read.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.read import Outline

_END = re.compile(r"""(?:(?<=[.!?…])["'”’»)\]]*\s+|(?<=[。！？])["'”’」』）]*\s*)(?=\S)""")
_ABBREVIATION = re.compile(
    r"""(?:^|[\s("'“‘\[-])(?:
        [^\W\d_]                                  # an initial
      | (?:[^\W\d_]\.)+[^\W\d_]                   # e.g. U.S. z.B.
      | mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|col|capt|lt|sgt|hon|messrs|mme|mlle
      | vs|etc|al|cf|ca|approx|resp|incl|excl|est|fig|figs|eq|eqs|sec|ch|chap|vol|vols|ed|eds|pp
      | no|nos
      | art|para|dept|univ|inc|ltd|corp|co|bros|govt|ave|blvd|rd|mt|ft
      | jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec
      | bzw|usw|vgl|evtl|ggf|nr|str|abb|sog|tel|sra|srta|av|env|ex
    )\.["'”’»)\]]*\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being
    below between both but by can could did do does doing don down during each few for from
    further had has have having he her here hers herself him himself his how i if in into is it
    its itself just ll me more most my myself no nor not now of off on once only or other our
    ours ourselves out over own re s same she should so some such t than that the their theirs
    them themselves then there these they this those through to too under until up ve very was
    we were what when where which while who whom why will with would you your yours yourself
    yourselves
    """.split()
)
_CACHED_STEMS = 1 << 16


def split_sentences(text: str) -> list[str]:
    """Cut a block of text into sentences.

    >>> split_sentences("Dr. Who paid 3.50. He left! Why?")
    ['Dr. Who paid 3.50.', 'He left!', 'Why?']
    """
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if not _ABBREVIATION.search(text, max(start, match.start() - 24), match.end()):
            sentences.append(text[start : match.start()].rstrip() + match.group().rstrip())
            start = match.end()
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences


def refine(sentence: str, language: str = "") -> tuple[str, ...]:
    """Reduce a sentence to its content: words without stop words, stemmed, in order.

    >>> refine("The prices of 3 houses were rising.")
    ('price', '3', 'hous', 'rise')

    A sentence of stop words only keeps them.

    >>> refine("To be or not to be")
    ('to', 'be', 'or', 'not', 'to', 'be')
    """
    found = words(sentence)
    if language.lower().startswith("en") or not language:
        content = [word for word in found if word not in STOP_WORDS]
        return tuple(map(_stem, content or found))
    return tuple(found)


def refined_sentences(outline: Outline) -> list[tuple[str, ...]]:
    """Refine all sentences of the main text, in reading order; those without words are left out."""
    return [
        refined
        for text, furniture in zip(outline.texts, outline.furniture, strict=True)
        if text and not furniture
        for sentence in split_sentences(text)
        if (refined := refine(sentence, outline.language))
    ]


@lru_cache(maxsize=_CACHED_STEMS)
def _stem(word: str) -> str:
    return _porter()(word)


@cache
def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer  # takes more than a second: not before it is needed

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem
