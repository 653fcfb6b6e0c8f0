"""Sentences: where they begin and end, as the compiled core finds it, their words, their matches.

Words are refined by language: stop words, negations and stemmers; languages are detected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import core
from dedup_middleware.data import sections
from dedup_middleware.read.decode import utf8
from dedup_middleware.read.words import is_spaceless
from dedup_middleware.read.words import words as words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dedup_middleware.read import Outline

_PARTNER = Struct("<id")
_WORDS = sections("stop_words.txt")

NEGATIONS = {code: frozenset(_WORDS[f"{code} negations"]) for code in _WORDS if " " not in code}
"""Words that negate a sentence; they are stop words too."""

NEGATED_VERBS = frozenset(_WORDS["negated verbs"])
"""What comes before the "t" of "don't"."""
NEGATING_ENDS = frozenset(_WORDS["negating ends"])

STOP_WORDS = {code: negations | set(_WORDS[code]) for code, negations in NEGATIONS.items()}
"""Stop words, in the form that `words` returns."""

SAMPLE = 2_000
"""Words that show the language of a text."""
_SNOWBALL = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}
_PLACE = Struct("<3I")  # line, start and end in bytes
_SPLIT, _CUT, _BOTH = range(3)  # what the core does with each line of a text
_CACHED_STEMS = 1 << 16
_LONGEST = 40  # longer words are neither stemmed nor cached: stemmers recurse over "yyyy…"
_DIGIT = re.compile(r"\d")


class Sentence(NamedTuple):
    """A sentence of a page; headings, list items and table cells are sentences too."""

    text: str
    """As on the page."""
    node: int
    """The node of the outline that it belongs to."""
    words: tuple[str, ...]
    """Its content words, refined."""
    numbers: frozenset[str] = frozenset()
    negated: bool = False
    """Whether it has a negation, which refined words don't show."""


class Partner(NamedTuple):
    """The most similar sentence of the other page; none if `place` is -1."""

    place: int
    similarity: float


NO_PARTNER = Partner(-1, 0.0)


class Match(NamedTuple):
    """A sentence of the first page and one of the second that say the same."""

    first: int
    second: int
    similarity: float
    """1 if only stop words and endings differ, less if it was reworded."""


@dataclass(frozen=True)
class Matching:
    """For each sentence of either page, its partner in the other."""

    packed: tuple[bytes, bytes]
    """Place and similarity of the partners: few matchings are looked at in detail."""
    cut: tuple[int, int] = (0, 0)
    """How many sentences of either page were too many to be tested."""

    @classmethod
    def of(
        cls, first: Sequence[Partner], second: Sequence[Partner], cut: tuple[int, int]
    ) -> Matching:
        """Pack the partners of two pages."""
        one, other = (
            b"".join(_PARTNER.pack(*partner) for partner in side) for side in (first, second)
        )
        return cls((one, other), cut)

    @cached_property
    def first(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[0])]

    @cached_property
    def second(self) -> list[Partner]:
        return [Partner(*values) for values in _PARTNER.iter_unpack(self.packed[1])]

    @property
    def pairs(self) -> tuple[Match, ...]:
        """All pairs of partners, in the order of the first page."""
        found = {(i, p.place): p.similarity for i, p in enumerate(self.first) if p.place >= 0}
        for j, partner in enumerate(self.second):
            if partner.place >= 0:
                found.setdefault((partner.place, j), partner.similarity)
        return tuple(Match(i, j, found[i, j]) for i, j in sorted(found))


def language_of(declared: str, text_words: Sequence[str]) -> str:
    """Return the declared language of a text, unless its stop words show another.

    >>> language_of("en-US", "der hund und die katze sind im garten aber wo ist das kind".split())
    'de'
    >>> language_of("nb_NO", ["fjord"])
    'no'

    An unknown language is the empty string. If nothing is declared, a text of few words, all of
    them ASCII, is taken for English: most such pages are, and a wrong guess only hides the endings
    of words.

    >>> language_of("", ["opening", "hours"]), language_of("", ["öppettider"])
    ('en', '')
    """
    words = "\n".join(text_words[:SAMPLE])
    return core.call_parts("language", (utf8(declared), utf8(words))).decode()


def stemmer(language: str) -> Callable[[str], str] | None:
    """Return the stemmer of a language, if there is one; nothing is downloaded."""
    if language == "en":
        from nltk.stem.porter import PorterStemmer  # takes more than a second: only when needed

        porter: Callable[[str], str] = PorterStemmer().stem
        return porter
    if language not in _SNOWBALL:
        return None
    from nltk.stem.snowball import SnowballStemmer

    name = _SNOWBALL[language]
    if language == "ar":  # it keeps state from the word before: a new one for each word

        def arabic(word: str) -> str:
            return str(SnowballStemmer(name).stem(word))

        return arabic
    snowball: Callable[[str], str] = SnowballStemmer(name).stem
    return snowball


def split_sentences(*texts: str) -> list[str]:
    """Split blocks of text into sentences.

    >>> split_sentences("Dr. Who paid 3.50 for No. 5. “He left!” Why?", "Nobody knows")
    ['Dr. Who paid 3.50 for No. 5.', '“He left!”', 'Why?', 'Nobody knows']
    """
    lines = "\n".join([text.replace("\n", " ") for text in texts])
    return [sentence for _, sentence in _found(utf8(lines), _SPLIT)]


def cut(sentence: str) -> list[str]:
    """Cut a sentence that is too long after certain words, which are the same in every text.

    >>> cut("Short enough.")
    ['Short enough.']
    """
    return [piece for _, piece in _found(utf8(sentence.replace("\n", " ")), _CUT)]


def sentences_of(outline: Outline) -> list[tuple[int, str]]:
    """Return the sentences of the main text in reading order, each with its node."""
    marks = outline.boilerplate
    return [(node, piece) for node, piece in _found(outline.lines, _BOTH) if not marks[node]]


def _found(text: bytes, mode: int) -> Iterator[tuple[int, str]]:
    """Yield the sentences that the core finds, each with its line."""
    for line, start, end in _PLACE.iter_unpack(core.call("sentences", text, mode)):
        yield line, text[start:end].decode()


def refine(words: Sequence[str], language: str, *, numbers: bool = True) -> tuple[str, ...]:
    """Return the stems of a sentence's words, in order, without stop words.

    >>> refine("the prices of 3 houses were rising".split(), "en")
    ('price', '3', 'hous', 'rise')

    A sentence of nothing but stop words keeps them.

    >>> refine("to be or not to be".split(), "en")
    ('to', 'be', 'or', 'not', 'to', 'be')

    Without numbers, only words with letters count, and a sentence without content is empty.

    >>> refine("the prices of 3 houses were rising".split(), "en", numbers=False)
    ('price', 'hous', 'rise')
    >>> refine("for 3 50".split(), "en", numbers=False)
    ()
    """
    content = tuple(filter(None, stems_of(words, language, numbers=numbers)))
    return content if content or not numbers else tuple(words)


def joined_words(text: str, *, numbers: bool = False) -> list[str]:
    """Return the words of a sentence as in the thesis: what is not a letter is deleted.

    >>> joined_words("Iraq's Shi'ite cleric – al-Sistani, 74 –")
    ['iraqs', 'shiite', 'cleric', 'alsistani']
    >>> joined_words("In 2004, Q1-Q3.", numbers=True)
    ['in', '2004', 'q1q3']
    """
    found: list[str] = []
    for part in text.split():
        pieces = [piece.replace("_", "") for piece in words_of(part)]
        if not numbers:
            pieces = [_DIGIT.sub("", piece) for piece in pieces]
        # where a script has no spaces, the pieces are the words
        found += pieces if is_spaceless(part) else ["".join(pieces)]
    return [word for word in found if any(map(str.isalnum, word))]


def stems_of(words: Iterable[str], language: str, *, numbers: bool) -> Iterator[str]:
    """Yield the stem of each word, empty for words that don't count."""
    return map(_stem_of(language if language in STOP_WORDS else "", numbers), words)


def is_negated(words: Sequence[str], language: str) -> bool:
    """Return True if a word negates the sentence.

    >>> is_negated(["i", "don", "t", "know"], "en"), is_negated(["i", "know"], "en")
    (True, False)
    """
    if not NEGATIONS.get(language, frozenset()).isdisjoint(words):
        return True
    return (
        language == "en"
        and not NEGATING_ENDS.isdisjoint(words)
        and any(
            word in NEGATING_ENDS and before in NEGATED_VERBS for before, word in pairwise(words)
        )
    )


def numbers_of(words: Iterable[str]) -> frozenset[str]:
    """Return the words with a digit.

    >>> sorted(numbers_of(["from", "3", "to", "4th"]))
    ['3', '4th']
    """
    return frozenset(word for word in words if not word.isalpha() and _DIGIT.search(word))


@cache  # few entries: languages without stop words share one
def _stem_of(language: str, numbers: bool) -> Callable[[str], str]:
    """Return what makes the stem of a word, empty if it does not count."""
    stop_words, stem = STOP_WORDS.get(language, frozenset()), stemmer(language)

    def stemmed(word: str) -> str:
        if word in stop_words or not (numbers or any(map(str.isalpha, word))):
            return ""
        return (stem(word) or word) if stem and len(word) <= _LONGEST else word

    cached = lru_cache(_CACHED_STEMS)(stemmed)
    return lambda word: cached(word) if len(word) <= _LONGEST else stemmed(word)
