"""Languages: stop words, negations and stemmers, and detection of the language of a text."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.data import sections

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WORDS = sections("stop_words.txt")

NEGATIONS = {code: frozenset(_WORDS[f"{code} negations"]) for code in _WORDS if " " not in code}
"""Words that negate a sentence; they are stop words too."""

NEGATED_VERBS = frozenset(_WORDS["negated verbs"])
"""What comes before the "t" of "don't"."""
NEGATING_ENDS = frozenset(_WORDS["negating ends"])

STOP_WORDS = {code: negations | set(_WORDS[code]) for code, negations in NEGATIONS.items()}
"""Stop words, in the form that `words` returns."""

_CODE = re.compile(r"[a-z]{2,3}(?![a-z])")
_ALIASES = {"nb": "no", "nn": "no", "mo": "ro", "und": "", "mul": ""}
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

SAMPLE = 2_000
"""Words that show the language of a text."""
_SHORT = 40  # with fewer words, few stop words are no sign of a language without a list
_CLEARLY_MORE = 1.5  # times as many stop words as the declared language has, and
_CLEAR_LEAD = 8  # so many more: related languages share a half to two thirds of theirs
_CLEARLY_DISTINCT = 4  # a word repeated down a table says nothing about the language
_FOREIGN_SHARE = 0.3  # a declared language without a list gives way only to running text
_KNOWN_SHARE = 0.1


class StopWords(NamedTuple):
    """What the start of a text shows of its language."""

    words: int
    hits: Sequence[int]
    """How many are stop words, of each language of STOP_WORDS."""
    distinct: Sequence[int]
    ascii: bool
    """Whether all words are."""


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
    return language_by(declared, stop_words_of(text_words))


def stop_words_of(text_words: Sequence[str]) -> StopWords:
    """Count the stop words of each language at the start of a text."""
    sample = Counter(islice(text_words, SAMPLE))
    hits = [[sample[word] for word in known & sample.keys()] for known in STOP_WORDS.values()]
    return StopWords(
        sample.total(), [*map(sum, hits)], [*map(len, hits)], all(map(str.isascii, sample))
    )


def language_by(declared: str, found: StopWords) -> str:
    """Return the declared language of a text, unless its stop words show another."""
    code, size = _code(declared), found.words
    hits = dict(zip(STOP_WORDS, found.hits, strict=True))
    best = max(hits, key=hits.__getitem__)  # the first of equals: English before all others
    share = hits[best] / size if size else 0.0
    distinct = found.distinct[found.hits.index(hits[best])]
    if code in STOP_WORDS:
        clear = hits[best] >= max(_CLEARLY_MORE * hits[code], hits[code] + _CLEAR_LEAD)
        return best if clear and distinct >= _CLEARLY_DISTINCT else code
    if code:
        return best if share >= _FOREIGN_SHARE and distinct >= _CLEARLY_DISTINCT else code
    if share >= _KNOWN_SHARE and distinct > 1:
        return best
    plain = (size < _SHORT or best == "en") and found.ascii
    return "en" if plain and size else ""


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


def _code(declared: str) -> str:
    """Return the language of a language tag.

    >>> _code(" EN-us "), _code("nn"), _code("{{ lang }}")
    ('en', 'no', '')
    """
    match = _CODE.match(declared.strip().lower())
    return _ALIASES.get(match.group(), match.group()) if match else ""
